// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "../../core/types.hpp"
#include "solved_values.hpp"

namespace heddle::detail::ordered {

/// Looks once for all values of a batch of entries that are not there yet, all in flight together;
/// whether none is missing now. Value v of entry i lies at place(i, v) of the mailbox; one that is
/// not wanted begins as any number, and is not looked for.
template <class Mailbox, class Place, class V, int Batch, int Vectors>
KOKKOS_FORCEINLINE_FUNCTION bool look_for_all(const Mailbox& mailbox, const Place& place,
                                              V (&seen)[Batch][Vectors]) {
  HEDDLE_UNROLL(Batch)
  for (int i = 0; i < Batch; ++i) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) mailbox.look(place(i, v), 0, seen[i][v]);
  }
  bool missing = false;
  HEDDLE_UNROLL(Batch)
  for (int i = 0; i < Batch; ++i) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) missing |= !Mailbox::posted(seen[i][v]);
  }
  return !missing;
}

/// Entries of rows that a lane takes at once, with the values that they are multiplied by, of
/// Vectors right-hand sides. Of an entry that is not wanted, value and seen are zero.
template <class Operands, int Batch, int Vectors>
struct EntryBatch {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;
  using Solved = SolvedValues<V>;

  O needed[Batch];
  S value[Batch];
  V seen[Batch][Vectors];

  /// The entry at `slot` of two arrays. Nothing is read of one that is not wanted.
  KOKKOS_FORCEINLINE_FUNCTION void load(int i, const O* needed_at, const S* value_at, bool wanted) {
    needed[i] = backends::load_once(needed_at, wanted);
    value[i] = backends::load_once(value_at, wanted);
  }
  /// Before the first look at an entry: of right-hand side `first` and those after it.
  KOKKOS_FORCEINLINE_FUNCTION void want(int i, const Solved& solved, int first, bool wanted) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      seen[i][v] = wanted && first + v < solved.vectors ? Solved::Mailbox::not_posted() : V(0);
    }
  }
  /// Entries k, k + stride, ... below end of a triangle.
  template <class T, class Off>
  KOKKOS_FORCEINLINE_FUNCTION void load_row(const T& triangle, const Solved& solved, Off k, Off end,
                                            Off stride) {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const Off entry = k + i * stride;
      load(i, triangle.needed + entry, triangle.values + entry, entry < end);
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) want(i, solved, 0, k + i * stride < end);
  }

  /// Looks once for all values that are not there yet; whether none is missing now.
  KOKKOS_FORCEINLINE_FUNCTION bool look(const Solved& solved, int set, int first = 0) {
    const auto place = [&](int i, int v) { return solved.at(needed[i], first + v); };
    return look_for_all(solved.sets[set], place, seen);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to(Acc (&sum)[Vectors], const Operands& operands) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) sum[v] += operands.value(value[i]) * Acc(seen[i][v]);
    }
  }
};

}  // namespace heddle::detail::ordered
