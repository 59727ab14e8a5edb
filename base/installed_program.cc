#include "base/installed_program.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

namespace tinytune {
namespace {

namespace fs = std::filesystem;

/// Returns the file that contains this function. For a program, dladdr() gives argv[0], which may
/// not be a path, so /proc/self/exe is used.
fs::path loaded_from() {
  std::error_code error;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&loaded_from), &info) != 0 &&
      info.dli_fname != nullptr) {
    const fs::path file = fs::canonical(info.dli_fname, error);
    if (!error && file.extension() != "") return file;  // libtinytune.so.0.2.0
  }
  return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::string program_under(const std::string& prefix, const std::string& name) {
  if (prefix.empty() || name.empty() || name.find('/') != std::string::npos) return {};
  for (const char* folder : {"bin", "libexec/tinytune/bin"}) {
    const fs::path program = fs::path(prefix) / folder / name;
    std::error_code error;
    if (fs::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0)
      return program.string();
  }
  return {};
}

std::string installed_program(const std::string& name) {
  return program_under(loaded_from().parent_path().parent_path().string(), name);
}

}  // namespace tinytune
