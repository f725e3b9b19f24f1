// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compression.hpp"
#include "options.hpp"

namespace heddle::files {

/// Unpacks at most `limit` bytes from the compressed bytes `raw`. `prefix`: `raw` is only the start
/// of a file, which may end anywhere.
inline Bytes unpack_view(std::string_view raw, const std::string& name, std::size_t limit,
                         bool prefix) {
  switch (compression_of(raw)) {
    case Compression::gzip: return unpack_gzip(raw, name, limit, prefix);
    case Compression::xz: return unpack_xz(raw, name, limit, prefix);
    case Compression::bzip2:
      throw Error("the file is compressed with bzip2", Where{.file = name},
                  "unpack it first with bunzip2");
    case Compression::zstd:
      throw Error("the file is compressed with Zstandard", Where{.file = name},
                  "unpack it first with unzstd");
    case Compression::none: break;
  }
  throw Error("the file is not compressed", Where{.file = name}, "read it as it is");
}

/// The content of a file with the bytes `raw`, compressed or not. Throws Error if the content is
/// larger than the options allow, without allocating more than that.
inline Bytes unpack(Bytes raw, const std::string& name, const ReadOptions& options) {
  const std::uint64_t limit = byte_limit(options);
  if (compression_of(raw.view()) == Compression::none) return raw;
  Bytes content = unpack_view(raw.view(), name, limit < everything ? limit + 1 : everything, false);
  if (content.size() > limit) {
    throw error_beyond_limit("the content of the file", options, Where{.file = name});
  }
  return content;
}

/// The content of a file, unpacked if it is compressed.
inline Bytes load(const std::string& path, const ReadOptions& options) {
  const std::uint64_t limit = byte_limit(options);
  auto check = [&](std::uintmax_t bytes) {
    if (bytes > limit) throw error_beyond_limit("the file", options, Where{.file = path});
  };
  std::error_code unknown;  // a pipe has no size
  const std::uintmax_t on_disk = std::filesystem::file_size(path, unknown);
  if (!unknown) check(on_disk);
  const std::size_t most = limit < everything ? limit + 1 : everything;
  Bytes raw = read_bytes(path, thread_count(options.threads), most);
  check(raw.size());
  return unpack(std::move(raw), path, options);
}

}  // namespace heddle::files
