#include "base/temporary_directory.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tinytune {

namespace fs = std::filesystem;

Result<TemporaryDirectory> TemporaryDirectory::create(const std::string& purpose) {
  std::error_code ignored;
  const fs::path parent = fs::temp_directory_path(ignored);
  std::string name =
      ((ignored ? fs::path("/tmp") : parent) / ("tinytune-" + purpose + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    return Error(ErrorCode::kFailed, "cannot make a temporary directory " + name);
  TemporaryDirectory made;
  made.path_ = name;
  return made;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status write_file(const std::string& path, std::string_view contents) {
  std::error_code ignored;  // opening the file tells
  fs::create_directories(fs::path(path).parent_path(), ignored);
  std::ofstream out(path, std::ios::binary);
  out << contents;
  if (!out.flush()) return Error(ErrorCode::kFailed, "cannot write " + path);
  return ok_status();
}

Result<std::vector<uint8_t>> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error(ErrorCode::kFailed, "cannot read " + path);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {});
}

}  // namespace tinytune
