// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of floats: three kinds of vectors and sums in one source, since they share inspectors.
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_float() {
  std::vector<Trial> trials;
  add_trials<FloatType>(trials, "float");
  add_trials<FloatType, double>(trials, "float in vectors of double");
  add_trials<FloatType, float, double>(trials, "float summed in double");
  return trials;
}

}  // namespace heddle::test
