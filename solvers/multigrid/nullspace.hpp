// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/real_part.hpp"

/// Leaves the nullspace of a Hermitian semidefinite matrix out of its dense inverse. Elimination
/// replaced each pivot that was zero but for rounding; the inverse that this gives has a vector of
/// the nullspace, over the pivot, in its column. With N an orthonormal basis of these, the inverse
/// B becomes (I - N N*) B (I - N N*), the pseudo-inverse, plus what a smoother does on the
/// nullspace, so that it stays definite.
///
/// Orthonormal is meant with weights, which are 1 unless diagonal entries differ by orders of
/// magnitude: then unknowns have units of their own, and rounding would mix them.
namespace heddle::detail::multigrid {

/// What the kernels share, of n rows, on the device.
template <Scalar S>
struct Nullspace {
  const unsigned char* is_gone;  ///< of each pivot, whether it was replaced
  const double* magnitude;       ///< of each diagonal entry
  double* weight;
  double* shift;   ///< of each vector, its energy in the inner product of magnitudes
  S* coefficient;  ///< of one vector in the others
  S* vectors;      ///< that of pivot p begins at p n
  std::int64_t n;
  const bool* hermitian;  ///< else nothing is done

  KOKKOS_FORCEINLINE_FUNCTION S* vector(std::int64_t p) const { return vectors + p * n; }
  /// body(vector, p) for each of them before `stop`.
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

/// The vectors, by Gram and Schmidt, each twice: one team.
template <Scalar S>
struct FindNullspace {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 256>;

  Nullspace<S> of;
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
  /// A power of two within a factor of 256 of a ratio up to 1.
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

/// Rows of B (I - W N N*), by a subwarp a row.
template <Scalar S>
struct ProjectRows {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 128>;

  Nullspace<S> of;
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

/// Columns of (I - N N* W) B + N / shift N*.
template <Scalar S>
struct ProjectColumns {
  Nullspace<S> of;
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

/// No wait, no allocation.
template <ExecutionSpace Exec, Scalar S>
void leave_nullspace_out(const Exec& exec, const Nullspace<S>& of, S* inverse) {
  using Rows = ProjectRows<S>;
  using Team = backends::Team<Exec, typename Rows::Shape>;
  backends::launch<typename FindNullspace<S>::Shape>(exec, "heddle::multigrid::find_nullspace", 1,
                                                     FindNullspace<S>{of, inverse});
  backends::launch<typename Rows::Shape>(exec, "heddle::multigrid::project_rows",
                                         ceil_div(of.n, std::int64_t{Team::subwarps}),
                                         Rows{of, inverse});
  parallel_for(exec, "heddle::multigrid::project_columns", of.n, ProjectColumns<S>{of, inverse});
}

}  // namespace heddle::detail::multigrid
