// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include "../../backends/execution_check.hpp"
#include "../../backends/lanes.hpp"
#include "../../core/types.hpp"
#include "sweep.hpp"

namespace heddle::detail::order {

/// What reads(i, visit) is given for `visit`: an item goes to earlier(j) or later(j).
template <class Loop, class Earlier, class Later>
struct Sorted {
  using O = decltype(Loop::iterations);

  const Loop& loop;
  O i;
  const Earlier& earlier;
  const Later& later;
  bool& inside;

  HEDDLE_NO_EXECUTION_CHECK
  template <class Item>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Item& item) const {
    const auto j = static_cast<std::int64_t>(item);
    if (j < 0 || j >= static_cast<std::int64_t>(loop.iterations)) {
      inside = false;
    } else if (loop.before(static_cast<O>(j), i)) {
      earlier(static_cast<O>(j));
    } else if (static_cast<O>(j) != i) {
      later(static_cast<O>(j));
    }
  }
};

/// A loop whose iteration i writes item i and reads the items that reads(i, visit) visits.
template <Ordinal O, class Reads>
struct Loop {
  O iterations;
  SweepDirection sweep;
  ReadsAhead ahead;
  Reads reads;

  /// The one that the loop runs at this position.
  KOKKOS_FORCEINLINE_FUNCTION O iteration(std::int64_t position) const {
    return static_cast<O>(sweep == SweepDirection::forward ? position : iterations - 1 - position);
  }
  /// Whether the loop runs j before i.
  KOKKOS_FORCEINLINE_FUNCTION bool before(O j, O i) const {
    return sweep == SweepDirection::forward ? j < i : j > i;
  }
  /// earlier(j) for every item that an iteration before i writes and i reads, later(j) for those
  /// that one after i writes. Whether no item lies outside of the loop.
  template <class Earlier, class Later>
  KOKKOS_FORCEINLINE_FUNCTION bool visit(O i, const Earlier& earlier, const Later& later) const {
    bool inside = true;
    reads(i, Sorted<Loop, Earlier, Later>{*this, i, earlier, later, inside});
    return inside;
  }
};

/// What the search for levels says.
struct LevelSums {
  int levels = 0;
  std::int64_t bad = nowhere;  ///< the first iteration that reads ahead, or outside, unlawfully

  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
};

}  // namespace heddle::detail::order
