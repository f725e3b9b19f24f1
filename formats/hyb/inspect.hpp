// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/atomics.hpp"
#include "../../backends/cpu_traits.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../common/owned_executor.hpp"
#include "../common/slots/storage.hpp"
#include "format.hpp"
#include "rest.hpp"

namespace heddle::detail::hyb {

/// Counts rows by length, those of more than Longest entries together: a team for each run of rows,
/// which counts in scratch first.
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

/// For each j up to most_width: the number of rows of A with more than j entries. Two launches and
/// one readback, which waits for `exec`.
template <ExecutionSpace Exec, class Matrix>
std::vector<std::int64_t> rows_longer_than(const Exec& exec, const Matrix& A) {
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  constexpr int longest = most_width, threads = 256;
  constexpr std::size_t bins = longest + 2;
  Arena<Space> arena(exec, "heddle::spmv::hyb_lengths", arena_bytes<std::int64_t>(bins));
  const auto counts = arena.template take<std::int64_t>(bins);
  fill(exec, "heddle::spmv::hyb_clear", counts.data(), static_cast<std::int64_t>(bins), 0);
  // A team on a GPU has enough rows to outweigh clearing its scratch; on a CPU an equal share.
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
  // Sums from the end turn the numbers of rows of each length into those of longer rows.
  for (std::size_t j = bins - 1; j-- > 0;) longer[j] += longer[j + 1];
  longer.erase(longer.begin());
  return longer;
}

/// The position in CSR of entry k of the rest, an entry of the place-th long row: it follows the
/// entries that have slots.
template <Ordinal O, Offset Off>
struct FromPlace {
  const Off* row_ptr;
  const O* row_number;
  const Off* rest_ptr;
  Off width;

  KOKKOS_FORCEINLINE_FUNCTION Off operator()(Off k, O place) const {
    return row_ptr[row_number[place]] + width + (k - rest_ptr[place]);
  }
};

/// The arrays of a HYB matrix: the first entries of each row in ELL, and the rest of long rows in
/// COO, whose rows are the places of the long rows.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;
  using Rest = rest::Storage<Exec, S, O, Off, Acc, slots::tuning.most_vectors>;

  /// Entries keep their order. Three allocations, seven launches in the order of `exec`, no wait.
  Storage(const Exec& exec, const Matrix& A, const Widths& widths, const Device& device)
      : width_(static_cast<Off>(widths.width)),
        slots_(exec, A, widths.width),
        rest_(exec, A, {widths.long_rows, widths.rest},
              EntriesBeyond<Off>{A.row_ptr().data(), width_}, device) {
    fill_rest<true>(exec, A);
  }

  /// Writes new values of the same pattern: two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const {
    slots_.update_values(exec, A);
    fill_rest<false>(exec, A);
  }

  slots::View<S, O> slots() const { return slots_.view(); }
  const Rest& rest() const { return rest_; }

  std::size_t bytes() const { return slots_.bytes() + rest_.bytes(); }
  double read_bytes() const { return slots_.read_bytes() + rest_.moved_bytes(); }
  double carried_bytes() const { return rest_.moved_bytes_per_vector(); }

 private:
  template <bool Columns>
  void fill_rest(const Exec& exec, const Matrix& A) const {
    rest_.template fill<Columns>(
        exec, A,
        FromPlace<O, Off>{A.row_ptr().data(), rest_.row_number(), rest_.rest_ptr(), width_});
  }

  Off width_;
  slots::Storage<Exec, S, O, Off> slots_;
  Rest rest_;
};

/// Runs the scheme hyb: owns a copy of the matrix, in two parts.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, slots::tuning.most_vectors>;

  /// All parameters of `resolved` are set.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, backends::Simd how,
       const Widths& widths)
      : scheme(resolved), simd(how), storage(in.exec, in.A, widths, in.device) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    constexpr int vector_lanes = Vectors < 4 ? Vectors : 4;
    using Rows = slots::SlotRows<Exec, slots::View<S, O>, Product<V, Acc>, Vectors>;
    const auto collected = storage.rest().collected();
    const slots::RowKernel<Rows, std::remove_const_t<decltype(collected)>> slots{
        Rows{storage.slots(), product}, collected};
    rest::launch<vector_lanes, Vectors / vector_lanes>(exec, storage.rest(), product, slots,
                                                       Rows::rows_per_lane, simd);
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  Storage<Exec, S, O, Off, Acc> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::hyb

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> HybFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using Executor = detail::hyb::Executor<Exec, Matrix, V, Acc>;
  auto parameters = parameters_of<detail::hyb::Parameters>(scheme, in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  const auto nonzeros = static_cast<std::int64_t>(in.A.nonzeros());
  const auto longer = detail::hyb::rows_longer_than(in.exec, in.A);
  const auto widths = parameters.width
                          ? detail::hyb::split_at(*parameters.width, longer, nonzeros)
                          : detail::hyb::cheapest_split(longer, in.A.rows(), nonzeros,
                                                        detail::hyb::bytes_of(in, in.device));
  parameters.width = widths.width;
  return std::make_unique<Executor>(in, scheme_with(scheme, parameters, in.device),
                                    *parameters.simd, widths);
}

template <>
inline constexpr bool detail::is_defined<HybFormat> = true;

}  // namespace heddle
