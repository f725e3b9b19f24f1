// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "combinations.hpp"
#include "launch.hpp"

namespace heddle::detail::vectors {

/// W = alpha V C + beta W; alpha == 0 reads neither V nor C. A CPU takes a block of rows, and of it
/// a few vectors of V at a time, so that few streams are read at once and W stays in its nearest
/// cache; a GPU all of a row. Sums are of the type of the coefficients, Acc.
template <Scalar V, Scalar Acc, bool UnitStride, int Columns>
struct CombinationsKernel {
  using Scratch = backends::NoScratch;
  static constexpr int at_once = 8;  ///< vectors of V

  Multivector<const V> from;
  SmallMatrix<const Acc> coefficients;
  Multivector<V> to;
  Factor<Acc> alpha, beta;
  int teams;
  const int* only_if;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (only_if && *only_if == 0) return;
    const auto [first, stop] = ShareOfRows(to.rows, team.index(), teams);
    const std::int64_t block =
        Team::threads > 1 ? stop - first
                          : product_rows<typename Team::execution_space>(from.count + to.count);
    const int group = Team::threads > 1 ? from.count : at_once;
    const int read = alpha.of(0) == Acc(0) ? 0 : from.count;
    for (std::int64_t at = first; at < stop; at += block) {
      const std::int64_t until = at + block < stop ? at + block : stop;
      int j = 0;
      for (; j + Columns <= to.count; j += Columns)
        add_all<Columns>(team, at, until, j, group, read);
      for (; j < to.count; ++j) add_all<1>(team, at, until, j, group, read);
    }
  }

 private:
  /// `read` vectors of V to vectors j, ..., j + Width - 1 of W, in rows [at, until).
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const Team& team, std::int64_t at, std::int64_t until,
                                           int j, int group, int read) const {
    int i = 0;
    do {  // once for no vectors: beta W is still to be written
      const int left = read - i;
      const int count = left < group ? left : group;
      if constexpr (Team::threads > 1) {
        add<Width>(team, at, until, i, count, j);
      } else {
        add_packs<Width, Team>(at, until, i, count, j);
      }
      i += group;
    } while (i < read);
  }

  /// Of a GPU: vectors i, ..., i + count - 1 of V, a row a lane.
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, std::int64_t at, std::int64_t until, int i,
                                       int count, int j) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int together = at_once / Width;  // loads that do not wait for each other
    for (at += team.thread(); at < until; at += Team::threads) {
      const Entries<Pack, UnitStride, false> entries{at, 0, until - at};
      Pack sum[Width];
      begin<Width>(entries, i, j, sum);
      int k = 0;
      for (; k + together <= count; k += together) {
        Pack entry[together];
        HEDDLE_UNROLL(together)
        for (int a = 0; a < together; ++a) {
          entry[a] = entries.load(vector(from, i + k + a), from.row_stride);
        }
        HEDDLE_UNROLL(together)
        for (int a = 0; a < together; ++a) add_one(entry[a], i + k + a, j, sum);
      }
      for (; k < count; ++k) {
        add_one(entries.load(vector(from, i + k), from.row_stride), i + k, j, sum);
      }
      end<Width>(entries, j, sum);
    }
  }

  /// Of a CPU: two packs of rows, with the coefficients at hand.
  template <int Width, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_packs(std::int64_t at, std::int64_t until, int i, int count,
                                             int j) const {
    using Pack = backends::Pack<Team, Acc>;
    constexpr int width = Pack::width;
    Pack factors[at_once][Width];
    const V* vectors_of_v[at_once];
    for (int k = 0; k < count; ++k) {
      vectors_of_v[k] = vector(from, i + k);
      for (int b = 0; b < Width; ++b) factors[k][b] = Pack::all(factor(i + k, j + b));
    }
    for (; at + 2 * width <= until; at += 2 * width) {
      const Entries<Pack, UnitStride, true> low{at, 0, width}, high{at + width, 0, width};
      Pack low_sum[Width], high_sum[Width];
      begin<Width>(low, i, j, low_sum);
      begin<Width>(high, i, j, high_sum);
      for (int k = 0; k < count; ++k) {
        const Pack of_low = low.load(vectors_of_v[k], from.row_stride);
        const Pack of_high = high.load(vectors_of_v[k], from.row_stride);
        for (int b = 0; b < Width; ++b) {
          low_sum[b] = Pack::multiply_add(factors[k][b], of_low, low_sum[b]);
          high_sum[b] = Pack::multiply_add(factors[k][b], of_high, high_sum[b]);
        }
      }
      end<Width>(low, j, low_sum);
      end<Width>(high, j, high_sum);
    }
    for (; at < until; at += width) {
      const Entries<Pack, UnitStride, false> entries{at, 0, until - at};
      Pack sum[Width];
      begin<Width>(entries, i, j, sum);
      for (int k = 0; k < count; ++k) {
        const Pack entry = entries.load(vectors_of_v[k], from.row_stride);
        for (int b = 0; b < Width; ++b) {
          sum[b] = Pack::multiply_add(factors[k][b], entry, sum[b]);
        }
      }
      end<Width>(entries, j, sum);
    }
  }

  /// What vector v of V adds to those of W from j on.
  template <int Width, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_one(const Pack& entry, int v, int j,
                                           Pack (&sum)[Width]) const {
    for (int b = 0; b < Width; ++b) {
      sum[b] = Pack::multiply_add(Pack::all(factor(v, j + b)), entry, sum[b]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc factor(int i, int j) const {
    return alpha.of(0) * coefficients(i, j);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T* vector(const Multivector<T>& of, int v) {
    return of.data + v * of.vector_stride;
  }

  /// What the sums begin with: beta W before the first vectors of V, then what they came to.
  template <int Width, class Entry, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Entry& entries, int i, int j,
                                         Pack (&sum)[Width]) const {
    const Acc scale = i == 0 ? beta.of(0) : Acc(1);
    for (int b = 0; b < Width; ++b) {
      sum[b] = Pack::zero();
      if (scale == Acc(0)) continue;
      sum[b] = entries.load(static_cast<const V*>(vector(to, j + b)), to.row_stride);
      if (i == 0) sum[b] = Pack::multiply(Pack::all(scale), sum[b]);
    }
  }
  template <int Width, class Entry, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void end(const Entry& entries, int j,
                                       const Pack (&sum)[Width]) const {
    for (int b = 0; b < Width; ++b) {
      Entry of_vector = entries;
      of_vector.vector = j + b;
      of_vector.store(to, sum[b]);
    }
  }
};

template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_combinations(const Exec& exec, const Multivector<const V>& from,
                         const SmallMatrix<const Acc>& coefficients, const Multivector<V>& to,
                         const Factor<Acc>& alpha, const Factor<Acc>& beta, const int* only_if) {
  const int teams =
      backends::has_lanes<Exec> ? teams_of_lanes(exec, to.rows) : teams_for(exec, to.rows);
  const bool unit_stride = has_unit_stride(from) && has_unit_stride(to);
  const auto launch = [&]<int columns>() {
    launch_by_stride(exec, "heddle::vectors::combine", teams, unit_stride, [&]<bool unit>() {
      return CombinationsKernel<V, Acc, unit, columns>{from, coefficients, to,     alpha,
                                                       beta, teams,        only_if};
    });
  };
  if (to.count == 1) return launch.template operator()<1>();
  launch.template operator()<4>();
}

}  // namespace heddle::detail::vectors
