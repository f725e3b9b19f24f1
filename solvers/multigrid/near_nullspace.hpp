// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <string>

#include "../../backends/loops.hpp"
#include "../../core/multivector.hpp"
#include "../../core/rounded.hpp"
#include "../../formats/matrix/norms.hpp"
#include "../krylov/squares.hpp"
#include "tentative.hpp"

/// The near-nullspace vectors of a user.
namespace heddle::detail::multigrid {

template <Scalar S>
struct SizeOfEntry {
  Multivector<const S> vector;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return static_cast<double>(Kokkos::abs(vector(i, 0)));
  }
};

template <Scalar From, Scalar To>
struct CopyScaled {
  Multivector<const From> from;
  Multivector<To> to;
  double scale;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i, 0) = rounded<To>(from(i, 0) * From(static_cast<heddle::RealOf<From>>(scale)));
  }
};

/// Without vectors of the user: the constant of each of the unknowns of a node.
template <Scalar S>
struct ConstantOfField {
  NearNullspace<S> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows, vector = i / to.rows;
    to(row, static_cast<int>(vector)) = S(row % to.vectors == vector ? 1 : 0);
  }
};

/// Copies vectors, each times a power of two such that its largest entry is about 1: norms neither
/// over- nor underflow, in float either. Throws Error if one is not finite, or all are zero. Waits.
template <ExecutionSpace Exec, Scalar From, Scalar To>
void copy_near_nullspace(const Exec& exec, const Multivector<const From>& from,
                         const Multivector<To>& to) {
  bool any = from.count == 0 || from.rows == 0;
  for (int v = 0; v < from.count; ++v) {
    const Multivector<const From> vector = from.slice(v, 1);
    const double largest = largest_of(exec, from.rows, SizeOfEntry<From>{vector});
    if (!std::isfinite(largest)) {
      throw Error("near-nullspace vector " + std::to_string(v) + " is not finite",
                  "give finite vectors");
    }
    any = any || largest > 0;
    parallel_for(exec, "heddle::multigrid::near_nullspace", from.rows,
                 CopyScaled<From, To>{vector, to.slice(v, 1),
                                      krylov::PowerOfTwo::below(largest).reciprocal});
  }
  if (!any) {
    throw Error("all near-nullspace vectors are zero",
                "give the constant vector, or none, which means the same");
  }
}

}  // namespace heddle::detail::multigrid
