// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/real_part.hpp"
#include "../../core/search.hpp"
#include "../vectors/definitions.hpp"
#include "prolongation.hpp"

/// The evolution measure of strength, for nodes of one row and one near-nullspace vector b. A unit
/// impulse in row i evolves by two steps of z -= D^-1 A z / bound. Where smoothing has spread it
/// like b, z(j) b(i) / (z(i) b(j)) is 1, and entry (i, j) is strong. It sees directions that follow
/// no entry of A, for which magnitudes say nothing.
///
/// Source: L. N. Olson, J. Schroder and R. S. Tuminaro, "A new perspective on strength measures in
/// algebraic multigrid", Numer. Linear Algebra Appl. 17, 2010.
namespace heddle::detail::multigrid {

/// Numbers of rows and entries that the measure needs, without units. G = D (I - D^-1 A / bound)^2
/// is symmetric.
struct Evolved {
  const double* root;    ///< sqrt(a(i, i))
  const double* weight;  ///< |b(i)| sqrt(a(i, i))
  double* entry;         ///< of each entry, G(i, j) / (root(i) root(j)), positive if like b
  double* own;           ///< of each row, G(i, i) / a(i, i)
  double* least;         ///< of each row, the least measure of its entries

  /// |1 - z(i) b(j) / (z(j) b(i))| of an impulse in row i: 0 is the strongest; infinite if z(j) is
  /// about zero or of the other sign than b.
  KOKKOS_FORCEINLINE_FUNCTION double measure(std::int64_t i, std::int64_t j, double entry_of_G,
                                             double own_of_i) const {
    const double spread = entry_of_G / own_of_i * (weight[i] / weight[j]);
    return spread > 1e-8 ? Kokkos::abs(1 - 1 / spread) : Kokkos::Experimental::infinity_v<double>;
  }
  KOKKOS_FORCEINLINE_FUNCTION double measure(std::int64_t i, std::int64_t j,
                                             double entry_of_G) const {
    return measure(i, j, entry_of_G, own[i]);
  }
};

template <Scalar S>
struct PutRoots {
  const S* diagonal;
  const S* b;
  double *root, *weight;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    root[i] = Kokkos::sqrt(static_cast<double>(Kokkos::abs(diagonal[i])));
    weight[i] = root[i] * static_cast<double>(Kokkos::abs(b[i]));
  }
};

/// The entries of G in the places of A, a lane for each, then the least measure of the row. The
/// columns of A ascend. A lane walks the shorter of two rows and searches the longer, so that a
/// full row costs no square.
template <class Matrix, int Lanes>
struct EvolveRow {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Sum = krylov::Wide<S>;
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<Lanes, 128>;

  Matrix A;
  const S* b;
  const SpectrumNumbers* numbers;
  Evolved to;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= A.rows()) return;
    const O* const col_idx = A.col_idx().data();
    const auto begin = static_cast<std::int64_t>(A.row_ptr().data()[i]);
    const auto end = static_cast<std::int64_t>(A.row_ptr().data()[i + 1]);
    double own = 0;
    for (std::int64_t k = begin + subwarp.lane(); k < end; k += Team::subwarp_width) {
      const auto j = static_cast<std::int64_t>(col_idx[k]);
      const Sum evolved = entry_of_G(i, j, A.values().data()[k]);
      if (j == i) own = real_part(evolved);
      to.entry[k] = real_part(conjugate(direction(i)) * evolved * direction(j));
    }
    own = subwarp.sum(own);
    double most = -Kokkos::Experimental::infinity_v<double>;
    for (std::int64_t k = begin + subwarp.lane(); k < end; k += Team::subwarp_width) {
      const auto j = static_cast<std::int64_t>(col_idx[k]);
      if (j == i) continue;
      most = Kokkos::max(most, -to.measure(i, j, to.entry[k], own));
    }
    most = subwarp.max(most);
    if (subwarp.lane() != 0) return;
    to.own[i] = own;
    to.least[i] = -most;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Sum direction(std::int64_t i) const {
    const Sum of = rounded<Sum>(b[i]);
    const double size = Kokkos::abs(of);
    return size > 0 ? of / Sum(size) : Sum(0);
  }
  /// G(i, j) over the roots of both rows.
  KOKKOS_FORCEINLINE_FUNCTION Sum entry_of_G(std::int64_t i, std::int64_t j, const S& a) const {
    const double over_bound = 1 / numbers->bound;
    const Sum first = rounded<Sum>(a) / Sum(to.root[i]) / Sum(to.root[j]);
    const Sum second = product_of_rows(i, j) / Sum(to.root[i]) / Sum(to.root[j]);
    return Sum(i == j ? 1 : 0) - Sum(2 * over_bound) * first +
           Sum(over_bound * over_bound) * second;
  }
  /// The sum of a(i, l) conj(a(j, l)) / a(l, l) over all l, which ascend.
  KOKKOS_FUNCTION Sum product_of_rows(std::int64_t i, std::int64_t j) const {
    const Off* const row_ptr = A.row_ptr().data();
    const O* const col_idx = A.col_idx().data();
    const S* const values = A.values().data();
    const Off of_i = row_ptr[i + 1] - row_ptr[i], of_j = row_ptr[j + 1] - row_ptr[j];
    const bool walks_i = of_i <= of_j;
    const std::int64_t walked = walks_i ? i : j, searched = walks_i ? j : i;
    const Off count = walks_i ? of_j : of_i;
    Off first = row_ptr[searched];
    const Off end = first + count;
    Sum sum(0);
    for (Off k = row_ptr[walked]; k < row_ptr[walked + 1]; ++k) {
      const auto l = static_cast<std::int64_t>(col_idx[k]);
      first += first_not_below(col_idx + first, static_cast<Off>(end - first), l);
      if (first == end) break;
      if (static_cast<std::int64_t>(col_idx[first]) != l) continue;
      const Sum one = rounded<Sum>(values[walks_i ? k : first]) / Sum(to.root[l]);
      const Sum other = rounded<Sum>(values[walks_i ? first : k]) / Sum(to.root[l]);
      sum += one * conjugate(other);
    }
    return sum;
  }
};

/// Whether an entry's measure is at most four times the least of its row or of its column. Diagonal
/// entries are strong.
template <Ordinal O>
struct IsEvolvedStrong {
  Evolved evolved;
  const O* col_idx;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t i, std::int64_t k) const {
    const auto j = static_cast<std::int64_t>(col_idx[k]);
    const double entry = evolved.entry[k];
    return j == i || is_near(i, j, entry) || is_near(j, i, entry);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_near(std::int64_t i, std::int64_t j, double entry) const {
    const double measure = evolved.measure(i, j, entry);
    return Kokkos::isfinite(measure) && measure <= 4 * evolved.least[i];
  }
};

/// The strength of an entry: the reciprocal of the smaller of its two measures.
template <Ordinal O>
struct PutEvolvedStrength {
  Evolved evolved;
  const O* col_idx;
  float* strength;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t k,
                                              std::int64_t to) const {
    const auto j = static_cast<std::int64_t>(col_idx[k]);
    const double entry = evolved.entry[k];
    const double least = Kokkos::min(evolved.measure(i, j, entry), evolved.measure(j, i, entry));
    strength[to] = static_cast<float>(1 / (1e-12 + least));
  }
};

/// The measure of all entries of a level. Allocates; release of the object waits.
template <ExecutionSpace Exec, class Matrix>
class EvolutionMeasure {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Space = typename Exec::memory_space;

  /// numbers: the bound of the spectrum of D^-1 A, on the device.
  EvolutionMeasure(const Exec& exec, const Matrix& A, const S* diagonal, const S* b,
                   const SpectrumNumbers* numbers)
      : col_idx_(A.col_idx().data()) {
    const std::int64_t rows = A.rows(), entries = static_cast<std::int64_t>(A.nonzeros());
    double *root = nullptr, *weight = nullptr;
    memory_ = Arena<Space>(exec, "heddle::multigrid::evolution", arena_array(root, rows),
                           arena_array(weight, rows), arena_array(evolved_.entry, entries),
                           arena_array(evolved_.own, rows), arena_array(evolved_.least, rows));
    evolved_.root = root;
    evolved_.weight = weight;
    parallel_for(exec, "heddle::multigrid::roots", rows, PutRoots<S>{diagonal, b, root, weight});
    if (entries > 16 * rows) {
      evolve<32>(exec, A, b, numbers);
    } else {
      evolve<8>(exec, A, b, numbers);
    }
  }

  IsEvolvedStrong<O> is_strong() const { return {evolved_, col_idx_}; }
  PutEvolvedStrength<O> put_strength(float* strength) const {
    return {evolved_, col_idx_, strength};
  }

 private:
  template <int Lanes>
  void evolve(const Exec& exec, const Matrix& A, const S* b, const SpectrumNumbers* numbers) {
    using Kernel = EvolveRow<Matrix, Lanes>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    backends::launch<typename Kernel::Shape>(exec, "heddle::multigrid::evolve",
                                             ceil_div(std::int64_t{A.rows()}, Team::subwarps),
                                             Kernel{A, b, numbers, evolved_});
  }

  const O* col_idx_;
  Evolved evolved_{};
  Arena<Space> memory_;
};

}  // namespace heddle::detail::multigrid
