// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "../../backends/execution_check.hpp"
#include "sweep.hpp"

namespace heddle::detail::order {

/// The iteration that stands at a place.
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

/// The place at which an iteration stands: the way back.
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

/// The user's body, at a place.
template <class O, class Body>
struct BodyAtPlace {
  PlaceOrder<O> order;
  Body body;

  HEDDLE_NO_EXECUTION_CHECK
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place) const { body(order(place)); }
};

}  // namespace heddle::detail::order
