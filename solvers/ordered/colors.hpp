// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/transpose.hpp"
#include "../../backends/atomics.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/hash.hpp"
#include "schedule.hpp"

namespace heddle::detail::ordered {

/// The pattern of A + A', row by row: an entry of both is visited twice.
template <Ordinal O, Offset Off>
struct BothWays {
  const Off* row_ptr;
  const O* col_idx;
  const Off* transposed_row_ptr;
  const O* transposed_col_idx;

  /// Calls visit(j) for the neighbours j of i, without i itself, while it returns true; returns
  /// whether it always did.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION bool all_of(O i, const Visit& visit) const {
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (col_idx[k] != i && !visit(col_idx[k])) return false;
    }
    for (Off k = transposed_row_ptr[i]; k < transposed_row_ptr[i + 1]; ++k) {
      if (transposed_col_idx[k] != i && !visit(transposed_col_idx[k])) return false;
    }
    return true;
  }
};

/// Whether row i is colored before row j: by a hash of the numbers, which spreads the first rows
/// over the matrix.
template <Ordinal O>
KOKKOS_FORCEINLINE_FUNCTION bool colored_before(O i, O j) {
  const std::uint64_t one = hash_of(static_cast<std::uint64_t>(i));
  const std::uint64_t other = hash_of(static_cast<std::uint64_t>(j));
  return one != other ? one > other : i < j;
}

/// One round: colors the rows whose earlier neighbours are colored, each with the first color that
/// none of these has. -1: no color yet. The sum is the number of rows that are left.
template <Ordinal O, Offset Off>
struct ColorRound {
  BothWays<O, Off> graph;
  int* color;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& left) const {
    const auto i = static_cast<O>(row);
    if (backends::atomic_load(color + i) >= 0) return;
    // A neighbour after this row has no color before this row has.
    const bool ready = graph.all_of(
        i, [&](O j) { return !colored_before(j, i) || backends::atomic_load(color + j) >= 0; });
    if (!ready) {
      ++left;
      return;
    }
    for (int base = 0;; base += 64) {
      std::uint64_t taken = 0;
      graph.all_of(i, [&](O j) {
        const int other = backends::atomic_load(color + j) - base;
        if (other >= 0 && other < 64) taken |= std::uint64_t{1} << other;
        return true;
      });
      if (~taken == 0) continue;
      int first = 0;
      while ((taken >> first) & 1u) ++first;
      backends::atomic_store(color + i, base + first);
      return;
    }
  }
};

/// A coloring of the rows of a square pattern: no two rows that an entry of A or A' joins have the
/// same color.
///
/// It is equal on every run and every device: a row gets the first color that is free once all
/// neighbours that are before it, by a hash of their numbers, have theirs. Source: M. T. Jones, P.
/// E. Plassmann, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14, 1993, with hashes
/// for random numbers.
template <ExecutionSpace Exec, Ordinal O>
class Colors {
 public:
  using Space = typename Exec::memory_space;

  /// One launch for each round, of which there are some tens; allocates, among others a transpose
  /// of the pattern while it runs, and waits.
  template <Offset Off>
  Colors(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
    const auto n = static_cast<std::size_t>(A.rows());
    Arena<Space> memory(exec, "heddle::ordered::colors", arena_bytes<int>(n));
    const auto color = memory.template take<int>(n);
    fill(exec, "heddle::ordered::no_colors", color.data(), A.rows(), -1);
    {
      const TransposedPattern<Exec, O, Off> transposed(exec, A);
      const auto other = transposed.pattern();
      const ColorRound<O, Off> round{
          {A.row_ptr().data(), A.col_idx().data(), other.row_ptr().data(), other.col_idx().data()},
          color.data()};
      for (std::int64_t left = A.rows(); left > 0;) {
        Kokkos::parallel_reduce("heddle::ordered::color", range_policy(exec, A.rows()), round,
                                left);
      }
    }
    int highest = -1;
    Kokkos::parallel_reduce("heddle::ordered::highest_color", range_policy(exec, A.rows()),
                            HighestLevel{color.data()}, Kokkos::Max<int>(highest));
    schedule_ = Schedule<Exec, O>::by_level(exec, A.rows(), SweepDirection::forward, color.data(),
                                            A.rows() > 0 ? highest + 1 : 0);
    rank_memory_ = Arena<Space>(exec, "heddle::ordered::rank", arena_array(rank_, n));
    Kokkos::parallel_for("heddle::ordered::rank", range_policy(exec, A.rows()),
                         PlaceOfIterations<O>{schedule_.order().iterations, rank_.data()});
  }

  int count() const { return schedule_.levels(); }
  /// The rows color by color, ascending within a color.
  const Schedule<Exec, O>& schedule() const { return schedule_; }
  /// The place of each row.
  const O* rank() const { return rank_.data(); }
  std::size_t bytes() const { return schedule_.bytes() + rank_memory_.bytes(); }

 private:
  Schedule<Exec, O> schedule_;
  Arena<Space> rank_memory_;
  typename Arena<Space>::template Array<O> rank_;
};

}  // namespace heddle::detail::ordered
