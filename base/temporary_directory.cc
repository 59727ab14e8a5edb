#include "base/temporary_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

namespace tinytune {
namespace {

namespace fs = std::filesystem;

// Used for nothing else, so no file of a user or of a test is ever swept.
constexpr std::string_view kPrefix = "tinytune.";

std::mutex making;   // serialises end_temporary_directories() and create_in()
bool ended = false;  // guarded by `making`

/// Returns the owner in "tinytune.<purpose>.<owner>.XXXXXX"; nullopt for another name.
std::optional<pid_t> owner_in(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const size_t last = name.rfind('.');
  const size_t before = name.rfind('.', last - 1);
  if (before == std::string_view::npos || before < kPrefix.size() || name.size() - last != 7)
    return std::nullopt;
  const std::string number(name.substr(before + 1, last - before - 1));
  const bool digits = !number.empty() && number.size() < 10 &&
                      std::all_of(number.begin(), number.end(),
                                  [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits ? std::optional<pid_t>(std::stoi(number)) : std::nullopt;
}

Descriptor open_directory(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool still_there(const Descriptor& directory, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(directory.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

bool is_ours(const Descriptor& directory) {
  struct stat info {};
  return ::fstat(directory.get(), &info) == 0 && info.st_uid == ::geteuid();
}

void for_each_of_ours(const std::function<void(const fs::path&, pid_t owner)>& visit) {
  for (const std::string& folder : std::set<std::string>{temporary_folder(), "/tmp"}) {
    std::error_code unreadable;
    for (fs::directory_iterator at(folder, unreadable), end; !unreadable && at != end;
         at.increment(unreadable))
      if (const auto owner = owner_in(at->path().filename().string())) visit(at->path(), *owner);
  }
}

}  // namespace

std::string temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

Result<TemporaryDirectory> TemporaryDirectory::create(const std::string& purpose) {
  return create_in(temporary_folder(), purpose);
}

Result<TemporaryDirectory> TemporaryDirectory::create_in(const std::string& folder,
                                                         const std::string& purpose) {
  const std::string pattern = (fs::path(folder) / (std::string(kPrefix) + purpose)).string() + "." +
                              std::to_string(::getpid()) + ".XXXXXX";
  const std::lock_guard lock_out(making);
  if (ended) return Error(ErrorCode::kFailed, "no temporary directory: the program is ending");
  while (true) {
    std::string path = pattern;
    if (::mkdtemp(path.data()) == nullptr) {
      return Error(ErrorCode::kFailed,
                   "cannot make a temporary directory in " + folder + ": " + std::strerror(errno));
    }
    // Another run may sweep it before it is locked, or even opened.
    Descriptor lock = open_directory(path);
    if (lock.get() < 0 && errno == ENOENT) continue;
    // Continues without a lock: on a file system without locks nothing is ever swept.
    const bool locked = lock.get() >= 0 && ::flock(lock.get(), LOCK_EX) == 0;
    if (!locked || still_there(lock, path))
      return TemporaryDirectory(std::move(path), std::move(lock));
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void sweep_temporary_directories() {
  for_each_of_ours([&](const fs::path& path, pid_t) {
    const Descriptor directory = open_directory(path);
    if (directory.get() < 0 || !is_ours(directory) ||
        ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0)
      return;
    std::error_code ignored;
    fs::remove_all(path, ignored);
  });
}

void end_temporary_directories() {
  const std::lock_guard lock(making);
  ended = true;
  for_each_of_ours([&](const fs::path& path, pid_t maker) {
    if (maker != ::getpid() || !is_ours(open_directory(path))) return;
    // After the rename only files that threads are already opening or removing can interfere, which
    // a few attempts outlast. Later runs sweep the new name like the old one.
    const std::string name = path.filename().string();
    const fs::path aside =
        path.parent_path() /
        (std::string(kPrefix) + "ended." + std::to_string(maker) + name.substr(name.rfind('.')));
    std::error_code error;
    fs::rename(path, aside, error);
    for (int attempt = 0; attempt < 20 && fs::exists(aside, error); ++attempt)
      fs::remove_all(aside, error);
  });
}

}  // namespace tinytune
