// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_complex() {
  std::vector<Trial> trials;
  add_trials<1>(trials, "complex<float>, 64-bit offsets");
  return trials;
}

}  // namespace heddle::test
