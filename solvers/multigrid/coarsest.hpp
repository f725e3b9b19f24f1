// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/real_part.hpp"
#include "symmetry.hpp"

/// The coarsest level: its inverse, dense, applied as one product.
namespace heddle::detail::multigrid {

/// Entries of rows of a matrix, by a thread a row, added up where they repeat; the rest is zero.
template <class Matrix>
struct MakeDense {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* dense;
  S* diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t n = A.rows();
    S* const to = dense + row * n;
    for (std::int64_t j = 0; j < n; ++j) to[j] = S(0);
    for (auto k = A.row_ptr().data()[row]; k < A.row_ptr().data()[row + 1]; ++k) {
      to[A.col_idx().data()[k]] += A.values().data()[k];
    }
    diagonal[row] = to[row];
  }
};

/// Pivots that are eliminated at a time.
inline constexpr int pivots_at_once = 8;

/// What a team of EliminatePivots shares: the block of pivots, from one array to another.
template <Scalar S>
struct PivotBlock {
  static constexpr int entries = pivots_at_once * pivots_at_once;
  alignas(16) unsigned char bytes[2][sizeof(S) * entries];
  KOKKOS_FORCEINLINE_FUNCTION S* array(int which) { return reinterpret_cast<S*>(bytes[which % 2]); }
};

/// The next pivots of Gauss and Jordan's inversion, from one array to another: a subwarp a row.
/// Each team inverts the block of pivots for itself, an entry a thread. A pivot that rounding alone
/// is left of is a direction of the nullspace: it is shifted by the diagonal entry that was there
/// first, as if that had been added to A.
template <Scalar S>
struct EliminatePivots {
  using Scratch = PivotBlock<S>;
  using Shape = backends::Shape<32, 128>;

  const S* from;
  const S* diagonal;
  S* to;
  std::int64_t n, first;
  int count;
  double least;        ///< relative to the diagonal
  const Symmetry* of;  ///< A Hermitian A is semidefinite: a negative pivot is rounding too.

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const S* const block = inverted(team, scratch);
    constexpr int width = Team::subwarp_width, four = 4;
    const int lane = team.subwarp().lane();
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= n) return;
    const bool is_pivot = i >= first && i < first + count;
    const S* const row = from + i * n;
    S* const result = to + i * n;
    // result = row - factors times the rows of the pivots, or of one of these -factors times them.
    S factors[pivots_at_once];
    for (int p = 0; p < pivots_at_once; ++p) {
      S factor(0);
      for (int q = 0; q < count && p < count; ++q) {
        const S entry = block[q * pivots_at_once + p];
        if (is_pivot) {
          factor -= q == i - first ? entry : S(0);
        } else {
          factor += row[first + q] * entry;
        }
      }
      factors[p] = factor;
    }
    for (int p = 0; p < pivots_at_once; p += four) {
      const S* rows[four];
      for (int k = 0; k < four; ++k) rows[k] = from + (first + (p + k < count ? p + k : 0)) * n;
      for (std::int64_t j = lane; j < n; j += width) {
        S sum = p > 0 ? result[j] : is_pivot ? S(0) : row[j];
        for (int k = 0; k < four; ++k) sum -= factors[p + k] * rows[k][j];
        result[j] = sum;
      }
    }
    for (int p = 0; p < pivots_at_once; ++p) {
      if (p < count && (first + p) % width == lane) result[first + p] = -factors[p];
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION const S* inverted(const Team& team, Scratch& scratch) const {
    const auto each_entry = [&](const auto& body) {
      for (int e = team.thread(); e < Scratch::entries; e += Team::threads) {
        const int r = e / pivots_at_once, c = e % pivots_at_once;
        if (r < count && c < count) body(e, r, c);
      }
      team.barrier();
    };
    S* const block = scratch.array(0);
    each_entry([&](int e, int r, int c) { block[e] = from[(first + r) * n + first + c]; });
    for (int p = 0; p < count; ++p) {
      const S* const old = scratch.array(p);
      S* const next = scratch.array(p + 1);
      const S reciprocal = S(1) / pivot_of(old[p * pivots_at_once + p], diagonal[first + p]);
      each_entry([&](int e, int r, int c) {
        const S of_row = old[r * pivots_at_once + p] * reciprocal;
        const S of_column = old[p * pivots_at_once + c];
        next[e] = r == p ? (c == p ? reciprocal : of_column * reciprocal)
                         : (c == p ? -of_row : old[e] - of_row * of_column);
      });
    }
    return scratch.array(count);
  }
  KOKKOS_FORCEINLINE_FUNCTION S pivot_of(const S& pivot, const S& before) const {
    const bool gone = static_cast<double>(of->holds ? real_part(pivot) : Kokkos::abs(pivot)) <=
                      least * static_cast<double>(Kokkos::abs(before));
    return gone ? before : pivot;
  }
};

/// The Hermitian part, where A is Hermitian: rounding left as much besides.
template <Scalar S>
struct HermitianPart {
  const S* from;
  S* to;
  std::int64_t n;
  const Symmetry* of;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::int64_t j = 0; j < n; ++j) {
      const S mirrored = of->holds ? conjugate(from[j * n + i]) : from[i * n + j];
      to[i * n + j] = (from[i * n + j] + mirrored) * S(heddle::RealOf<S>(0.5));
    }
  }
};

/// x = B b of a dense B, by rows: a subwarp a row of all vectors.
template <Scalar S>
struct DenseProduct {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 128>;

  const S* dense;
  Multivector<const S> b;
  Multivector<S> x;
  std::int64_t n;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= n) return;
    for (int v = 0; v < b.count; ++v) {
      S sum(0);
      for (std::int64_t j = subwarp.lane(); j < n; j += Team::subwarp_width) {
        sum += dense[row * n + j] * b(j, v);
      }
      sum = subwarp.sum(sum);
      if (subwarp.lane() == 0) x(row, v) = sum;
    }
  }
};

template <ExecutionSpace Exec, class Matrix>
class Coarsest {
 public:
  using S = typename Matrix::scalar_type;

  Coarsest() = default;
  /// Allocates; values come by update_values.
  Coarsest(const Exec& exec, std::int64_t rows) : n_(rows) {
    const auto n = static_cast<std::size_t>(rows);
    arena_ = Arena<typename Exec::memory_space>(exec, "heddle::multigrid::coarsest",
                                                arena_bytes<S, S, S>(n * n, n * n, n));
    for (S*& dense : dense_) dense = arena_.template take<S>(n * n).data();
    diagonal_ = arena_.template take<S>(n).data();
  }

  /// Inverts A: a launch for eight rows. No wait, no allocation.
  void update_values(const Exec& exec, const Matrix& A, const Symmetry* of) {
    const double least = sizeof(heddle::RealOf<S>) == 4 ? 1e-4 : 1e-10;
    parallel_for(exec, "heddle::multigrid::make_dense", n_,
                 MakeDense<Matrix>{A, dense_[0], diagonal_});
    S *from = dense_[0], *to = dense_[1];
    using Kernel = EliminatePivots<S>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    for (std::int64_t first = 0; first < n_; first += pivots_at_once) {
      const auto count = static_cast<int>(std::min<std::int64_t>(pivots_at_once, n_ - first));
      backends::launch<typename Kernel::Shape>(
          exec, "heddle::multigrid::eliminate", ceil_div(n_, std::int64_t{Team::subwarps}),
          Kernel{from, diagonal_, to, n_, first, count, least, of});
      std::swap(from, to);
    }
    parallel_for(exec, "heddle::multigrid::hermitian_part", n_, HermitianPart<S>{from, to, n_, of});
    inverse_ = to;
  }

  void apply(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x) const {
    using Kernel = DenseProduct<S>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    backends::launch<typename Kernel::Shape>(exec, "heddle::multigrid::coarsest",
                                             ceil_div(n_, std::int64_t{Team::subwarps}),
                                             Kernel{inverse_, b, x, n_});
  }
  const S* inverse() const { return inverse_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  std::int64_t n_ = 0;
  Arena<typename Exec::memory_space> arena_;
  S* dense_[2] = {};
  S* diagonal_ = nullptr;
  S* inverse_ = nullptr;
};

}  // namespace heddle::detail::multigrid
