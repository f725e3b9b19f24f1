// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "../error.hpp"
#include "../huge_pages.hpp"
#include "threads.hpp"

namespace heddle::files {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

template <class T>
using Buffer = std::unique_ptr<T[], FreeMemory>;

using heddle::detail::prefer_huge_pages;

/// An uninitialized array on the host; throws std::bad_alloc.
template <class T>
Buffer<T> make_buffer(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
  const std::size_t bytes = count * sizeof(T);
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (!memory) throw std::bad_alloc();
  prefer_huge_pages(memory, bytes);
  return Buffer<T>(static_cast<T*>(memory));
}

/// An array of bytes that grows without being initialized.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size) : data_(make_buffer<char>(size)), size_(size), capacity_(size) {}

  char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }

  void resize(std::size_t size) {
    if (size > capacity_) {
      // realloc moves pages rather than bytes if it can, so that memory does not hold two copies.
      void* const grown = std::realloc(data_.get(), size);
      if (!grown) throw std::bad_alloc();
      static_cast<void>(data_.release());
      data_.reset(static_cast<char*>(grown));
      prefer_huge_pages(grown, size);
      capacity_ = size;
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

inline std::ifstream open_to_read(const std::string& path) {
  std::error_code ignored;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path, ignored)) throw_unreadable(path);
  return stream;
}

/// Reads until `bytes` holds `limit` bytes or the stream ends. The stream's length is not needed.
inline void read_up_to(std::istream& stream, Bytes& bytes, std::size_t limit) {
  while (stream && bytes.size() < limit) {
    const std::size_t before = bytes.size();
    const std::size_t more = std::min(std::max(before, std::size_t{1} << 16), limit - before);
    bytes.resize(before + more);
    stream.read(bytes.data() + before, static_cast<std::streamsize>(more));
    bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
}

/// The first `limit` bytes of a file as they are on disk; a long file is read by several threads.
inline Bytes read_bytes(const std::string& path, int threads, std::size_t limit = everything) {
  std::error_code ignored;
  std::ifstream stream = open_to_read(path);
  if (!std::filesystem::is_regular_file(path, ignored)) {
    Bytes bytes;
    read_up_to(stream, bytes, limit);
    return bytes;
  }
  const std::uintmax_t on_disk = std::filesystem::file_size(path, ignored);
  if (ignored) throw_unreadable(path);
  Bytes bytes(static_cast<std::size_t>(std::min<std::uintmax_t>(on_disk, limit)));
  char* const data = bytes.data();
  for_each_range(threads, bytes.size(), std::size_t{1} << 23, [&](auto begin, auto end) {
    std::ifstream part(path, std::ios::binary);
    part.seekg(static_cast<std::streamoff>(begin));
    part.read(data + begin, static_cast<std::streamsize>(end - begin));
    if (!part) throw_unreadable(path);
  });
  return bytes;
}

/// Line number of an offset, counted from 1 as in editors.
inline std::int64_t line_at(std::string_view text, std::size_t offset) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

/// A piece of a damaged file for a message: one line of printable characters, not too long.
inline std::string printable(std::string_view piece) {
  constexpr std::size_t longest = 40;
  std::string shown(piece.substr(0, longest));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return piece.size() > longest ? shown + "..." : shown;
}

}  // namespace heddle::files
