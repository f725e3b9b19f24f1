// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is tested in turn with others: TurnType.
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_turn() {
  std::vector<Trial> trials;
  add_trials<4>(trials, std::is_same_v<TurnType::Scalar, double> ? "double, 64-bit indices"
                                                                 : "complex<double>");
  return trials;
}

}  // namespace heddle::test
