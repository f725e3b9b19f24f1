// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::initialize();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heddle::ReadOptions options{.threads = 1, .max_bytes = fuzz::max_matrix_bytes};
  fuzz::expect_matrix_or_error(
      [&] { return heddle::parse_matrix_market<double>(text, "fuzz", options); });
  options.duplicates = heddle::Duplicates::add;
  options.drop_array_zeros = true;
  fuzz::expect_matrix_or_error([&] {
    using Complex = Kokkos::complex<float>;
    return heddle::parse_matrix_market<Complex, std::int64_t, std::int64_t>(text, "fuzz", options);
  });
  return 0;
}
