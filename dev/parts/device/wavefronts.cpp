// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an inspection of a loop launches, and a loop that runs by levels.
#include <heddle/wavefronts.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

/// Iteration i reads what a list says.
struct ListReads {
  const int* from;
  const int* read;

  template <class Visit>
  KOKKOS_FUNCTION void operator()(int i, const Visit& visit) const {
    for (int k = from[i]; k < from[i + 1]; ++k) visit(read[k]);
  }
};

void sweep(const Gpu& exec, int n, const ListReads& reads, double* x) {
  for (const ReadsAhead ahead : {ReadsAhead::error, ReadsAhead::old_value}) {
    const Wavefronts waves(exec, n, reads, {.ahead = ahead});
    waves.for_each(exec, KOKKOS_LAMBDA(int i) { reads(i, [&](int j) { x[i] += x[j]; }); });
  }
}

}  // namespace heddle
