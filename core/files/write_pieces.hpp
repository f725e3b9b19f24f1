// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "gzip.hpp"
#include "output_file.hpp"
#include "threads.hpp"
#include "xz.hpp"

namespace heddle::files {

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
