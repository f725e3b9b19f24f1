// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// Takes the imaginary parts from the diagonal, which a Hermitian matrix has none on: a subwarp a
/// block.
template <class View>
struct RealDiagonalKernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;

  View A;
  std::int64_t blocks;
  S* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t block = team.index() * Team::subwarps + team.subwarp_index();
    if (block >= blocks || !A.on_diagonal(block)) return;
    const auto end = static_cast<std::int64_t>(A.list_ptr[block + 1]);
    for (auto k = static_cast<std::int64_t>(A.list_ptr[block]) + team.subwarp().lane(); k < end;
         k += Team::subwarp_width) {
      if (A.local_row[k] == A.local_column[k]) values[k] = S(values[k].real());
    }
  }
};

/// `values` are those of A. One launch, no wait; none of real numbers.
template <ExecutionSpace Exec, class View>
void make_diagonal_real(const Exec& exec, const View& A, std::int64_t blocks,
                        typename View::scalar_type* values) {
  if constexpr (is_complex<typename View::scalar_type>) {
    constexpr int width = backends::has_lanes<Exec> ? 32 : 1, threads = 128;
    constexpr int subwarps = backends::has_lanes<Exec> ? threads / width : 1;
    backends::launch<backends::Shape<width, threads>>(exec, "heddle::spmv::csb_real_diagonal",
                                                      ceil_div<std::int64_t>(blocks, subwarps),
                                                      RealDiagonalKernel<View>{A, blocks, values});
  }
}

}  // namespace heddle::detail::csb
