// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <limits>

#include "../../backends/lanes.hpp"
#include "../../core/types.hpp"
#include "sweep.hpp"

namespace heddle::detail::ordered {

/// The argument `visit` of reads(i, visit): passes an item to earlier(j) or later(j).
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

  /// The iteration that the loop runs at a position.
  KOKKOS_FORCEINLINE_FUNCTION O iteration(std::int64_t position) const {
    return static_cast<O>(sweep == SweepDirection::forward ? position : iterations - 1 - position);
  }
  /// Whether the loop runs j before i.
  KOKKOS_FORCEINLINE_FUNCTION bool before(O j, O i) const {
    return sweep == SweepDirection::forward ? j < i : j > i;
  }
  /// Calls earlier(j) for every item that iteration i reads and an earlier one writes, and later(j)
  /// for those that a later one writes. Returns whether no item is outside of the loop.
  template <class Earlier, class Later>
  KOKKOS_FORCEINLINE_FUNCTION bool visit(O i, const Earlier& earlier, const Later& later) const {
    bool inside = true;
    reads(i, Sorted<Loop, Earlier, Later>{*this, i, earlier, later, inside});
    return inside;
  }
};

/// The result of the search for levels.
struct LevelSums {
  int levels = 0;
  std::int64_t bad = nowhere;  ///< the lowest iteration that reads an item that it may not

  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
};

/// Steps are the unit of work on CPUs: one for each item that an iteration reads, and this many for
/// the iteration itself.
inline constexpr std::int64_t steps_per_iteration = 4;
/// Iterations of a chunk that one thread processes in the search for levels.
inline constexpr std::int64_t search_chunk = 1024;

/// The iteration at a place.
template <class O>
struct PlaceOrder {
  const O* iterations;  ///< null: in the order of the loop
  O count;
  SweepDirection sweep;

  KOKKOS_FORCEINLINE_FUNCTION O operator()(std::int64_t place) const {
    if (iterations) return iterations[place];
    return static_cast<O>(sweep == SweepDirection::forward ? place : count - 1 - place);
  }
};

/// The place of an iteration: the inverse of PlaceOrder.
template <class O>
struct PlaceOf {
  const O* place;  ///< null: in the order of the loop
  O count;
  SweepDirection sweep;

  KOKKOS_FORCEINLINE_FUNCTION O operator()(O iteration) const {
    if (place) return place[iteration];
    return sweep == SweepDirection::forward ? iteration : count - 1 - iteration;
  }
};

template <Ordinal O>
struct PlaceOfIterations {
  const O* iterations;
  O* place;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    place[iterations[p]] = static_cast<O>(p);
  }
};

/// Runs the user's body for the iteration at a place.
template <class O, class Body>
struct BodyAtPlace {
  PlaceOrder<O> order;
  Body body;

  HEDDLE_NO_EXECUTION_CHECK
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place) const { body(order(place)); }
};

}  // namespace heddle::detail::ordered
