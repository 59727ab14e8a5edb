// A private directory in the temporary folder, removed with its owner. Readable by this user only.
//
// A killed process cannot clean up. So an owner holds a lock on its directory, which the kernel
// releases however the process ends, and any later run removes directories that are not locked. The
// owner's process number is in the name for people and for end_temporary_directories(); it does not
// show whether the owner is alive, because numbers are reused.
#pragma once

#include <string>
#include <utility>

#include "base/descriptor.h"
#include "tinytune/result.h"

namespace tinytune {

class TemporaryDirectory {
 public:
  /// Makes a directory in $TMPDIR, or in /tmp if that is not set. `purpose` becomes part of the
  /// name: "tinytune.link.4711.XXXXXX". kFailed: it cannot be made; the message says where and why.
  static Result<TemporaryDirectory> create(const std::string& purpose);
  /// The same in a folder of the caller's choice. Swept only if that is $TMPDIR or /tmp.
  static Result<TemporaryDirectory> create_in(const std::string& folder,
                                              const std::string& purpose);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept { *this = std::move(other); }
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept {
    path_.swap(other.path_);
    std::swap(lock_, other.lock_);
    return *this;
  }
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryDirectory(std::string path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;  ///< empty in a moved-from object
  Descriptor lock_;
};

/// Returns $TMPDIR, or /tmp.
std::string temporary_folder();

/// Removes this user's directories in $TMPDIR and /tmp whose owners have ended. Leaves those of
/// other programs, of other users and of running owners alone.
void sweep_temporary_directories();

/// Removes every directory of a process that is about to end without running destructors, while its
/// other threads still run; create() fails from then on. Nothing is left afterwards, whatever those
/// threads were writing. Called once per process, by any thread.
void end_temporary_directories();

}  // namespace tinytune
