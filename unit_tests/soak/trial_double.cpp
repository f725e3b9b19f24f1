// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doubles with offsets of 32 and 64 bits, whose products Heddle::compiled holds; on an emulated
// device of 32 alone.
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_double() {
  using E = DefaultDevice;
  std::vector<Trial> trials;
  add_trials<E, double, Indices32>(trials, "double");
  if constexpr (!emulated) add_trials<E, double, Offsets64>(trials, "double, 64-bit offsets");
  return trials;
}

}  // namespace heddle::test
