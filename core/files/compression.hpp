// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "text.hpp"

// HEDDLE_HAVE_ZLIB and HEDDLE_HAVE_LZMA say which libraries there are: the targets of CMake define
// them, and the public headers. Without either, as with a bare -I of the source tree, none is used.

namespace heddle::files {

enum class Compression { none, gzip, xz, bzip2, zstd };

/// By the first bytes of a file, whatever it is called.
inline Compression compression_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x1f\x8b"sv)) return Compression::gzip;
  if (bytes.starts_with("\xfd"
                        "7zXZ\0"sv))
    return Compression::xz;
  if (bytes.starts_with("BZh"sv)) return Compression::bzip2;
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::zstd;
  return Compression::none;
}

inline Compression compression_by_name(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::gzip;
  if (path.ends_with(".xz")) return Compression::xz;
  return Compression::none;
}

[[noreturn]] inline void throw_without(const std::string& library, const std::string& package,
                                       const std::string& otherwise, const std::string& name) {
  throw Error("this Heddle was built without " + library, Where{.file = name},
              "install it (Debian: " + package + ") and configure again, or " + otherwise);
}

[[noreturn]] inline void throw_damaged(const std::string& kind, const std::string& why,
                                       const std::string& name) {
  throw Error("the " + kind + " data is damaged: " + why, Where{.file = name},
              "fetch or compress the file again");
}

/// Drives a decoder over `in`, for at most `limit` bytes of content. step(at, left, out, room)
/// consumes and produces by changing its arguments, throws on damage, and returns false when all is
/// done.
template <class Step>
Bytes unpack_with(std::string_view in, std::size_t limit, Step&& step) {
  Bytes out;
  std::size_t produced = 0;
  const char* at = in.data();
  std::size_t left = in.size();
  bool more = true;
  while (more && produced < limit) {
    if (produced == out.size()) {
      const std::size_t next = std::max(out.size() * 2, std::max(in.size() * 4, std::size_t{4096}));
      out.resize(std::min(next, limit));
    }
    char* to = out.data() + produced;
    std::size_t room = out.size() - produced;
    more = step(at, left, to, room);
    produced = out.size() - room;
  }
  out.resize(produced);
  return out;
}

}  // namespace heddle::files
