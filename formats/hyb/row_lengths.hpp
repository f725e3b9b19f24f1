// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

/// Counts rows by length, those of more than Longest entries together: a team a run of rows, in its
/// scratch first.
template <Offset Off, int Longest>
struct CountLengths {
  struct Scratch {
    std::int32_t count[Longest + 2];
  };

  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t rows_per_team;
  std::int64_t* counts;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    for (int i = team.thread(); i < Longest + 2; i += Team::threads) scratch.count[i] = 0;
    team.barrier();
    const std::int64_t first = team.index() * rows_per_team;
    const std::int64_t stop = first + rows_per_team < rows ? first + rows_per_team : rows;
    for (std::int64_t row = first + team.thread(); row < stop; row += Team::threads) {
      const Off length = row_ptr[row + 1] - row_ptr[row];
      const int bin = length > Off(Longest) ? Longest + 1 : static_cast<int>(length);
      backends::atomic_inc(&scratch.count[bin]);
    }
    team.barrier();
    for (int i = team.thread(); i < Longest + 2; i += Team::threads) {
      if (scratch.count[i]) backends::atomic_add(counts + i, std::int64_t{scratch.count[i]});
    }
  }
};

/// Of each length j up to most_width, how many rows of A have more than j entries. Two
/// launches and one readback, which waits for `exec`.
template <ExecutionSpace Exec, class Matrix>
std::vector<std::int64_t> rows_longer_than(const Exec& exec, const Matrix& A) {
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  constexpr int longest = most_width, threads = 256;
  constexpr std::size_t bins = longest + 2;
  Arena<Space> arena(exec, "heddle::spmv::hyb_lengths", arena_bytes<std::int64_t>(bins));
  const auto counts = arena.template take<std::int64_t>(bins);
  fill(exec, "heddle::spmv::hyb_clear", counts.data(), static_cast<std::int64_t>(bins), 0);
  // A team of a GPU has rows enough to repay clearing its scratch, a thread of a CPU all it can.
  const std::int64_t rows = A.rows();
  const std::int64_t rows_per_team =
      backends::has_lanes<Exec>
          ? threads * 16
          : std::max<std::int64_t>(1,
                                   ceil_div<std::int64_t>(rows, backends::threads_at_once(exec)));
  using Kernel = CountLengths<Off, longest>;
  backends::launch<backends::Shape<1, threads>>(
      exec, "heddle::spmv::hyb_lengths", ceil_div(rows, rows_per_team),
      Kernel{A.row_ptr().data(), rows, rows_per_team, counts.data()});
  std::vector<std::int64_t> longer(bins);
  using OnHost =
      Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(kokkos_space(exec), OnHost(longer.data(), bins), counts);
  exec.fence("heddle::spmv::hyb_lengths");
  // From how many there are of each length to how many are longer.
  for (std::size_t j = bins - 1; j-- > 0;) longer[j] += longer[j + 1];
  longer.erase(longer.begin());
  return longer;
}

}  // namespace heddle::detail::hyb
