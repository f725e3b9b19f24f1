// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::initialize();
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  heddle::ReadOptions options{.threads = 1, .max_bytes = fuzz::max_matrix_bytes};
  fuzz::expect_matrix_or_error(
      [&] { return heddle::parse_petsc<double>(content, "fuzz", options); });
  options.duplicates = heddle::Duplicates::add;
  fuzz::expect_matrix_or_error([&] {
    using Complex = Kokkos::complex<float>;
    return heddle::parse_petsc<Complex, std::int64_t, std::int64_t>(content, "fuzz", options);
  });
  options.petsc_scalar = heddle::PetscScalar::float32;
  fuzz::expect_matrix_or_error(
      [&] { return heddle::parse_petsc<float>(content, "fuzz", options); });
  options.petsc_scalar = heddle::PetscScalar::complex64;
  fuzz::expect_matrix_or_error(
      [&] { return heddle::parse_petsc<Kokkos::complex<double>>(content, "fuzz", options); });
  return 0;
}
