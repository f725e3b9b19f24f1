// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/multivector.hpp"
#include "../../formats/plan/spmv_options.hpp"
#include "../sptrsv/options.hpp"

namespace heddle {

/// The order in which a sweep takes the rows.
enum class GaussSeidelSweep {
  forward,   ///< first to last
  backward,  ///< last to first
  symmetric  ///< forward, then backward
};

/// In words.
constexpr const char* name(GaussSeidelSweep sweep) {
  switch (sweep) {
    case GaussSeidelSweep::forward: return "forward";
    case GaussSeidelSweep::backward: return "backward";
    case GaussSeidelSweep::symmetric: return "symmetric";
  }
  return "?";
}

/// What a user may say about Gauss-Seidel; every default is sensible.
struct GaussSeidelOptions {
  /// What one apply does.
  GaussSeidelSweep sweep = GaussSeidelSweep::symmetric;
  /// Relaxation, of more than 0 and less than 2: 1 is Gauss-Seidel, others are SOR and SSOR.
  double omega = 1;
  /// The vectors that b will hold; room is kept for so many.
  ExpectedVectors vectors = {};
  /// How often the plan will be applied; the choices weigh the inspection against that.
  std::int64_t expected_applies = 1000;
  /// Pins the scheme of the triangular solves.
  std::optional<Scheme> sptrsv_scheme = std::nullopt;
  /// Pins the scheme of the products with the other triangle.
  std::optional<Scheme> spmv_scheme = std::nullopt;
};

}  // namespace heddle
