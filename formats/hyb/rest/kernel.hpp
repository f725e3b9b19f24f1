// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/mailbox.hpp"
#include "../../../backends/memory.hpp"
#include "../../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::hyb::rest {

/// What the segmented sums of the rest are given for x and y: the sum of a long row goes to its
/// place in the mailbox.
template <Scalar V, Scalar Acc, class Mailbox>
struct PostedSums {
  using vector_type = V;
  using accumulator_type = Acc;

  bool conjugate;
  Multivector<const V> x;
  Mailbox sums;

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

/// What the rest adds to sums of the main part: of a long row the sum that was posted, or is
/// awaited.
template <Ordinal O, class Mailbox>
struct CollectedSums {
  LongRows<O> long_rows;
  Mailbox sums;
  std::int64_t rows;

  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack add_to(const Pack& sum, std::int64_t row, int vector) const {
    using Acc = decltype(sums.collect(0, 0));
    Acc of[Pack::width];
    bool any = false;
    for (int i = 0; i < Pack::width; ++i) {
      of[i] = Acc(0);
      if (row + i < rows && long_rows(row + i)) {
        of[i] = sums.collect(long_rows.place(row + i), vector);
        any = true;
      }
    }
    return any ? Pack::add(sum, Pack::load(of)) : sum;
  }
};

/// Both parts in one launch, where teams may wait for lower ones: first come the teams of the rest,
/// which post, then those of the main part, which collect. So y is written once.
///
/// MainKernel has run(team, index, scratch), with indices from zero, and is deterministic; so is
/// this, since the rest is added up in an order that its shares fix. Source of the split: N. Bell
/// and M. Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
/// processors", SC 2009, where the rest is added in a second launch.
template <class RestKernel, class MainKernel>
struct Kernel {
  union Scratch {
    typename RestKernel::Scratch rest;
    typename MainKernel::Scratch main;
  };

  RestKernel rest;
  MainKernel main;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.index() < rest.table.shares) return rest(team, scratch.rest);
    main.run(team, team.index() - rest.table.shares, scratch.main);
  }
};

}  // namespace heddle::detail::hyb::rest
