// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "compression.hpp"
#include "threads.hpp"

namespace heddle::files {

/// A file that is written completely or not at all.
///
/// A regular file is written to a temporary file in the same folder, which replaces the target in
/// commit(). Until then, and if anything fails, an existing file does not change. Its mode is kept,
/// and its owner if the system allows it; other hard links to it keep the old content. Symbolic
/// links are followed and kept. A file without write permission is an Error, for root too.
///
/// A target that is no regular file (a device, a pipe) is written to directly and never replaced;
/// so is an open descriptor of this process under a name such as /dev/stdout or /dev/fd/3, even one
/// of a regular file.
class OutputFile {
 public:
  /// Throws Error if the file cannot be written. Opening a pipe waits for its reader.
  explicit OutputFile(const std::string& path) : path_(path), target_(path) {
    if (path.empty()) fail(ENOENT);
    const int own = follow_links();
    if (own >= 0) {
      descriptor_ = fcntl(own, F_DUPFD_CLOEXEC, 0);
      if (descriptor_ < 0) fail(errno);
      return;
    }
    // Opening finds what the mode does not show: read-only file systems, running programs.
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    struct stat existing{};
    const bool exists = descriptor_ >= 0;
    if (!exists && errno != ENOENT) fail(errno);
    if (exists) {
      if (fstat(descriptor_, &existing) != 0) fail(errno);
      if (!S_ISREG(existing.st_mode)) return;
      close();
      if ((existing.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) fail(EACCES);
    }
    open_beside(exists ? &existing : nullptr);
  }

  ~OutputFile() { discard(); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error, for instance if the disk is full.
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail(errno);
      }
    }
  }

  /// Replaces the target by the written file; nothing may be written afterwards. Throws Error.
  void commit() {
    if (!close()) fail(errno);
    if (beside_.empty()) return;
    if (::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
    beside_.clear();
  }

 private:
  /// Sets target_ to the end of its chain of symbolic links, which need not exist. Returns the
  /// descriptor if a link leads to one of this process, else -1.
  int follow_links() {
    constexpr int most_links = 40;
    std::error_code ignored;
    for (int links = 0; std::filesystem::is_symlink(target_, ignored); ++links) {
      if (links == most_links) fail(ELOOP);
      const int own = own_descriptor();
      if (own >= 0) return own;
      target_ = target_.parent_path() / std::filesystem::read_symlink(target_, ignored);
    }
    return -1;
  }

  int own_descriptor() const {
    std::error_code ignored;
    const auto folder = std::filesystem::canonical(target_.parent_path(), ignored);
    if (folder != "/proc/" + std::to_string(getpid()) + "/fd") return -1;
    const std::string number = target_.filename().string();
    int descriptor = -1;
    std::from_chars(number.data(), number.data() + number.size(), descriptor);
    return descriptor;
  }

  void open_beside(const struct stat* existing) {
    const mode_t mode = existing ? existing->st_mode & 0777 : 0666;
    std::random_device random;
    do {
      beside_ = target_.parent_path() / (".heddle-" + std::to_string(random()) + ".part");
      descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
      const int problem = errno;
      beside_.clear();
      fail(problem);
    }
    if (!existing) return;
    const bool owned = fchown(descriptor_, existing->st_uid, existing->st_gid) == 0;
    if (fchmod(descriptor_, owned ? existing->st_mode & 07777 : mode) != 0) fail(errno);
  }

  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

  void discard() noexcept {
    if (descriptor_ >= 0) close();
    if (!beside_.empty()) ::unlink(beside_.c_str());
    beside_.clear();
  }

  [[noreturn]] void fail(int problem) {
    discard();
    throw Error("the file cannot be written: " + std::generic_category().message(problem),
                Where{.file = path_},
                problem == EACCES
                    ? "make the file and its folder writable, or choose another name"
                    : "check that it is a file, and that its folder exists, may be written, and "
                      "has room");
  }

  std::string path_;
  std::filesystem::path target_;
  std::filesystem::path beside_ = {};  // empty if the target is written to directly
  int descriptor_ = -1;
};

/// Replaces a regular file by `content`, or writes it to another kind of file; see OutputFile.
inline void write_whole_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

/// Throws Error if OutputFile would, and leaves no file, so that a program can check this long
/// before it writes.
inline void require_writable(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool other = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                     !std::filesystem::is_directory(status);
  // Opening a pipe and closing it again would end its reader.
  if (other && access(path.c_str(), W_OK) == 0) return;
  OutputFile{path};
}

/// `in`, compressed. Pieces compressed one by one and joined are a valid file.
inline std::string pack(std::string in, Compression compression, const std::string& name) {
  if (compression == Compression::gzip) return pack_gzip(in, name);
  if (compression == Compression::xz) return pack_xz(in, name);
  return in;
}

/// Writes a file of `count` pieces, made by make(i), in their order, compressed if the name says
/// so. `threads` threads make and compress the pieces, a few at a time. See OutputFile for an
/// existing file, and for errors.
template <class Make>
void write_pieces(const std::string& path, int threads, std::size_t count, const Make& make) {
  const Compression compression = compression_by_name(path);
  OutputFile file(path);
  const std::size_t batch = static_cast<std::size_t>(threads) * 2;
  std::vector<std::string> pieces(std::min(batch, count));
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t here = std::min(batch, count - first);
    for_each_index(threads, here,
                   [&](std::size_t i) { pieces[i] = pack(make(first + i), compression, path); });
    for (std::size_t i = 0; i < here; ++i) file.write(pieces[i]);
  }
  file.commit();
}

}  // namespace heddle::files
