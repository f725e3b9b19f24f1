// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_wide_indices() {
  std::vector<Trial> trials;
  add_trials<Kokkos::DefaultExecutionSpace, double, Indices<std::int64_t, std::int64_t>>(
      trials, "double, 64-bit indices");
  return trials;
}

}  // namespace heddle::test
