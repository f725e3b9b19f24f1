// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../../backends/mailbox.hpp"
#include "../common/slots/row_sums.hpp"
#include "../common/store_pack.hpp"
#include "view.hpp"

namespace heddle::detail::hyb {

/// What the segmented sums of the rest are given for x and y: the sum of a long row goes to its
/// place in the mailbox.
template <Scalar V, Scalar Acc, class RestSums>
struct PostedSums {
  using vector_type = V;
  using accumulator_type = Acc;

  bool conjugate;
  Multivector<const V> x;
  RestSums sums;

  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION S entry(const S& stored) const {
    return multiplied(stored, conjugate);
  }
  template <Scalar S, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector) const {
    return Acc(value) * Acc(x(column, vector));
  }
  template <Scalar S, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector, bool wanted) const {
    return Acc(value) * Acc(backends::load(&x(column, vector), wanted));
  }
  template <Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION void store(O place, int vector, Acc sum) const {
    sums.post(place, vector, sum);
  }
};

/// y of packs of consecutive rows, a lane each: their slots, as in ELL, and for a long row the sum
/// of the rest, which was posted or is awaited.
template <class RowSums, class LongRows, class RestSums>
struct SlotsKernel {
  using Scratch = backends::NoScratch;
  using Acc = typename RowSums::Acc;

  RowSums rows;
  LongRows long_rows;
  RestSums rest;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    run(team, team.index());
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index) const {
    using Pack = backends::Pack<Team, Acc>;
    const std::int64_t first = (index * Team::threads + team.thread()) * RowSums::rows_per_lane;
    if (first >= rows.A.rows) return;
    Pack sum[RowSums::packs][RowSums::vectors];
    rows.add_up(first, 0, RowSums::batch, sum);
    for (int p = 0; p < RowSums::packs; ++p) {
      const std::int64_t row = first + p * Pack::width;
      const auto inside = Pack::Mask::first(rows.A.rows - row);
      for (int v = 0; v < RowSums::vectors; ++v) {
        if (v < rows.product.x.count) {
          store_pack(rows.product, row, v, with_rest(row, v, sum[p][v]), inside);
        }
      }
    }
  }

 private:
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack with_rest(std::int64_t row, int vector, Pack sum) const {
    Acc of[Pack::width];
    bool any = false;
    for (int i = 0; i < Pack::width; ++i) {
      of[i] = Acc(0);
      if (row + i < rows.A.rows && long_rows(row + i)) {
        of[i] = rest.collect(long_rows.place(row + i), vector);
        any = true;
      }
    }
    return any ? Pack::add(sum, Pack::load(of)) : sum;
  }
};

/// Both parts in one launch, where teams may wait for lower ones: first come the teams of the rest,
/// which post, then those of the slots, which collect. So y is written once.
///
/// Deterministic: a row's slots are added up in order, the rest in an order that the shares fix.
/// Source of the split: N. Bell and M. Garland, "Implementing sparse matrix-vector multiplication
/// on throughput-oriented processors", SC 2009, where the rest is added in a second launch.
template <class RestKernel, class SlotsKernel>
struct Kernel {
  using Scratch = typename RestKernel::Scratch;

  RestKernel rest;
  SlotsKernel slots;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.index() < rest.table.shares) return rest(team, scratch);
    slots.run(team, team.index() - rest.table.shares);
  }
};

}  // namespace heddle::detail::hyb
