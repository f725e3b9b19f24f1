// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_portable() {
  std::vector<Trial> trials;
  add_trials<Portable<Kokkos::DefaultExecutionSpace>, Kokkos::complex<float>, Offsets64>(
      trials, "portable complex<float>, 64-bit offsets");
  return trials;
}

}  // namespace heddle::test
