// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <heddle/config.hpp>
#include <heddle/core/files/text.hpp>
#include <vector>

#if HEDDLE_HAVE_ZLIB
#include <zlib.h>
#endif
#if HEDDLE_HAVE_LZMA
#include <lzma.h>
#endif

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

/// Drives a decoder over `in`. step(at, left, out, room) consumes and produces by changing its
/// arguments, throws on damage, and returns false when all is done.
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

/// `prefix` says that `in` is only the start of a file, which may end anywhere.
inline Bytes unpack_gzip([[maybe_unused]] std::string_view in, const std::string& name,
                         [[maybe_unused]] std::size_t limit, [[maybe_unused]] bool prefix) {
#if HEDDLE_HAVE_ZLIB
  struct Stream : z_stream {
    Stream() : z_stream{} {
      constexpr int gzip_window = 15 + 16;
      if (inflateInit2(this, gzip_window) != Z_OK) throw std::bad_alloc();
    }
    ~Stream() { inflateEnd(this); }
  } stream;
  return unpack_with(in, limit, [&](const char*& at, std::size_t& left, char*& to, auto& room) {
    constexpr std::size_t most = std::size_t{1} << 30;
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
      if (inflateReset(&stream) != Z_OK) throw_damaged("gzip", "it cannot be restarted", name);
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
#else
  throw_without("zlib", "zlib1g-dev", "unpack the file first with gunzip", name);
#endif
}

inline Bytes unpack_xz([[maybe_unused]] std::string_view in, const std::string& name,
                       [[maybe_unused]] std::size_t limit, [[maybe_unused]] bool prefix) {
#if HEDDLE_HAVE_LZMA
  constexpr std::uint64_t decoder_memory_bytes = std::uint64_t{1} << 30;
  struct Stream {
    lzma_stream lzma = LZMA_STREAM_INIT;
    Stream() {
      if (lzma_stream_decoder(&lzma, decoder_memory_bytes, LZMA_CONCATENATED) != LZMA_OK) {
        throw std::bad_alloc();
      }
    }
    ~Stream() { lzma_end(&lzma); }
  } stream;
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
      throw_damaged("xz", "it asks for more than 1 GiB to be unpacked", name);
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
#else
  throw_without("liblzma", "liblzma-dev", "unpack the file first with unxz", name);
#endif
}

inline Bytes unpack(Bytes raw, const std::string& name, std::size_t limit = everything,
                    bool prefix = false) {
  switch (compression_of(raw.view())) {
    case Compression::none: return raw;
    case Compression::gzip: return unpack_gzip(raw.view(), name, limit, prefix);
    case Compression::xz: return unpack_xz(raw.view(), name, limit, prefix);
    case Compression::bzip2:
      throw Error("the file is compressed with bzip2", Where{.file = name},
                  "unpack it first with bunzip2");
    case Compression::zstd:
      throw Error("the file is compressed with Zstandard", Where{.file = name},
                  "unpack it first with unzstd");
  }
  return raw;
}

/// The content of a file, unpacked where it is compressed.
inline Bytes load(const std::string& path, int threads) {
  return unpack(read_bytes(path, threads), path);
}

/// One gzip member or xz stream that holds `in`; such pieces, joined, are one file.
inline std::string pack([[maybe_unused]] std::string in, Compression compression,
                        const std::string& name) {
  if (compression == Compression::gzip) {
#if HEDDLE_HAVE_ZLIB
    z_stream stream{};
    constexpr int gzip_window = 15 + 16, memory_level = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
    std::string out(deflateBound(&stream, static_cast<uLong>(in.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) throw Error("zlib cannot compress", Where{.file = name}, "");
    return out;
#else
    throw_without("zlib", "zlib1g-dev", "write to a name that does not end in .gz", name);
#endif
  }
  if (compression == Compression::xz) {
#if HEDDLE_HAVE_LZMA
    std::string out(lzma_stream_buffer_bound(in.size()), '\0');
    std::size_t used = 0;
    const lzma_ret status =
        lzma_easy_buffer_encode(LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64, nullptr,
                                reinterpret_cast<const std::uint8_t*>(in.data()), in.size(),
                                reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status != LZMA_OK) throw Error("liblzma cannot compress", Where{.file = name}, "");
    out.resize(used);
    return out;
#else
    throw_without("liblzma", "liblzma-dev", "write to a name that does not end in .xz", name);
#endif
  }
  return in;
}

/// Writes `count` pieces, made by make(i), in their order, compressed as the name asks. Pieces are
/// made and compressed by `threads` threads, a few at a time; what was written is removed when
/// anything fails.
template <class Make>
void write_pieces(const std::string& path, int threads, std::size_t count, const Make& make) {
  const Compression compression = compression_by_name(path);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  try {
    if (!stream) throw std::ios_base::failure("open");
    const std::size_t batch = static_cast<std::size_t>(threads) * 2;
    std::vector<std::string> pieces(std::min(batch, count));
    for (std::size_t first = 0; first < count && stream; first += batch) {
      const std::size_t here = std::min(batch, count - first);
      for_each_index(threads, here,
                     [&](std::size_t i) { pieces[i] = pack(make(first + i), compression, path); });
      for (std::size_t i = 0; i < here; ++i) {
        stream.write(pieces[i].data(), static_cast<std::streamsize>(pieces[i].size()));
      }
    }
    stream.close();
    if (!stream) throw std::ios_base::failure("write");
  } catch (const std::ios_base::failure&) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    throw Error("the file cannot be written", Where{.file = path},
                "check that its folder exists, may be written, and has room");
  } catch (...) {
    stream.close();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    throw;
  }
}

}  // namespace heddle::files
