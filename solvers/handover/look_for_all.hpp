// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::handover {

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

}  // namespace heddle::detail::handover
