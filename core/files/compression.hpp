// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HEDDLE_HAVE_ZLIB and HEDDLE_HAVE_LZMA say which libraries are available. CMake's targets and the
// public headers define them; with only a -I of the source tree, neither library is used.
#pragma once

#include <cassert>
#include <string>
#include <string_view>

#include "text.hpp"
#if HEDDLE_HAVE_ZLIB
#include <zlib.h>
#endif
#if HEDDLE_HAVE_LZMA
#include <lzma.h>
#endif

namespace heddle::files {

enum class Compression { none, gzip, xz, bzip2, zstd };

/// Recognizes a compression by the first bytes of a file, whatever its name.
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

/// Runs a decoder over `in` until it has produced `limit` bytes. step(at, left, out, room) advances
/// its arguments as it consumes and produces, throws if the data is damaged, and returns false at
/// the end.
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

// Two names, so that sources compiled with and without zlib can be linked into one program.

#if HEDDLE_HAVE_ZLIB
inline namespace with_zlib {

/// Most bytes of one call: zlib counts bytes in 32 bits.
inline constexpr std::size_t zlib_most_bytes = std::size_t{1} << 30;
inline constexpr int zlib_gzip_window = 15 + 16;

/// `prefix`: `in` is only the start of a file, which may end anywhere.
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

/// One gzip member with the content `in`.
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

// Two names, so that sources compiled with and without liblzma can be linked into one program.

/// Bytes of workspace that the decoder may allocate. Files of xz -9 need 65 MiB; the window that a
/// file asks for may be far larger than its content.
constexpr std::uint64_t xz_decoder_bytes(std::size_t limit) {
  constexpr std::uint64_t least = std::uint64_t{128} << 20, most = std::uint64_t{1} << 30;
  return std::clamp(std::uint64_t{limit}, least, most);
}

#if HEDDLE_HAVE_LZMA
inline namespace with_lzma {

/// `prefix`: `in` is only the start of a file, which may end anywhere.
inline Bytes unpack_xz(std::string_view in, const std::string& name, std::size_t limit,
                       bool prefix) {
  const std::uint64_t decoder_bytes = xz_decoder_bytes(limit);
  struct Stream {
    lzma_stream lzma = LZMA_STREAM_INIT;
    explicit Stream(std::uint64_t bytes) {
      if (lzma_stream_decoder(&lzma, bytes, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
    }
    ~Stream() { lzma_end(&lzma); }
  } stream(decoder_bytes);
  return unpack_with(in, limit, [&](const char*& at, std::size_t& left, char*& to, auto& room) {
    stream.lzma.next_in = reinterpret_cast<const std::uint8_t*>(at);
    stream.lzma.avail_in = left;
    stream.lzma.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream.lzma.avail_out = room;
    const lzma_ret status = lzma_code(&stream.lzma, prefix ? LZMA_RUN : LZMA_FINISH);
    at = reinterpret_cast<const char*>(stream.lzma.next_in);
    left = stream.lzma.avail_in;
    to = reinterpret_cast<char*>(stream.lzma.next_out);
    room = stream.lzma.avail_out;
    if (status == LZMA_STREAM_END) return false;
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_MEMLIMIT_ERROR) {
      throw Error("unpacking needs " + std::to_string(lzma_memusage(&stream.lzma)) +
                      " bytes beyond the content, more than " + std::to_string(decoder_bytes),
                  Where{.file = name}, "compress the file with a smaller window, as xz -6 does");
    }
    if (status == LZMA_BUF_ERROR) {
      if (prefix) return false;
      throw_damaged("xz", "it ends too early", name);
    }
    if (status != LZMA_OK) {
      throw_damaged("xz",
                    status == LZMA_DATA_ERROR ? "its checks fail"
                                              : "code " + std::to_string(status) + " of liblzma",
                    name);
    }
    return true;
  });
}

/// One xz stream with the content `in`. A liblzma may have been built without some checksums.
inline std::string pack_xz(std::string_view in, const std::string& name,
                           lzma_check check = LZMA_CHECK_CRC64) {
  std::string out(lzma_stream_buffer_bound(in.size()), '\0');
  std::size_t used = 0;
  const lzma_ret status = lzma_easy_buffer_encode(
      LZMA_PRESET_DEFAULT, check, nullptr, reinterpret_cast<const std::uint8_t*>(in.data()),
      in.size(), reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
  if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
  if (status != LZMA_OK) {
    throw Error("liblzma cannot compress (its status is " + std::to_string(status) + ")",
                Where{.file = name}, "write to a name that does not end in .xz");
  }
  out.resize(used);
  return out;
}

}  // namespace with_lzma
#else
inline namespace without_lzma {

inline Bytes unpack_xz(std::string_view, const std::string& name, std::size_t, bool) {
  throw_without("liblzma", "liblzma-dev", "unpack the file first with unxz", name);
}

inline std::string pack_xz(std::string_view, const std::string& name) {
  throw_without("liblzma", "liblzma-dev", "write to a name that does not end in .xz", name);
}

}  // namespace without_lzma
#endif

}  // namespace heddle::files
