// A directory of its own in the temporary folder, gone when its owner is. Readable by this user
// only.
//
// Who is killed cannot tidy up. So an owner holds a lock on its directory, which the kernel lets go
// of whatever ends the process, and any later run sweeps those that nobody holds. The owner's
// number is in the name for people, and for end_temporary_directories(): numbers are given away
// again, so alone they would not say that an owner is gone.
#pragma once

#include <string>
#include <utility>

#include "base/descriptor.h"
#include "tinytune/result.h"

namespace tinytune {

class TemporaryDirectory {
 public:
  /// In $TMPDIR, or /tmp where that is not set. `purpose` becomes part of the name:
  /// "tinytune.link.4711.XXXXXX". kFailed: no place for it; one line that says where and why.
  static Result<TemporaryDirectory> create(const std::string& purpose);
  /// In a folder of the caller's choice. Swept only if that is $TMPDIR or /tmp.
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

  std::string path_;  ///< empty once it was moved from
  Descriptor lock_;
};

/// $TMPDIR, or /tmp.
std::string temporary_folder();

/// Removes this user's directories in $TMPDIR and /tmp whose owners are gone. Those
/// of other programs, of other users and of owners that live are left alone.
void sweep_temporary_directories();

/// For a process that is about to end without running destructors, while its other threads still
/// work: removes every directory it has, and create() fails from now on. Nothing of it is left
/// afterwards, whatever those threads were writing. Called in a process once, by any thread.
void end_temporary_directories();

}  // namespace tinytune
