// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include "../support/files.hpp"

using files_test::dense;
using files_test::error_of;
using files_test::TemporaryFile;
using heddle::files::Compression;
using heddle::files::pack;

namespace {

const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n";

/// `text` as gzip -9n makes it.
constexpr unsigned char gzip_bytes[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x53, 0x55, 0xf5, 0x4d, 0x2c, 0x29,
    0xca, 0xac, 0xf0, 0x4d, 0x2c, 0xca, 0x4e, 0x2d, 0x51, 0xc8, 0x05, 0x73, 0x14, 0x92, 0xf3, 0xf3,
    0x8b, 0x52, 0x32, 0xf3, 0x12, 0x4b, 0x52, 0x15, 0x8a, 0x52, 0x13, 0x73, 0x14, 0xd2, 0x53, 0xf3,
    0x52, 0x8b, 0x12, 0x73, 0xb8, 0x8c, 0x14, 0x80, 0x90, 0xcb, 0x50, 0x01, 0x08, 0xf5, 0x4c, 0xc1,
    0x3c, 0x5d, 0x63, 0x2e, 0x00, 0x6d, 0x80, 0xe1, 0x53, 0x43, 0x00, 0x00, 0x00};

/// `text` as xz -6 makes it.
constexpr unsigned char xz_bytes[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
    0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x00, 0x42, 0x00, 0x3d, 0x5d, 0x00, 0x12,
    0xe1, 0x30, 0xc2, 0x74, 0x38, 0x61, 0xde, 0x3a, 0x4b, 0x4f, 0x5f, 0x43, 0xe3, 0xfb, 0x8b, 0xa8,
    0x9a, 0x11, 0xc8, 0x87, 0x49, 0xad, 0x30, 0xf2, 0x34, 0xb6, 0xb2, 0x4a, 0xbd, 0x60, 0xea, 0x3e,
    0xc8, 0xf8, 0x15, 0x1e, 0x52, 0xd0, 0xda, 0xed, 0x47, 0x38, 0xd1, 0xe7, 0x78, 0x1f, 0x51, 0x3a,
    0xa9, 0x59, 0xc7, 0x9e, 0xd1, 0x48, 0x43, 0x08, 0x39, 0x83, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x46, 0xa2, 0xd5, 0xbc, 0xbe, 0xb1, 0x28, 0x72, 0x00, 0x01, 0x59, 0x43, 0x1c, 0x43, 0x2a, 0xa4,
    0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};

template <std::size_t n>
std::string as_string(const unsigned char (&bytes)[n]) {
  return {reinterpret_cast<const char*>(bytes), n};
}

void check_read(const std::string& content) {
  // The content shows the compression, not the name.
  const TemporaryFile file(".mtx", content);
  const auto matrix = heddle::read_matrix_market(file.path());
  CHECK(dense(matrix) == std::vector<std::vector<double>>{{1.5, 0}, {0, -3}});
  CHECK(heddle::read_matrix_market_header(file.path()).rows == 2);
}

heddle::Error error_reading(const std::string& content) {
  const TemporaryFile file(".mtx", content);
  const auto error = error_of([&] { heddle::read_matrix(file.path()); });
  CHECK(error.where().file == file.path());
  CHECK(!error.remedy().empty());
  return error;
}

/// A file that is cut off, changed in any byte, or followed by other bytes is refused; if no check
/// of the format covers the byte, it may be read whole.
void check_damage(const std::string& content) {
  for (std::size_t length = 8; length < content.size(); ++length) {
    CHECK_FALSE(error_reading(content.substr(0, length)).problem().empty());
  }
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const TemporaryFile file(".mtx", damaged);
    int nonzeros = 2;
    try {
      nonzeros = heddle::read_matrix(file.path()).nonzeros();
    } catch (const heddle::Error&) {
      // The file is refused.
    }
    CHECK(nonzeros == 2);
  }
  error_reading(content + "garbage");
}

}  // namespace

TEST_CASE("what other programs compressed is read, in several streams too, and damage is refused") {
  struct Kind {
    Compression compression;
    std::string content, name;
    std::size_t changed;  ///< a byte that a checksum covers
  };
  const std::string gzip = as_string(gzip_bytes), xz = as_string(xz_bytes);
  std::vector<Kind> kinds;
  if (HEDDLE_HAVE_ZLIB) kinds.push_back({Compression::gzip, gzip, "gzip", gzip.size() - 8});
  if (HEDDLE_HAVE_LZMA) kinds.push_back({Compression::xz, xz, "xz", xz.size() / 2});
  for (const auto& [compression, content, name, changed] : kinds) {
    CAPTURE(name);
    check_read(content);
    check_read(pack(text, compression, ""));
    check_read(pack(text.substr(0, 50), compression, "") + pack(text.substr(50), compression, ""));
    if (name == "gzip") check_read(content + std::string(512, '\0'));
    check_damage(content);
    std::string damaged = content;
    damaged[changed] ^= 1;
    CHECK(error_reading(damaged).problem().find("the " + name + " data is damaged: ") == 0);
  }
}

#if HEDDLE_HAVE_ZLIB
TEST_CASE("gzip is fed and emptied in pieces where zlib's counters end") {
  // zlib counts in 32 bits; here in three.
  constexpr std::size_t most = 7;
  std::string long_text = text;
  for (int i = 0; i < 1000; ++i) long_text += std::to_string(i * i * i) + "\n";
  const std::string packed = heddle::files::pack_gzip(long_text, "", most);
  CHECK(packed.size() < long_text.size());
  for (const std::size_t unpack_most : {most, heddle::files::zlib_most_bytes}) {
    const auto back = heddle::files::unpack_gzip(packed, "", 1 << 20, false, unpack_most);
    CHECK(back.view() == long_text);
  }
  CHECK(heddle::files::pack_gzip("", "", most).size() > 0);
  static_assert(heddle::files::zlib_most_bytes <= std::numeric_limits<unsigned>::max());
}
#endif

#if HEDDLE_HAVE_LZMA
TEST_CASE("xz: a window of more bytes than may be taken is an Error, and one of no more is read") {
  // Places of the header of xz_bytes' only block, and in it of the size of the window: n means
  // 2^(n/2 + 12) bytes, 40 means 4 GiB. The header ends with a checksum.
  constexpr std::size_t block = 12, window = block + 4, checksum = block + 8;
  const auto with_window = [&](char n) {
    std::string content = as_string(xz_bytes);
    content[window] = n;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(content.data()) + block;
    std::uint32_t sum = lzma_crc32(bytes, checksum - block, 0);
    for (std::size_t i = 0; i < 4; ++i, sum >>= 8) {
      content[checksum + i] = static_cast<char>(sum & 255);
    }
    return content;
  };
  check_read(with_window(28));  // 64 MiB, as in files of xz -9
  const auto error = error_reading(with_window(40));
  CHECK(error.problem().find("unpacking needs 4") == 0);
  CHECK(error.problem().find(" bytes beyond the content, more than 1073741824") !=
        std::string::npos);
  CHECK(error.remedy().find("xz -6") != std::string::npos);
  // A lower max_bytes lowers the limit of the window.
  const TemporaryFile file(".mtx", with_window(32));
  const heddle::ReadOptions few{.max_bytes = 1000};
  CHECK_THROWS_WITH_AS(heddle::read_matrix(file.path(), few),
                       doctest::Contains("more than 134217728"), heddle::Error);
}

TEST_CASE("xz: a checksum that this liblzma has not is an Error") {
  const auto unknown = static_cast<lzma_check>(5);
  REQUIRE(!lzma_check_is_supported(unknown));
  const auto error = error_of([&] { heddle::files::pack_xz(text, "a.xz", unknown); });
  CHECK(error.problem().find("liblzma cannot compress (its status is ") == 0);
  CHECK(error.where().file == "a.xz");
}
#endif

TEST_CASE("compressions that Heddle does not read are named") {
  CHECK_THROWS_WITH_AS(heddle::files::unpack_view("plain", "a.mtx", 100, false),
                       doctest::Contains("the file is not compressed"), heddle::Error);
  CHECK(error_reading("BZh91AY&SY").problem().find("bzip2") != std::string::npos);
  CHECK(error_reading("\x28\xb5\x2f\xfd....").problem().find("Zstandard") != std::string::npos);
}

TEST_CASE("max_bytes bounds the file and what it unpacks to") {
  std::string content = text;
  const std::string line = "% " + std::string(997, 'x') + "\n";
  for (int i = 0; i < 20'000; ++i) content += line;
  const TemporaryFile plain(".mtx", content);
  const heddle::ReadOptions least{.max_bytes = content.size()};
  const heddle::ReadOptions less{.max_bytes = content.size() - 1};
  CHECK(heddle::read_matrix(plain.path(), least).nonzeros() == 2);
  const auto error = error_of([&] { heddle::read_matrix(plain.path(), less); });
  CHECK(error.problem() ==
        "the file needs more than " + std::to_string(content.size() - 1) + " bytes");
  CHECK(error.where().file == plain.path());
  for (const std::string& suffix : files_test::with_compressions("")) {
    if (suffix == "") continue;
    const std::string packed =
        pack(content, suffix == ".gz" ? Compression::gzip : Compression::xz, "");
    REQUIRE(packed.size() < 100'000);
    const TemporaryFile file(".mtx", packed);
    CHECK(heddle::read_matrix(file.path(), least).nonzeros() == 2);
    for (const std::uint64_t limit : {std::uint64_t{100'000}, less.max_bytes}) {
      const auto refused =
          error_of([&] { heddle::read_matrix(file.path(), {.max_bytes = limit}); });
      CHECK(refused.problem() ==
            "the content of the file needs more than " + std::to_string(limit) + " bytes");
      CHECK(refused.remedy() == "raise ReadOptions::max_bytes");
    }
    // Only the bytes that were requested are unpacked and allocated.
    CHECK(heddle::files::unpack_view(packed, "", 1000, false).size() == 1000);
  }
}
