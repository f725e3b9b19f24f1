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

/// A file that is written whole or not at all.
///
/// A regular file is written beside its target, in the same folder, and takes the target's place in
/// commit(). Until then, and when anything fails, an existing file stays as it was. Its mode is
/// kept, its owner where the system allows it; other hard links to it keep the old content.
/// Symbolic links are followed and stay. A file without write permission is an Error, for root too.
///
/// What is not a regular file (a device, a pipe) is written to directly and never replaced; so is
/// an open descriptor of this process under a name such as /dev/stdout or /dev/fd/3, whatever lies
/// behind it.
class OutputFile {
 public:
  /// Throws Error if the file cannot be written. Waits, as every writer, for a reader of a pipe.
  explicit OutputFile(const std::string& path) : path_(path), target_(path) {
    if (path.empty()) fail(ENOENT);
    const int own = follow_links();
    if (own >= 0) {
      descriptor_ = fcntl(own, F_DUPFD_CLOEXEC, 0);
      if (descriptor_ < 0) fail(errno);
      return;
    }
    // Opening tells what no look at modes can: read-only file systems, programs that run.
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

  /// Throws Error, for instance when the disk is full.
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

  /// Puts what was written in the target's place; nothing may be written after. Throws Error.
  void commit() {
    if (!close()) fail(errno);
    if (beside_.empty()) return;
    if (::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
    beside_.clear();
  }

 private:
  /// Makes target_ what the last of its links points to, whether that exists or not. Returns the
  /// descriptor where a link is one of this process, else -1.
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
  std::filesystem::path beside_ = {};  // empty where the target itself is written to
  int descriptor_ = -1;
};

/// Makes `content` the content of a file, or writes it to what is no regular file; see OutputFile.
inline void write_whole_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

/// Throws what OutputFile would throw now and leaves nothing behind: for a program that works long
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

/// `in`, compressed. Pieces that were compressed by themselves and joined are one file.
inline std::string pack(std::string in, Compression compression, const std::string& name) {
  if (compression == Compression::gzip) return pack_gzip(in, name);
  if (compression == Compression::xz) return pack_xz(in, name);
  return in;
}

/// Makes a file of `count` pieces, made by make(i), in their order, compressed as the name asks.
/// Pieces are made and compressed by `threads` threads, a few at a time. See OutputFile for what
/// becomes of a file that is there already, and when anything fails.
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
