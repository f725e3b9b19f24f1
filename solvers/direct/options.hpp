// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../../core/scheme_grammar.hpp"
#include "../../core/words.hpp"

namespace heddle {

/// The order of rows and columns in which a band is factored.
enum class DirectOrdering {
  automatic,  ///< the one of the two below that is predicted to need fewer operations
  natural,    ///< as in the matrix
  rcm         ///< reverse Cuthill-McKee, of the pattern of A + A'
};
template <>
inline constexpr detail::Word<DirectOrdering> detail::words<DirectOrdering>[] = {
    {DirectOrdering::automatic, "auto"},
    {DirectOrdering::natural, "natural"},
    {DirectOrdering::rcm, "rcm"}};

/// Options of DirectPlan. Every default is sensible.
struct DirectOptions {
  /// The order in which a band is factored. A dense factorization needs none: with direct/dense
  /// pinned, another value than automatic is an Error.
  DirectOrdering ordering = DirectOrdering::automatic;
  /// Steps of iterative refinement in each apply: x += (LU)^-1 (b - A x), where the residual is
  /// computed from a copy of A, and added up in double precision. One step corrects what row pivots
  /// lose in nearly all cases. Each costs one more solve and one product.
  int refinement_steps = 0;
  /// Largest memory of the plan, in bytes. If neither way to factor needs less, making the plan is
  /// an Error that names both numbers.
  std::size_t max_bytes = std::size_t{1} << 31;
  /// The vectors that b will hold. Any number works; the plan reserves memory to solve for this
  /// many at once, up to 64.
  ExpectedVectors vectors = {};
  /// Pins the scheme: direct/dense, direct/band, or direct/band,ordering=rcm.
  std::optional<Scheme> scheme = std::nullopt;
  /// Whether overlapping applies of one plan are detected: SptrsvOptions::check_overlap.
  bool check_overlap = heddle::detail::asserts;
  /// Whether update_values compares patterns: SptrsvOptions::check_pattern.
  bool check_pattern = heddle::detail::asserts;
};

/// The predicted needs of a direct factorization.
struct DirectForecast {
  Scheme scheme;
  std::size_t bytes = 0;                                  ///< device memory of the plan
  double flops = 0;                                       ///< real operations of one factorization
  std::int64_t lower_bandwidth = 0, upper_bandwidth = 0;  ///< in the order of the factors
};

namespace detail::direct {

/// direct/dense: all entries. direct/band: those from the lowest to the highest diagonal, and the
/// fill of row exchanges.
inline SchemeGrammar grammar() {
  return {"direct",
          {{"dense"}, {"band", {}, {SchemeKey("ordering", {"natural", "rcm"}, scheme_auto)}}}};
}

}  // namespace detail::direct

}  // namespace heddle
