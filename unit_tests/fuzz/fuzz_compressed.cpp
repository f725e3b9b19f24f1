// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::initialize();
  auto unpacked = [&] {
    heddle::files::Bytes raw(size);
    if (size > 0) std::memcpy(raw.data(), data, size);
    // A few bytes can unpack to gigabytes, which is refused.
    return heddle::files::unpack(std::move(raw), "fuzz", {.max_bytes = std::uint64_t{1} << 20});
  };
  fuzz::expect_matrix_or_error([&] {
    return heddle::parse_matrix<double>(unpacked().view(), "fuzz",
                                        {.threads = 1, .max_bytes = fuzz::max_matrix_bytes});
  });
  return 0;
}
