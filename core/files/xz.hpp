// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compression.hpp"

#if HEDDLE_HAVE_LZMA
#include <lzma.h>
#endif

// Two names, so that sources compiled with and without liblzma can be linked into one program.
namespace heddle::files {

/// Bytes that the decoder may take for itself. Files of xz -9 need 65 MiB; the window that a file
/// asks for may be far larger than its content.
constexpr std::uint64_t xz_decoder_bytes(std::size_t limit) {
  constexpr std::uint64_t least = std::uint64_t{128} << 20, most = std::uint64_t{1} << 30;
  return std::clamp(std::uint64_t{limit}, least, most);
}

#if HEDDLE_HAVE_LZMA
inline namespace with_lzma {

/// `prefix` says that `in` is only the start of a file, which may end anywhere.
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
      throw Error("unpacking asks for " + std::to_string(lzma_memusage(&stream.lzma)) +
                      " bytes beside the content, more than " + std::to_string(decoder_bytes),
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

/// One xz stream that holds `in`. A liblzma may have been built without some of the checksums.
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
