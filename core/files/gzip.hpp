// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>

#include "compression.hpp"

#if HEDDLE_HAVE_ZLIB
#include <zlib.h>
#endif

// Two names, so that sources compiled with and without zlib can be linked into one program.
namespace heddle::files {

#if HEDDLE_HAVE_ZLIB
inline namespace with_zlib {

/// zlib counts bytes in 32 bits: it is given no more at a time.
inline constexpr std::size_t zlib_most_bytes = std::size_t{1} << 30;
inline constexpr int zlib_gzip_window = 15 + 16;

/// `prefix` says that `in` is only the start of a file, which may end anywhere.
inline Bytes unpack_gzip(std::string_view in, const std::string& name, std::size_t limit,
                         bool prefix, std::size_t most = zlib_most_bytes) {
  struct Stream : z_stream {
    Stream() : z_stream{} {
      if (inflateInit2(this, zlib_gzip_window) != Z_OK) throw std::bad_alloc();
    }
    ~Stream() { inflateEnd(this); }
  } stream;
  return unpack_with(in, limit, [&](const char*& at, std::size_t& left, char*& to, auto& room) {
    const auto given = static_cast<uInt>(std::min(left, most));
    const auto offered = static_cast<uInt>(std::min(room, most));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(at));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = offered;
    const int status = inflate(&stream, Z_NO_FLUSH);
    at += given - stream.avail_in;
    left -= given - stream.avail_in;
    to += offered - stream.avail_out;
    room -= offered - stream.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      // gzip files may be joined end to end, and padded with zeros.
      while (left > 0 && *at == '\0') ++at, --left;
      if (left == 0) return false;
      [[maybe_unused]] const int reset = inflateReset(&stream);
      assert(reset == Z_OK);
      return true;
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
      throw_damaged("gzip", stream.msg ? stream.msg : "unknown reason", name);
    }
    if (left == 0 && stream.avail_out > 0) {
      if (prefix) return false;
      throw_damaged("gzip", "it ends too early", name);
    }
    return true;
  });
}

/// One gzip member that holds `in`.
inline std::string pack_gzip(std::string_view in, const std::string&,
                             std::size_t most = zlib_most_bytes) {
  struct Stream : z_stream {
    Stream() : z_stream{} {
      constexpr int memory_level = 8;
      if (deflateInit2(this, Z_DEFAULT_COMPRESSION, Z_DEFLATED, zlib_gzip_window, memory_level,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
      }
    }
    ~Stream() { deflateEnd(this); }
  } stream;
  std::string out(deflateBound(&stream, static_cast<uLong>(in.size())), '\0');
  std::size_t used = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (used == out.size()) out.resize(out.size() * 2);
    const auto given = static_cast<uInt>(std::min(in.size(), most));
    const auto offered = static_cast<uInt>(std::min(out.size() - used, most));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = offered;
    status = deflate(&stream, given == in.size() ? Z_FINISH : Z_NO_FLUSH);
    assert(status != Z_STREAM_ERROR);
    in.remove_prefix(given - stream.avail_in);
    used += offered - stream.avail_out;
  }
  out.resize(used);
  return out;
}

}  // namespace with_zlib
#else
inline namespace without_zlib {

inline Bytes unpack_gzip(std::string_view, const std::string& name, std::size_t, bool) {
  throw_without("zlib", "zlib1g-dev", "unpack the file first with gunzip", name);
}

inline std::string pack_gzip(std::string_view, const std::string& name) {
  throw_without("zlib", "zlib1g-dev", "write to a name that does not end in .gz", name);
}

}  // namespace without_zlib
#endif

}  // namespace heddle::files
