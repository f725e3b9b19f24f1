// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <heddle/core/error.hpp>
#include <heddle/core/files/buffer.hpp>
#include <heddle/core/files/threads.hpp>
#include <limits>
#include <string>
#include <string_view>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace heddle::files {

/// Bytes in memory that grow without being initialized.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size) : data_(make_buffer<char>(size)), size_(size), capacity_(size) {}

  char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }

  void resize(std::size_t size) {
    if (size > capacity_) {
      const std::size_t capacity = std::max(size, capacity_ * 2);
      Buffer<char> grown = make_buffer<char>(capacity);
      if (size_ > 0) std::memcpy(grown.get(), data_.get(), size_);
      data_ = std::move(grown);
      capacity_ = capacity;
    }
    size_ = size;
  }

 private:
  Buffer<char> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

inline constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

[[noreturn]] inline void throw_unreadable(const std::string& path) {
  throw Error("the file cannot be read", Where{.file = path},
              "check that it exists, is a file, and may be read");
}

/// The first `limit` bytes of a file as they are on disk; a long file is read by several threads.
inline Bytes read_bytes(const std::string& path, int threads, std::size_t limit = everything) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    // A pipe: its length is known at its end.
    if (std::filesystem::is_directory(path, ignored)) throw_unreadable(path);
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw_unreadable(path);
    Bytes bytes;
    while (stream && bytes.size() < limit) {
      const std::size_t before = bytes.size();
      const std::size_t more = std::min(std::max(before, std::size_t{1} << 16), limit - before);
      bytes.resize(before + more);
      stream.read(bytes.data() + before, static_cast<std::streamsize>(more));
      bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    return bytes;
  }
  const std::uintmax_t on_disk = std::filesystem::file_size(path, ignored);
  if (ignored) throw_unreadable(path);
  Bytes bytes(static_cast<std::size_t>(std::min<std::uintmax_t>(on_disk, limit)));
  if (bytes.size() == 0 && !std::ifstream(path, std::ios::binary)) throw_unreadable(path);
  char* const data = bytes.data();
  for_each_range(threads, bytes.size(), std::size_t{1} << 23, [&](auto begin, auto end) {
    std::ifstream stream(path, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(begin));
    stream.read(data + begin, static_cast<std::streamsize>(end - begin));
    if (!stream) throw_unreadable(path);
  });
  return bytes;
}

/// Counts from 1, as editors do.
inline std::int64_t line_at(std::string_view text, std::size_t offset) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

/// A piece of a damaged file as it may be shown: one line of printable characters, not too long.
inline std::string printable(std::string_view piece) {
  constexpr std::size_t longest = 40;
  std::string shown(piece.substr(0, longest));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return piece.size() > longest ? shown + "..." : shown;
}

/// Bytes of memory this machine has; the largest number where that cannot be asked.
inline std::uint64_t machine_memory_bytes() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
#endif
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace heddle::files
