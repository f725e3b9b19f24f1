// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_double() {
  std::vector<Trial> trials;
  add_trials<DoubleType>(trials, "double");
  return trials;
}

}  // namespace heddle::test
