// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/eight_sums.hpp"
#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/real_part.hpp"
#include "level.hpp"

/// Relaxation of near-nullspace vectors: steps of the smoother on A v = 0. Counts of rows of the
/// finest level decide about it, and about strong entries (docs/design/multigrid.md says how the
/// limits were found).
///
/// Source of relaxation: M. Brezina, R. Falgout, S. MacLachlan, T. Manteuffel, S. McCormick and J.
/// Ruge, "Adaptive smoothed aggregation (alpha SA) multigrid", SIAM Review 47, 2005.
namespace heddle::detail::multigrid {

/// Sweeps that `improve_candidates = -1` takes.
inline constexpr int automatic_sweeps = 4;

/// Numbers of rows: those with entries beside the diagonal; of these, rows far from A v = 0, and
/// rows with opposed entries.
struct RowCounts {
  std::int64_t joined, far, opposed;

  /// Whether near-nullspace vectors are of no use in more than a quarter of the rows. Boundary
  /// values leave at most half of a diagonal entry, except in corners.
  bool vectors_are_far() const { return 4 * far > joined; }
  bool mostly_opposed() const { return 2 * opposed > joined; }
};

/// Bits of the mark of a row.
inline constexpr int joined_row = 1, far_row = 2, opposed_row = 4;

/// Marks rows, a subwarp a row. A row i is far from A v = 0 if |(A v)(i)| > |a(i, i)| / 2 times the
/// largest |v(i)| of the vectors. Its entries are opposed if a(i, j) v(i) v(j) is positive for some
/// j, by more than an eighth of the largest that is negative, but not more than that one: some
/// neighbours attract each other, and others repel. In a mass matrix all repel.
template <class Matrix>
struct MarkRows {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  Matrix A;
  const S* diagonal;
  NearNullspace<S> vectors;
  std::uint8_t* marks;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= std::int64_t{A.rows()}) return;
    const auto begin = static_cast<std::int64_t>(A.row_ptr().data()[i]);
    const auto end = static_cast<std::int64_t>(A.row_ptr().data()[i + 1]);
    double largest = 0, residual = 0, attraction = 0, repulsion = 0;
    bool is_finite = true, is_joined = false;
    for (int v = 0; v < vectors.vectors; ++v) {
      const S own = conjugate(vectors(i, v));
      const S sum = eight_sums<S>(subwarp, begin, end, [&](std::int64_t k) {
        const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
        const S value = A.values().data()[k], term = value * vectors(j, v);
        if (j == i) return term;
        is_joined = is_joined || value != S(0);
        const auto along = static_cast<double>(real_part(own * term));
        attraction = Kokkos::max(attraction, -along);
        repulsion = Kokkos::max(repulsion, along);
        return term;
      });
      largest = Kokkos::max(largest, static_cast<double>(Kokkos::abs(own)));
      residual = Kokkos::max(residual, static_cast<double>(Kokkos::abs(sum)));
      is_finite =
          is_finite && Kokkos::isfinite(Kokkos::abs(own)) && Kokkos::isfinite(Kokkos::abs(sum));
    }
    attraction = subwarp.max(attraction);
    repulsion = subwarp.max(repulsion);
    is_joined = subwarp.any(is_joined);
    if (subwarp.lane() != 0) return;
    const double limit = 0.5 * static_cast<double>(Kokkos::abs(diagonal[i])) * largest;
    const bool is_far = !is_finite || residual > limit;
    const bool is_opposed = 8 * repulsion > attraction && repulsion <= attraction;
    const int marked = joined_row + (is_far ? far_row : 0) + (is_opposed ? opposed_row : 0);
    marks[i] = static_cast<std::uint8_t>(is_joined ? marked : 0);
  }
};

struct CountRows {
  using value_type = RowCounts;
  const std::uint8_t* marks;

  KOKKOS_FUNCTION void init(RowCounts& counts) const { counts = {0, 0, 0}; }
  KOKKOS_FUNCTION void join(RowCounts& counts, const RowCounts& more) const {
    counts.joined += more.joined;
    counts.far += more.far;
    counts.opposed += more.opposed;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, RowCounts& counts) const {
    counts.joined += (marks[i] & joined_row) != 0;
    counts.far += (marks[i] & far_row) != 0;
    counts.opposed += (marks[i] & opposed_row) != 0;
  }
};

/// Allocates, and waits.
template <ExecutionSpace Exec, class Matrix, Scalar S>
RowCounts count_rows(const Exec& exec, const Matrix& A, const S* diagonal,
                     const NearNullspace<S>& vectors) {
  using Space = typename Exec::memory_space;
  using Kernel = MarkRows<Matrix>;
  using Team = backends::Team<Exec, typename Kernel::Shape>;
  RowCounts* found = nullptr;
  std::uint8_t* marks = nullptr;
  const Arena<Space> work(exec, "heddle::multigrid::count_rows", arena_array(found, 1),
                          arena_array(marks, A.rows()));
  backends::launch<typename Kernel::Shape>(
      exec, "heddle::multigrid::mark_rows",
      ceil_div(std::int64_t{A.rows()}, std::int64_t{Team::subwarps}),
      Kernel{A, diagonal, vectors, marks});
  Kokkos::parallel_reduce(
      "heddle::multigrid::count_rows", range_policy(exec, A.rows()), CountRows{marks},
      Kokkos::View<RowCounts, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(found));
  return ordered::copied_to_host(exec, "heddle::multigrid::count_rows", found, 1).front();
}

/// Multiplies each vector by the roots of the first diagonal entry over that of the row: a constant
/// in the units of the unknowns, if those differ.
template <Scalar S>
struct ScaleToUnits {
  const S* diagonal;
  NearNullspace<S> vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto root = [&](std::int64_t row) {
      return Kokkos::sqrt(static_cast<double>(Kokkos::abs(diagonal[row])));
    };
    vectors.data[k] *= S(static_cast<heddle::RealOf<S>>(root(0) / root(k % vectors.rows)));
  }
};

/// x -= factor D^-1 q, with q = A x.
template <Scalar S>
struct RelaxStep {
  S* x;
  const S *q, *inverse;
  SmoothingStep step;
  const SpectrumNumbers* numbers;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x[i] -= S(static_cast<heddle::RealOf<S>>(step.of(*numbers))) * inverse[i] * q[i];
  }
};

/// Relaxes near-nullspace vectors of a level: `sweeps` polynomials of degree 2, or as many pairs of
/// steps of l1-Jacobi. No wait, no allocation.
template <ExecutionSpace Exec, class Matrix, Scalar S>
void relax(const Exec& exec, const Level<Exec, Matrix>& level, const NearNullspace<S>& vectors,
           MultigridSmoother smoother, int sweeps) {
  constexpr int degree = 2;
  for (int v = 0; v < vectors.vectors; ++v) {
    const auto x = vectors_of(vectors.data + v * vectors.rows, vectors.rows, 1);
    const auto q = vectors_of(level.q, vectors.rows, 1);
    for (int k = 0; k < degree * sweeps; ++k) {
      level.multiply(exec, to_read(x), q);
      parallel_for(exec, "heddle::multigrid::relax", vectors.rows,
                   RelaxStep<S>{x.data, q.data, level.inverse,
                                smoothing_step(smoother, degree, k % degree), level.numbers});
    }
  }
}

/// Relaxes the near-nullspace vectors of the finest level, whose rows are counted, if they are far
/// from A v = 0 and fewer than half as many rows are so afterwards; `scale`: constants, which are
/// first brought to the units of the rows. Else they keep their bits. Returns whether it relaxed,
/// and counts the rows again. Allocates, and waits.
template <ExecutionSpace Exec, class Matrix, Scalar S>
bool relax_if_far(const Exec& exec, const Level<Exec, Matrix>& level, const S* diagonal, bool scale,
                  MultigridSmoother smoother, RowCounts& counts) {
  if (!counts.vectors_are_far()) return false;
  const std::int64_t size = level.vectors.rows * level.vectors.vectors;
  NearNullspace<S> trial = level.vectors;
  const Arena<typename Exec::memory_space> work(exec, "heddle::multigrid::relaxed",
                                                arena_array(trial.data, size));
  copy(exec, "heddle::multigrid::relaxed", trial.data, size, level.vectors.data);
  if (scale) {
    parallel_for(exec, "heddle::multigrid::scale_to_units", size, ScaleToUnits<S>{diagonal, trial});
  }
  relax(exec, level, trial, smoother, automatic_sweeps);
  const RowCounts relaxed = count_rows(exec, level.A, diagonal, trial);
  if (2 * relaxed.far >= counts.far) return false;
  counts = relaxed;
  copy(exec, "heddle::multigrid::relaxed", level.vectors.data, size, trial.data);
  exec.fence("heddle::multigrid::relaxed");
  return true;
}

}  // namespace heddle::detail::multigrid
