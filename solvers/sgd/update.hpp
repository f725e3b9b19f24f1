// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"

namespace heddle::detail::sgd {

/// A factor, row-major.
template <class S>
struct Factor {
  S* data;
  std::int64_t stride;
  KOKKOS_FORCEINLINE_FUNCTION S* row(std::int64_t i) const { return data + i * stride; }
};

template <class S>
struct Step {
  S rate, lambda;
};

/// Number of lanes that share a row of a factor.
template <int Rank>
inline constexpr int lanes_of = Rank == 16 ? 16 : 32;
template <int Rank>
using ShapeOf = backends::Shape<lanes_of<Rank>, 128>;

/// The inner product of two rows of Rank entries, of which this lane holds every width-th. It is
/// added up by halves, in the same order for any width.
template <int Rank, class Subwarp, class S>
KOKKOS_FORCEINLINE_FUNCTION S dot(const Subwarp& subwarp, const S* p, const S* q) {
  constexpr int held = Rank / Subwarp::width;
  S terms[held];
  for (int i = 0; i < held; ++i) terms[i] = p[i] * q[i];
  for (int half = held / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) terms[i] += terms[i + half];
  }
  return subwarp.sum(terms[0]);
}

/// Updates by the ratings of a block in their order, a subwarp for each block. If Rank is 0, the
/// rank is known at run time.
template <class S, class O, int Rank>
struct UpdateBlocks {
  using Scratch = backends::NoScratch;

  const O *row, *column;
  const S* value;
  const std::int64_t* begin;
  std::int64_t first, stop;  ///< blocks of this wave
  Factor<S> P, Q;
  int rank;
  Step<S> step;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t block = first + team.index() * Team::subwarps + team.subwarp_index();
    if (block >= stop) return;
    if constexpr (Rank > 0) {
      run_held(team.subwarp(), begin[block], begin[block + 1]);
    } else {
      for (std::int64_t k = begin[block]; k < begin[block + 1]; ++k) run_one(team.subwarp(), k);
    }
  }

  /// Keeps a row of P in registers as long as ratings are in this row.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void run_held(const Subwarp& subwarp, std::int64_t k,
                                            std::int64_t end) const {
    constexpr int width = Subwarp::width, held = Rank / width;
    const int lane = subwarp.lane();
    S p[held], q[held];
    while (k < end) {
      const O of = row[k];
      S* const at = P.row(of);
      for (int i = 0; i < held; ++i) p[i] = at[i * width + lane];
      for (; k < end && row[k] == of; ++k) {
        S* const other = Q.row(column[k]);
        for (int i = 0; i < held; ++i) q[i] = other[i * width + lane];
        const S error = value[k] - dot<Rank>(subwarp, p, q);
        for (int i = 0; i < held; ++i) {
          const S old = p[i];
          p[i] += step.rate * (error * q[i] - step.lambda * old);
          other[i * width + lane] = q[i] + step.rate * (error * old - step.lambda * q[i]);
        }
      }
      for (int i = 0; i < held; ++i) at[i * width + lane] = p[i];
    }
  }

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void run_one(const Subwarp& subwarp, std::int64_t k) const {
    S* const p = P.row(row[k]);
    S* const q = Q.row(column[k]);
    S sum = 0;
    for (int i = subwarp.lane(); i < rank; i += Subwarp::width) sum += p[i] * q[i];
    const S error = value[k] - subwarp.sum(sum);
    for (int i = subwarp.lane(); i < rank; i += Subwarp::width) {
      const S old = p[i];
      p[i] += step.rate * (error * q[i] - step.lambda * old);
      q[i] += step.rate * (error * old - step.lambda * q[i]);
    }
  }
};

/// Updates by all ratings at once, a subwarp for each. It may or may not read what others add.
template <class S, class O>
struct UpdateAtOnce {
  using Scratch = backends::NoScratch;

  const O *row, *column;
  const S* value;
  std::int64_t count;
  Factor<S> P, Q;
  int rank;
  Step<S> step;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t k = team.index() * Team::subwarps + team.subwarp_index();
    if (k >= count) return;
    const auto subwarp = team.subwarp();
    S* const p = P.row(row[k]);
    S* const q = Q.row(column[k]);
    S sum = 0;
    for (int i = subwarp.lane(); i < rank; i += Team::subwarp_width) {
      sum += backends::atomic_load(p + i) * backends::atomic_load(q + i);
    }
    const S error = value[k] - subwarp.sum(sum);
    for (int i = subwarp.lane(); i < rank; i += Team::subwarp_width) {
      const S a = backends::atomic_load(p + i), b = backends::atomic_load(q + i);
      backends::atomic_add(p + i, step.rate * (error * b - step.lambda * a));
      backends::atomic_add(q + i, step.rate * (error * a - step.lambda * b));
    }
  }
};

/// Number of ratings whose errors one subwarp adds up.
inline constexpr std::int64_t ratings_per_sum = 512;

/// Squares of errors, a sum for each ratings_per_sum of them.
template <class S, class O>
struct SquaredErrors {
  using Scratch = backends::NoScratch;

  const O *row, *column;
  const S* value;
  std::int64_t count;
  Factor<const S> P, Q;
  int rank;
  double* sums;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t chunk = team.index() * Team::subwarps + team.subwarp_index();
    const std::int64_t begin = chunk * ratings_per_sum;
    if (begin >= count) return;
    const std::int64_t end = begin + ratings_per_sum < count ? begin + ratings_per_sum : count;
    const auto subwarp = team.subwarp();
    double squares = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      const S* const p = P.row(row[k]);
      const S* const q = Q.row(column[k]);
      S sum = 0;
      for (int i = subwarp.lane(); i < rank; i += Team::subwarp_width) sum += p[i] * q[i];
      const double error = static_cast<double>(value[k]) - static_cast<double>(subwarp.sum(sum));
      squares += error * error;
    }
    if (subwarp.lane() == 0) sums[chunk] = squares;
  }
};

}  // namespace heddle::detail::sgd
