// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of floats: three kinds of vectors and sums in one source, since they share inspectors.
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_float() {
  using E = Kokkos::DefaultExecutionSpace;
  std::vector<Trial> trials;
  add_trials<E, float, Indices32>(trials, "float");
  add_trials<E, float, Indices32, double>(trials, "float in vectors of double");
  add_trials<E, float, Indices32, float, double>(trials, "float summed in double");
  return trials;
}

}  // namespace heddle::test
