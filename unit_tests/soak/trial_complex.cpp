// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_complex() {
  std::vector<Trial> trials;
  add_trials<ComplexFloatType>(trials, "complex<float>, 64-bit offsets");
  add_trials<ComplexDoubleType>(trials, "complex<double>, 64-bit indices");
  return trials;
}

}  // namespace heddle::test
