// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "../../backends/cooperative.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/real_part.hpp"
#include "../krylov/lanczos.hpp"

/// Removes the nullspace of a Hermitian semidefinite matrix from its dense inverse. Elimination
/// replaced each pivot that was zero up to rounding; the column of such a pivot in the inverse is a
/// vector of the nullspace divided by the pivot. With N an orthonormal basis of these vectors, the
/// inverse B becomes (I - N N*) B (I - N N*), the pseudo-inverse, plus the action of a smoother on
/// the nullspace, so that it stays definite.
///
/// N is orthonormal with weights, which are 1 unless diagonal entries differ by orders of
/// magnitude: then unknowns have different units, and rounding would mix them.
namespace heddle::detail::multigrid {

using spectrum::rounding_of_magnitude;
using spectrum::square_of;

/// Arrays of the kernels below, of n rows, on the device.
template <Scalar S>
struct NullspaceArrays {
  const unsigned char* is_gone;  ///< whether each pivot was replaced
  const double* magnitude;       ///< magnitude of each diagonal entry
  double* weight;
  double* shift;   ///< energy of each vector in the inner product of magnitudes
  S* coefficient;  ///< coefficients of one vector in the others
  S* vectors;      ///< the vector of pivot p begins at p * n
  std::int64_t n;
  const bool* hermitian;  ///< if false, nothing is done

  KOKKOS_FORCEINLINE_FUNCTION S* vector(std::int64_t p) const { return vectors + p * n; }
  /// body(vector, p) for each vector with p < stop.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each(std::int64_t stop, const Body& body) const {
    for (std::int64_t p = 0; *hermitian && p < stop; ++p) {
      if (is_gone[p]) body(vector(p), p);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static S number(double value) {
    return S(static_cast<heddle::RealOf<S>>(value));
  }
};

/// Finds an orthonormal basis by two passes of Gram-Schmidt for each vector: one team.
template <Scalar S>
struct FindNullspace {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 256>;

  NullspaceArrays<S> of;
  const S* inverse;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    bool any = false;
    of.each(of.n, [&](const S*, std::int64_t) { any = true; });
    if (!any) return;
    double largest = 0;
    for (std::int64_t i = 0; i < of.n; ++i) largest = Kokkos::max(largest, of.magnitude[i]);
    each_row(team, [&](std::int64_t i) { of.weight[i] = weight_of(of.magnitude[i] / largest); });
    of.each(of.n, [&](S* vector, std::int64_t p) { make(team, vector, p); });
  }

 private:
  /// A power of two within a factor of 256 of `ratio`, which is at most 1.
  KOKKOS_FORCEINLINE_FUNCTION static double weight_of(double ratio) {
    double weight = 1;
    while (ratio < 0x1p-8 && weight > 0x1p-900) {
      ratio *= 0x1p8;
      weight *= 0x1p-8;
    }
    return weight;
  }
  template <class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(const Team& team, const Body& body) const {
    for (std::int64_t i = team.thread(); i < of.n; i += Team::threads) body(i);
    team.barrier_to_publish();
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION S weighted(const Team& team, const double* weight, const S* u,
                                         const S* v) const {
    S sum(0);
    for (std::int64_t i = team.subwarp().lane(); i < of.n; i += Team::subwarp_width) {
      sum += of.number(weight[i]) * conjugate(u[i]) * v[i];
    }
    return team.subwarp().sum(sum);
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void make(const Team& team, S* vector, std::int64_t p) const {
    const bool first_lane = team.subwarp().lane() == 0;
    const S scale = S(1) / inverse[p * of.n + p];
    each_row(team, [&](std::int64_t i) { vector[i] = inverse[i * of.n + p] * scale; });
    for (int time = 0; time < 2; ++time) {
      of.each(p, [&](const S* other, std::int64_t q) {
        if (q % Team::subwarps != team.subwarp_index()) return;
        const S dot = weighted(team, of.weight, other, vector);
        if (first_lane) of.coefficient[q] = dot;
      });
      team.barrier_to_publish();
      each_row(team, [&](std::int64_t i) {
        of.each(p,
                [&](const S* other, std::int64_t q) { vector[i] -= of.coefficient[q] * other[i]; });
      });
    }
    if (team.subwarp_index() == 0) {
      const double square = real_part(weighted(team, of.weight, vector, vector));
      const double energy = real_part(weighted(team, of.magnitude, vector, vector));
      if (first_lane) {
        of.coefficient[p] = of.number(1 / Kokkos::sqrt(square));
        of.shift[p] = energy / square;
      }
    }
    team.barrier_to_publish();
    each_row(team, [&](std::int64_t i) { vector[i] *= of.coefficient[p]; });
  }
};

/// Rows of B (I - W N N*), a subwarp for each row.
template <Scalar S>
struct ProjectRows {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 128>;

  NullspaceArrays<S> of;
  S* inverse;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int width = Team::subwarp_width;
    const int lane = team.subwarp().lane();
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= of.n) return;
    S* const row = inverse + i * of.n;
    of.each(of.n, [&](const S* vector, std::int64_t) {
      S sum(0);
      for (std::int64_t j = lane; j < of.n; j += width) {
        sum += row[j] * of.number(of.weight[j]) * vector[j];
      }
      sum = team.subwarp().sum(sum);
      for (std::int64_t j = lane; j < of.n; j += width) row[j] -= sum * conjugate(vector[j]);
    });
  }
};

/// Columns of (I - N N* W) B + N / shift N*, a thread for each column.
template <Scalar S>
struct ProjectColumns {
  NullspaceArrays<S> of;
  S* inverse;

  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    of.each(of.n, [&](const S* vector, std::int64_t p) {
      S sum(0);
      for (std::int64_t i = 0; i < of.n; ++i) {
        sum += of.number(of.weight[i]) * conjugate(vector[i]) * inverse[i * of.n + j];
      }
      const S step = conjugate(vector[j]) * of.number(1 / of.shift[p]) - sum;
      for (std::int64_t i = 0; i < of.n; ++i) inverse[i * of.n + j] += vector[i] * step;
    });
  }
};

/// Removes the nullspace from `inverse`. No wait, no allocation.
template <ExecutionSpace Exec, Scalar S>
void leave_nullspace_out(const Exec& exec, const NullspaceArrays<S>& of, S* inverse) {
  using Rows = ProjectRows<S>;
  using Team = backends::Team<Exec, typename Rows::Shape>;
  backends::launch<typename FindNullspace<S>::Shape>(exec, "heddle::multigrid::find_nullspace", 1,
                                                     FindNullspace<S>{of, inverse});
  backends::launch<typename Rows::Shape>(exec, "heddle::multigrid::project_rows",
                                         ceil_div(of.n, std::int64_t{Team::subwarps}),
                                         Rows{of, inverse});
  parallel_for(exec, "heddle::multigrid::project_columns", of.n, ProjectColumns<S>{of, inverse});
}

// The coarsest level: its dense inverse, applied as one product.

/// Scatters a row into a dense matrix, which is zero, a thread a row: repeated entries add up.
template <class Matrix>
struct MakeDense {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* dense;
  const double* given;
  double* magnitude;
  unsigned char* is_gone;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    S* const to = dense + row * A.rows();
    for (auto k = A.row_ptr().data()[row]; k < A.row_ptr().data()[row + 1]; ++k) {
      to[A.col_idx().data()[k]] += A.values().data()[k];
    }
    magnitude[row] = given[row];
    is_gone[row] = 0;
  }
};

/// Rows of the largest matrix that is inverted: its inverse is dense.
inline constexpr int most_inverted_rows = 4096;

/// Number of pivots that one launch eliminates.
inline constexpr int pivots_at_once = 8;

/// A pivot is kept, has cancelled to rounding, or shows that A is indefinite.
enum class Pivot : unsigned char { kept, gone, negative };

/// The scratch of a team of EliminatePivots: the block of pivots (each step reads one array and
/// writes the other), the magnitudes of their diagonal entries, and the kind of each pivot.
template <Scalar S>
struct PivotBlock {
  static constexpr int entries = pivots_at_once * pivots_at_once;
  alignas(16) unsigned char bytes[2][sizeof(S) * entries];
  double magnitude[pivots_at_once];
  Pivot became[pivots_at_once];
  KOKKOS_FORCEINLINE_FUNCTION S* array(int which) { return reinterpret_cast<S*>(bytes[which % 2]); }
};

/// The next pivots of blocked Gauss-Jordan inversion of a Hermitian A, without row exchanges, from
/// one array to another: a subwarp a row. Nothing is done if A is not Hermitian. Each team inverts
/// the block of pivots redundantly, an entry a thread. A pivot that has cancelled to rounding, by
/// its magnitude (rounding_of_magnitude), is a direction of the nullspace: it becomes that
/// magnitude, as if this had been added to A. The magnitudes of later rows grow by what is
/// subtracted from their diagonal entries.
template <Scalar S>
struct EliminatePivots {
  using Scratch = PivotBlock<S>;
  using Shape = backends::Shape<32, 128>;

  const S* from;
  S* to;
  const double* magnitude;
  double* next_magnitude;
  unsigned char* is_gone;
  std::int64_t* negative;  ///< marks the lowest row with a negative pivot of a Hermitian A
  std::int64_t n, first;
  int count;
  const bool* hermitian;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (!*hermitian) return;
    const S* const block = inverted(team, scratch);
    constexpr int width = Team::subwarp_width, four = 4;
    const int lane = team.subwarp().lane();
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= n) return;
    const bool is_pivot = i >= first && i < first + count;
    const S* const row = from + i * n;
    S* const result = to + i * n;
    // result = row - factors times the pivot rows; for a pivot row: -factors times the pivot rows.
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
    if (lane == 0) finish_row(scratch, i, factors);
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
  KOKKOS_FORCEINLINE_FUNCTION void finish_row(const Scratch& scratch, std::int64_t i,
                                              const S* factors) const {
    double sum = magnitude[i];
    for (int p = 0; i >= first + count && p < count; ++p) {
      sum += square_of(factors[p]) * magnitude[first + p];
    }
    next_magnitude[i] = sum;
    if (i < first || i >= first + count) return;
    const Pivot pivot = scratch.became[i - first];
    is_gone[i] = pivot != Pivot::kept;
    if (pivot == Pivot::negative) triangle::mark_bad_row(negative, i);
  }
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
    each_entry([&](int e, int r, int c) {
      block[e] = from[(first + r) * n + first + c];
      if (c == 0) scratch.magnitude[r] = magnitude[first + r];
    });
    for (int p = 0; p < count; ++p) {
      const S* const old = scratch.array(p);
      S* const next = scratch.array(p + 1);
      const double size = scratch.magnitude[p];
      const S entry = old[p * pivots_at_once + p];
      const Pivot pivot = what_becomes_of(entry, size);
      const S reciprocal =
          S(1) / (pivot == Pivot::kept ? entry : S(static_cast<heddle::RealOf<S>>(size)));
      each_entry([&](int e, int r, int c) {
        const S of_row = old[r * pivots_at_once + p] * reciprocal;
        const S of_column = old[p * pivots_at_once + c];
        next[e] = r == p ? (c == p ? reciprocal : of_column * reciprocal)
                         : (c == p ? -of_row : old[e] - of_row * of_column);
        if (c != p) return;
        if (r == p) scratch.became[p] = pivot;
        if (r > p) scratch.magnitude[r] += square_of(of_row) * size;
      });
    }
    return scratch.array(count);
  }
  KOKKOS_FORCEINLINE_FUNCTION Pivot what_becomes_of(const S& pivot, double size) const {
    // Rounding that is larger than expected does not make a matrix indefinite.
    constexpr double surely = 100;
    const double rounding = rounding_of_magnitude<S> * size;
    const auto value = static_cast<double>(real_part(pivot));
    return value > rounding             ? Pivot::kept
           : value < -surely * rounding ? Pivot::negative
                                        : Pivot::gone;
  }
};

/// All pivots in one launch, whose teams wait for each other after every block of them.
template <Scalar S>
struct EliminateTogether {
  using Scratch = typename EliminatePivots<S>::Scratch;
  using Shape = typename EliminatePivots<S>::Shape;

  S* arrays[2];
  double* magnitude[2];
  unsigned char* is_gone;
  std::int64_t* negative;
  std::int64_t n;
  const bool* hermitian;

  /// The block of pivots that begins at `first`.
  KOKKOS_FORCEINLINE_FUNCTION EliminatePivots<S> block(std::int64_t first) const {
    const auto from = static_cast<int>(first / pivots_at_once % 2), to = 1 - from;
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(pivots_at_once, n - first));
    return {arrays[from], arrays[to], magnitude[from], magnitude[to], is_gone,
            negative,     n,          first,           count,         hermitian};
  }
  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch& scratch) const {
    for (std::int64_t first = 0; first < n; first += pivots_at_once) {
      block(first)(all.team(), scratch);
      all.barrier();
    }
  }
};

/// Gauss-Jordan inversion with row pivots, for an A that is not Hermitian, whose diagonal pivots
/// may be small or zero. Nothing is done if A is Hermitian. A step reads one array and writes the
/// other, a subwarp a row, so that all teams wait for each other once a pivot. Rows are not
/// exchanged: the last step permutes the inverse.
///
/// Pivots are the largest entries of a column in the unit of each row. Rows and columns have units
/// of their own, which make the largest entry of each about 1, so that the unit of A, of its
/// equations or of its unknowns makes no difference. If all candidates of a column are only
/// rounding, A is singular: the column waits, so as to take no row from a later one, and is paired
/// at the end with a row that is left. 1 in these units replaces that pivot, as if this had been
/// added to A, so that A x = b for a b in the range of A.
///
/// Source: G. Golub and C. Van Loan, Matrix Computations (2013), sections 3.4 and 3.5.
template <Scalar S>
struct InvertWithPivots {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 128>;
  /// Passes of scaling, of rows and then of columns: each halves the exponent by which the largest
  /// entries differ from 1.
  static constexpr int scalings = 8;
  /// The pivot row of a column, and whether its entry there is only rounding.
  struct Found {
    std::int64_t row;
    bool is_rounding;
  };

  S* arrays[2];  ///< A is in the first; its inverse will be in arrays[result]
  int result;
  const double* magnitude;
  double *row_unit, *column_unit;
  double* size;                ///< magnitude in these units of diagonal entries that are not bad
  unsigned char* is_gone;      ///< whether a column waits for the rows that are left; zero before
  std::int64_t* column_of[2];  ///< the column of which a row is the pivot row; n: of none yet
  std::int64_t* row_of;        ///< the pivot row of each column
  std::int64_t n;
  const bool* hermitian;

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch&) const {
    if (*hermitian) return;
    const int first = static_cast<int>((1 + result + n) % 2);
    each_row(all, [&](std::int64_t i, const auto& subwarp) {
      for (std::int64_t j = subwarp.lane(); first == 1 && j < n; j += subwarp.width) {
        arrays[1][i * n + j] = arrays[0][i * n + j];
      }
      if (subwarp.lane() != 0) return;
      row_unit[i] = column_unit[i] = 1;
      column_of[first][i] = n;
    });
    find_units(all, arrays[first]);
    int from = first;
    for (std::int64_t p = 0; p < n; ++p) {
      const Found found = pivot_of(all.team().subwarp(), p, from);
      if (!found.is_rounding) {
        step(all, p, found, from);
        from = 1 - from;
      } else if (all.team().index() == 0 && all.team().thread() == 0) {
        is_gone[p] = 1;
      }
    }
    all.barrier();
    for (std::int64_t p = 0; p < n; ++p) {
      if (is_gone[p] == 0) continue;
      step(all, p, pivot_of(all.team().subwarp(), p, from), from);
      from = 1 - from;
    }
    const int last = 1 - result;
    each_row(all, [&](std::int64_t i, const auto& subwarp) {
      S* const to = arrays[result] + column_of[last][i] * n;
      for (std::int64_t j = subwarp.lane(); j < n; j += subwarp.width) {
        to[row_of[j]] = arrays[last][i * n + j];
      }
    });
  }

 private:
  /// body(row, subwarp) by the subwarps of all teams, then a barrier of all teams.
  template <class All, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(const All& all, const Body& body) const {
    using Team = typename All::team_type;
    const Team& team = all.team();
    const std::int64_t subwarps = std::int64_t{Team::subwarps} * all.teams();
    for (std::int64_t i = team.index() * Team::subwarps + team.subwarp_index(); i < n;
         i += subwarps) {
      body(i, team.subwarp());
    }
    all.barrier();
  }
  /// The unit that makes the largest entry of a row or column about 1; entry(j) are magnitudes.
  template <class Subwarp, class Entry>
  KOKKOS_FORCEINLINE_FUNCTION void scale(const Subwarp& subwarp, double& unit,
                                         const Entry& entry) const {
    double largest = 0;
    for (std::int64_t j = subwarp.lane(); j < n; j += subwarp.width) {
      largest = Kokkos::max(largest, static_cast<double>(entry(j)));
    }
    largest = subwarp.max(largest);
    if (subwarp.lane() == 0 && largest > 0) unit /= Kokkos::sqrt(largest * unit);
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void find_units(const All& all, const S* A) const {
    for (int pass = 0; pass < scalings; ++pass) {
      each_row(all, [&](std::int64_t i, const auto& subwarp) {
        scale(subwarp, row_unit[i],
              [&](std::int64_t j) { return Kokkos::abs(A[i * n + j]) * column_unit[j]; });
      });
      each_row(all, [&](std::int64_t j, const auto& subwarp) {
        scale(subwarp, column_unit[j],
              [&](std::int64_t i) { return Kokkos::abs(A[i * n + j]) * row_unit[i]; });
      });
    }
    each_row(all, [&](std::int64_t i, const auto& subwarp) {
      if (subwarp.lane() != 0) return;
      size[i] = spectrum::is_bad(A[i * n + i]) ? 0 : magnitude[i] * row_unit[i] * column_unit[i];
    });
  }

  /// The pivot row of column p, the lowest of equal ones, among those of no column yet. The same in
  /// all teams, so that all take the same steps and meet at the same barriers.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION Found pivot_of(const Subwarp& subwarp, std::int64_t p,
                                             int from) const {
    double own = -1;
    std::int64_t row = n;
    for (std::int64_t i = subwarp.lane(); i < n; i += subwarp.width) {
      if (column_of[from][i] < n) continue;
      const double entry = static_cast<double>(Kokkos::abs(arrays[from][i * n + p])) * row_unit[i];
      // NaN in A is reported elsewhere, and must find a pivot row here.
      const double counts = entry >= 0 ? entry : 0;
      if (counts > own) {
        own = counts;
        row = i;
      }
    }
    const double largest = subwarp.max(own);
    row = n - subwarp.max(own == largest ? n - row : std::int64_t{0});
    const double rounding =
        rounding_of_magnitude<S> * Kokkos::max(1.0, Kokkos::max(size[row], size[p]));
    return {row, !(largest * column_unit[p] > rounding)};
  }
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void step(const All& all, std::int64_t p, const Found& found,
                                        int from) const {
    const std::int64_t pivot = found.row;
    const S* const of_pivot = arrays[from] + pivot * n;
    const S entry = found.is_rounding
                        ? S(static_cast<heddle::RealOf<S>>(1 / (row_unit[pivot] * column_unit[p])))
                        : of_pivot[p];
    const S reciprocal = S(1) / entry;
    each_row(all, [&](std::int64_t i, const auto& subwarp) {
      const bool is_pivot = i == pivot;
      const S* const row = arrays[from] + i * n;
      S* const to = arrays[1 - from] + i * n;
      const S factor = row[p] * reciprocal;
      for (std::int64_t j = subwarp.lane(); j < n; j += subwarp.width) {
        const S of_column = is_pivot ? reciprocal : -factor;
        to[j] = j == p     ? of_column
                : is_pivot ? of_pivot[j] * reciprocal
                           : row[j] - factor * of_pivot[j];
      }
      if (subwarp.lane() != 0) return;
      column_of[1 - from][i] = is_pivot ? p : column_of[from][i];
      if (is_pivot) row_of[p] = pivot;
    });
  }
};

/// An entry of the Hermitian part of the inverse of a Hermitian A, which is Hermitian up to
/// rounding; other inverses stay. If A is indefinite, the inverse is not used: finite reciprocals
/// of magnitudes.
template <Scalar S>
struct HermitianPart {
  const S* from;
  S* to;
  std::int64_t n;
  const std::int64_t* negative;
  const double* magnitude;
  const bool* hermitian;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    const std::int64_t i = entry / n, j = entry % n;
    if (*negative != 0) {
      to[entry] = i == j ? S(static_cast<heddle::RealOf<S>>(1 / magnitude[i])) : S(0);
      return;
    }
    const S mirrored = *hermitian ? conjugate(from[j * n + i]) : from[entry];
    to[entry] = (from[entry] + mirrored) * S(heddle::RealOf<S>(0.5));
  }
};

/// x = B b with a dense B: a subwarp computes a row of all vectors.
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
class CoarseSolve {
 public:
  using S = typename Matrix::scalar_type;

  CoarseSolve() = default;
  /// Allocates; update_values sets the values.
  CoarseSolve(const Exec& exec, std::int64_t rows) : n_(rows) {
    arena_ = Arena<typename Exec::memory_space>(
        exec, "heddle::multigrid::coarsest", arena_array(dense_[0], n_ * n_),
        arena_array(dense_[1], n_ * n_), arena_array(coefficient_, n_),
        arena_array(magnitude_[0], n_), arena_array(magnitude_[1], n_), arena_array(weight_, n_),
        arena_array(shift_, n_), arena_array(is_gone_, n_), arena_array(row_unit_, n_),
        arena_array(column_unit_, n_), arena_array(size_, n_), arena_array(column_of_[0], n_),
        arena_array(column_of_[1], n_), arena_array(row_of_, n_), arena_array(meeting_words_, 2));
    fill(exec, "heddle::multigrid::clear_meetings", meeting_words_, 2, 0);
  }

  /// Inverts A: in one launch if that holds a subwarp for each row, else one for every eight rows.
  /// The values are the same. If A is not Hermitian, by row pivots in one launch. No wait, no
  /// allocation. magnitude: of its diagonal entries. Marks the lowest row with a negative pivot of
  /// a Hermitian A in *negative.
  void update_values(const Exec& exec, const Matrix& A, const double* magnitude,
                     const bool* hermitian, std::int64_t* negative) {
    fill(exec, "heddle::multigrid::clear_dense", dense_[0], n_ * n_, S(0));
    parallel_for(exec, "heddle::multigrid::make_dense", n_,
                 MakeDense<Matrix>{A, dense_[0], magnitude, magnitude_[0], is_gone_});
    eliminate(exec, {{dense_[0], dense_[1]},
                     {magnitude_[0], magnitude_[1]},
                     is_gone_,
                     negative,
                     n_,
                     hermitian});
    const auto result = static_cast<int>(ceil_div(n_, std::int64_t{pivots_at_once}) % 2);
    S *const from = dense_[result], *const to = dense_[1 - result];
    invert_with_pivots(exec, {{dense_[0], dense_[1]},
                              result,
                              magnitude,
                              row_unit_,
                              column_unit_,
                              size_,
                              is_gone_,
                              {column_of_[0], column_of_[1]},
                              row_of_,
                              n_,
                              hermitian});
    leave_nullspace_out(
        exec,
        NullspaceArrays<S>{is_gone_, magnitude, weight_, shift_, coefficient_, to, n_, hermitian},
        from);
    parallel_for(exec, "heddle::multigrid::hermitian_part", n_ * n_,
                 HermitianPart<S>{from, to, n_, negative, magnitude, hermitian});
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
  void eliminate(const Exec& exec, const EliminateTogether<S>& all) const {
    using Kernel = EliminateTogether<S>;
    using Shape = typename Kernel::Shape;
    using Team = backends::Team<Exec, Shape>;
    const std::int64_t teams = ceil_div(n_, std::int64_t{Team::subwarps});
    if constexpr (backends::has_lanes<Exec>) {
      if (teams <= backends::most_cooperative_teams<Shape, Kernel>(exec)) {
        return backends::launch_cooperative<Shape>(
            exec, "heddle::multigrid::eliminate", static_cast<int>(teams), all,
            backends::MeetingWords{meeting_words_, meeting_words_ + 1});
      }
    }
    for (std::int64_t first = 0; first < n_; first += pivots_at_once) {
      backends::launch<Shape>(exec, "heddle::multigrid::eliminate", teams, all.block(first));
    }
  }

  void invert_with_pivots(const Exec& exec, const InvertWithPivots<S>& kernel) const {
    using Kernel = InvertWithPivots<S>;
    using Shape = typename Kernel::Shape;
    constexpr const char* label = "heddle::multigrid::invert_with_pivots";
    if constexpr (backends::has_cooperative<Exec>) {
      const std::int64_t wanted = ceil_div(n_, std::int64_t{backends::Team<Exec, Shape>::subwarps});
      const auto teams =
          std::min<std::int64_t>(wanted, backends::most_cooperative_teams<Shape, Kernel>(exec));
      backends::launch_cooperative<Shape>(
          exec, label, static_cast<int>(teams), kernel,
          backends::MeetingWords{meeting_words_, meeting_words_ + 1});
    } else {
      backends::launch<Shape>(exec, label, 1, backends::InOneTeam<Kernel>{kernel});
    }
  }

  std::int64_t n_ = 0;
  Arena<typename Exec::memory_space> arena_;
  S* dense_[2] = {};
  double *magnitude_[2] = {}, *weight_ = nullptr, *shift_ = nullptr;
  unsigned char* is_gone_ = nullptr;
  S* coefficient_ = nullptr;
  S* inverse_ = nullptr;
  double *row_unit_ = nullptr, *column_unit_ = nullptr, *size_ = nullptr;
  std::int64_t *column_of_[2] = {}, *row_of_ = nullptr;
  int* meeting_words_ = nullptr;
};

}  // namespace heddle::detail::multigrid
