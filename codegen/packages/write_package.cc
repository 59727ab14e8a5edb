#include "codegen/packages/write_package.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/hash.h"
#include "base/printable.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader =
    "# Written by `tune compile`: a hash and a path for each file. A later compile into this\n"
    "# directory removes those it has no use for, unless they were changed.\n";
constexpr const char* kStaging = ".tinytune-staged";

struct Entry {
  std::string hash, path;
  auto operator<=>(const Entry&) const = default;
};
using Manifest = std::set<Entry>;

Status make_directory(const std::string& directory) {
  std::error_code made, looked, ignored;
  if (fs::exists(directory, ignored) && !fs::is_directory(directory, ignored))
    return Error(ErrorCode::kInvalidInput, directory + ": is a file and no directory");
  fs::create_directories(directory, made);
  if (fs::is_directory(directory, looked)) return ok_status();
  const std::error_code why = made     ? made
                              : looked ? looked
                                       : std::make_error_code(std::errc::not_a_directory);
  return Error(ErrorCode::kFailed, directory + ": cannot be made a directory: " + why.message());
}

// Whether the path is inside the directory, whoever wrote the manifest.
bool stays_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() && path == path.lexically_normal() &&
         path.begin()->string() != "..";
}

bool is_manifest(const std::string& path) {
  const auto bytes = read_file(path);
  return bytes && text_of(*bytes).starts_with(kHeader);
}

// A manifest that is missing or not ours lists nothing.
Manifest read_manifest(const std::string& path) {
  Manifest manifest;
  const auto bytes = read_file(path);
  if (!bytes || !text_of(*bytes).starts_with(kHeader)) return manifest;
  std::istringstream in{std::string(text_of(*bytes).substr(kHeader.size()))};
  for (std::string line; std::getline(in, line);) {
    const size_t blank = line.find(' ');
    if (blank == std::string::npos || !stays_inside(line.substr(blank + 1))) continue;
    manifest.insert({line.substr(0, blank), line.substr(blank + 1)});
  }
  return manifest;
}

Status write_manifest(const std::string& path, const Manifest& manifest) {
  std::string text(kHeader);
  for (const auto& [hash, file] : manifest) text.append(hash).append(" ").append(file).append("\n");
  return write_file(path, text);
}

std::string hash_of(std::string_view contents) { return hex64(fnv1a(contents)); }

// Whether a file is regular and reached through real directories only: a link may lead out.
bool is_own_file(const fs::path& directory, const fs::path& file) {
  std::error_code error;
  for (fs::path above = file.parent_path(); !above.empty(); above = above.parent_path())
    if (fs::symlink_status(directory / above, error).type() != fs::file_type::directory)
      return false;
  return fs::symlink_status(directory / file, error).type() == fs::file_type::regular;
}

// Removes the file, and the folders above it that are empty then.
void remove_with_folders(const fs::path& directory, fs::path file) {
  std::error_code error;
  for (; !file.empty() && !error; file = file.parent_path()) fs::remove(directory / file, error);
}

// Whether a file of this package may take the place of what is there: nothing, an unchanged file of
// an earlier package, or the same bytes.
bool may_replace(const fs::path& directory, const GeneratedFile& file, const Manifest& earlier) {
  std::error_code error;
  const fs::path place = directory / file.name;
  if (fs::symlink_status(place, error).type() == fs::file_type::not_found) return true;
  if (!is_own_file(directory, file.name)) return false;
  const auto bytes = read_file(place.string());
  if (!bytes) return false;
  return text_of(*bytes) == file.contents ||
         earlier.contains({hash_of(text_of(*bytes)), file.name});
}

Status check_places(const std::string& directory, std::span<const GeneratedFile> files,
                    const Manifest& earlier, const std::string& list) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> foreign;
  for (const GeneratedFile& file : files)
    if (!may_replace(directory, file, earlier)) foreign.push_back(file.name);
  std::error_code error;
  if (fs::exists(fs::symlink_status(list, error)) && !is_manifest(list))
    foreign.push_back(kPackageManifest);
  if (foreign.empty()) return ok_status();
  return Error(ErrorCode::kInvalidInput,
               directory + ": " + shortened_list(foreign, kMostNamed) +
                   " would be overwritten, but `tune compile` did not write " +
                   (foreign.size() == 1 ? "it" : "them") +
                   " or it was changed since; choose another directory or move it away");
}

// Writes all files beside their places first, so that a full disk is found before anything of the
// earlier package changes.
Status stage_files(const fs::path& staging, std::span<const GeneratedFile> files) {
  std::error_code error;
  fs::remove_all(staging, error);  // of a call that was killed
  for (const GeneratedFile& file : files) {
    const Status written = write_file((staging / file.name).string(), file.contents);
    if (written) continue;
    fs::remove_all(staging, error);
    return written;
  }
  return ok_status();
}

Status move_into_place(const fs::path& staging, const fs::path& directory,
                       std::span<const GeneratedFile> files) {
  std::error_code error, ignored;
  for (const GeneratedFile& file : files) {
    fs::create_directories((directory / file.name).parent_path(), error);
    if (!error) fs::rename(staging / file.name, directory / file.name, error);
    if (error)
      return Error(ErrorCode::kFailed,
                   (directory / file.name).string() + ": cannot be written: " + error.message());
  }
  fs::remove_all(staging, ignored);
  return ok_status();
}

}  // namespace

Result<WrittenPackage> write_package(const std::string& directory,
                                     std::span<const GeneratedFile> files) {
  TT_TRY(make_directory(directory));
  const std::string list = (fs::path(directory) / kPackageManifest).string();
  const Manifest earlier = read_manifest(list);
  Manifest now, all = earlier;
  std::set<std::string> paths;
  for (const GeneratedFile& file : files) {
    now.insert({hash_of(file.contents), file.name});
    paths.insert(file.name);
  }
  all.insert(now.begin(), now.end());
  TT_TRY(check_places(directory, files, earlier, list));
  const fs::path staging = fs::path(directory) / kStaging;
  TT_TRY(stage_files(staging, files));
  TT_TRY(write_manifest(list, all));  // whatever happens from here on, these are ours
  TT_TRY(move_into_place(staging, directory, files));
  WrittenPackage written;
  for (const auto& [hash, path] : earlier) {
    if (paths.contains(path) || !is_own_file(directory, path)) continue;
    const auto bytes = read_file((fs::path(directory) / path).string());
    if (bytes && all.contains({hash_of(text_of(*bytes)), path})) {
      remove_with_folders(directory, path);
      written.removed.push_back(path);
    } else if (std::find(written.kept.begin(), written.kept.end(), path) == written.kept.end()) {
      written.kept.push_back(path);
    }
  }
  TT_TRY(write_manifest(list, now));
  return written;
}

}  // namespace tinytune
