// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doubles with offsets of 32 and 64 bits, whose products Heddle::compiled holds.
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_double() {
  using E = Kokkos::DefaultExecutionSpace;
  std::vector<Trial> trials;
  add_trials<E, double, Indices32>(trials, "double");
  add_trials<E, double, Offsets64>(trials, "double, 64-bit offsets");
  return trials;
}

}  // namespace heddle::test
