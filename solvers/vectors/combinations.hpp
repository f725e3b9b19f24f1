// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inner_products.hpp"

namespace heddle {

namespace detail::vectors {

/// W = alpha V C + beta W. A CPU takes a block of rows, and of it a few vectors of V at a time, so
/// that few streams are read at once and W stays in its nearest cache; a GPU all of a row.
template <Scalar V, bool UnitStride, int Columns>
struct CombinationsKernel {
  using Scratch = backends::NoScratch;
  static constexpr int at_once = 8;  ///< vectors of V, on a CPU

  Multivector<const V> from;
  SmallMatrix<const V> coefficients;
  Multivector<V> to;
  Factor<V> alpha, beta;
  int teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr std::int64_t line = 64;
    const std::int64_t lines = ceil_div(to.rows, line);
    const std::int64_t first = lines * team.index() / teams * line;
    const std::int64_t end = lines * (team.index() + 1) / teams * line;
    const std::int64_t stop = end < to.rows ? end : to.rows;
    const std::int64_t block =
        Team::threads > 1 ? stop - first : tuning_of<typename Team::execution_space>.product_rows;
    const int group = Team::threads > 1 ? from.count : at_once;
    for (std::int64_t at = first; at < stop; at += block) {
      const std::int64_t until = at + block < stop ? at + block : stop;
      for (int j = 0; j < to.count; j += Columns) {
        int i = 0;
        do {  // once for no vectors: beta W is still to be written
          add(team, at, until, i, i + group < from.count ? i + group : from.count, j);
          i += group;
        } while (i < from.count);
      }
    }
  }

 private:
  /// Vectors [i, stop) of V to vectors j, ... of W, in rows [at, until).
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, std::int64_t at, std::int64_t until, int i,
                                       int stop, int j) const {
    using Pack = backends::Pack<Team, V>;
    constexpr int width = Pack::width;
    if constexpr (width > 1) {
      for (; at + 2 * width <= until; at += 2 * width) {
        add_rows<Pack, true, 2>(at, 2 * width, i, stop, j);
      }
    }
    for (at += team.thread() * width; at < until; at += Team::threads * width) {
      add_rows<Pack, false, 1>(at, until - at, i, stop, j);
    }
  }

  template <class Pack, bool Whole, int Packs>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(std::int64_t at, std::int64_t rows, int i, int stop,
                                            int j) const {
    using Entry = Entries<Pack, UnitStride, Whole>;
    Pack sum[Columns][Packs];
    const bool first = i == 0;
    for (int b = 0; b < Columns; ++b) {
      const bool reads = j + b < to.count && !(first && beta.of(0) == V(0));
      for (int p = 0; p < Packs; ++p) {
        sum[b][p] = Pack::zero();
        if (!reads) continue;
        sum[b][p] = Entry{at + p * Pack::width, j + b, rows - p * Pack::width}.load(to);
        if (first) sum[b][p] = Pack::multiply(Pack::all(beta.of(0)), sum[b][p]);
      }
    }
    for (; i < stop; ++i) {
      Pack entry[Packs];
      for (int p = 0; p < Packs; ++p) {
        entry[p] = Entry{at + p * Pack::width, i, rows - p * Pack::width}.load(from);
      }
      for (int b = 0; b < Columns; ++b) {
        if (j + b >= to.count) break;
        const Pack factor = Pack::all(alpha.of(0) * coefficients(i, j + b));
        for (int p = 0; p < Packs; ++p) {
          sum[b][p] = Pack::multiply_add(factor, entry[p], sum[b][p]);
        }
      }
    }
    for (int b = 0; b < Columns; ++b) {
      if (j + b >= to.count) break;
      for (int p = 0; p < Packs; ++p) {
        Entry{at + p * Pack::width, j + b, rows - p * Pack::width}.store(to, sum[b][p]);
      }
    }
  }
};

}  // namespace detail::vectors

namespace vectors {

/// W = alpha V C + beta W: combinations of the vectors of V (n x k), with the coefficients C (k x
/// m), a View of rank 2 on the device, or of rank 1 if W is one vector. beta == 0 overwrites W
/// without reading it. The order of every sum is fixed. W - V (V' W) is inner_products and this
/// with alpha -1 and beta 1.
///
/// Moves (k + 2 m) n b bytes, (k + m) n b if beta is 0, for k and m up to 96 on a CPU; a GPU reads
/// V once for every four columns of W, from its caches where it lies there. Sums of more than eight
/// vectors are rounded to W's type in between on a CPU. Throws Error if shapes do not fit, or V and
/// W overlap.
template <ExecutionSpace Exec, VectorFactor A, VectorView V, class C, VectorFactor B,
          WritableVectorView W>
void combine(const Exec& exec, const A& alpha, const V& v, const C& coefficients, const B& beta,
             const W& w) {
  namespace common = heddle::detail::vectors;
  using S = common::ScalarOf<W>;
  const auto from = common::to_read(v);
  const auto to = common::to_write(w);
  if (from.rows != to.rows) {
    throw Error("V has " + std::to_string(from.rows) + " rows and W " + std::to_string(to.rows),
                "give vectors of one length");
  }
  common::check_distinct("V", from, "W", to);
  const auto small = common::small_matrix<const S>("C", coefficients, from.count, to.count);
  const auto a = common::factor_of<S>("alpha", alpha, 1);
  const auto b = common::factor_of<S>("beta", beta, 1);
  if (to.count == 0 || to.rows == 0) return;
  const int teams = common::teams_for(exec, to.rows);
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, common::tuning_of<Exec>.threads>;
  const auto launch = [&]<bool unit, int columns>() {
    backends::launch_simd<Shape>(
        exec, "heddle::vectors::combine", teams,
        common::CombinationsKernel<S, unit, columns>{from, small, to, a, b, teams},
        backends::best_simd());
  };
  if constexpr (!backends::has_lanes<Exec>) {
    if (common::has_unit_stride(from) && common::has_unit_stride(to)) {
      if (to.count == 1) return launch.template operator()<true, 1>();
      return launch.template operator()<true, 4>();
    }
  }
  if (to.count == 1) return launch.template operator()<false, 1>();
  launch.template operator()<false, 4>();
}

}  // namespace vectors

}  // namespace heddle
