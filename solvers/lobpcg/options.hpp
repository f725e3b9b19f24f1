// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "../../core/words.hpp"

namespace heddle {

/// The wanted end of the spectrum.
enum class Wanted : int { smallest, largest };
template <>
inline constexpr detail::Word<Wanted> detail::words<Wanted>[] = {{Wanted::smallest, "smallest"},
                                                                 {Wanted::largest, "largest"}};

/// The scale that the tolerance of a pair is relative to.
enum class EigenRelativeTo : int { norm, value };
template <>
inline constexpr detail::Word<EigenRelativeTo> detail::words<EigenRelativeTo>[] = {
    {EigenRelativeTo::norm, "norm"}, {EigenRelativeTo::value, "value"}};

/// How a search for eigenpairs ended.
enum class EigenOutcome : int {
  converged,            ///< the true residuals of all pairs meet the tolerance
  iteration_limit,      ///< max_iterations iterations, and the tolerance is not met
  attainable_accuracy,  ///< the estimates meet the tolerance, true residuals do not and fall no
                        ///< more
  not_a_number,         ///< NaN or infinity in a product, or in the guess
  rank_deficient,       ///< no basis of `count` vectors was found
  indefinite,           ///< x' B x is not positive for some x
  not_symmetric,        ///< x' A y and y' A x differ by more than rounding, or those of B
  stagnated,            ///< residuals and Ritz values unchanged for stagnation_window iterations
  out_of_time,          ///< max_seconds are over
  stopped_by_user       ///< the callback returned false
};

template <>
inline constexpr detail::Word<EigenOutcome> detail::words<EigenOutcome>[] = {
    {EigenOutcome::converged, "converged"},
    {EigenOutcome::iteration_limit, "reached the iteration limit"},
    {EigenOutcome::attainable_accuracy,
     "true residuals fall no more, and miss the tolerance: ask for less, or for more "
     "precision"},
    {EigenOutcome::not_a_number, "NaN or infinity in a product or the guess"},
    {EigenOutcome::rank_deficient, "the vectors span too small a space"},
    {EigenOutcome::indefinite, "B is not positive definite"},
    {EigenOutcome::not_symmetric, "A or B is not symmetric"},
    {EigenOutcome::stagnated, "stagnated: the residuals fall no more"},
    {EigenOutcome::out_of_time, "the time allowed is over"},
    {EigenOutcome::stopped_by_user, "stopped by the callback"}};

/// Options of a search for eigenpairs.
struct LobpcgOptions {
  /// Number of eigenpairs; a multiple eigenvalue counts as often as it occurs.
  int count = 1;
  /// The wanted end of the spectrum.
  Wanted wanted = Wanted::smallest;
  /// A pair has converged if the norm of A x - lambda B x, for x of norm one, is at most this
  /// tolerance times a scale, which `relative_to` chooses. Default: 1e-8 for double, 1e-5 for
  /// float, and for the complex numbers of both.
  std::optional<double> relative_tolerance = std::nullopt;
  /// The scale. `norm`: a + |lambda| b, where a and b are the largest |A s| / |s| and |B s| / |s|
  /// of all vectors so far; without B only a, which is at most the norm of A. `value`: |lambda| |B
  /// x|, without B |lambda|: stricter, and the choice if the wanted eigenvalues are far below the
  /// norm of A; an eigenvalue of zero never converges by it.
  EigenRelativeTo relative_to = EigenRelativeTo::norm;
  /// After this many iterations the search ends with the pairs that it has.
  int max_iterations = 500;
  /// The search ends if for this many iterations the largest residual has not become smaller and
  /// the sum of the Ritz values is the same up to rounding.
  int stagnation_window = 200;
  /// Limit of time, tested after each iteration; the search then ends with the pairs that it has.
  double max_seconds = std::numeric_limits<double>::infinity();
  /// Whether solve gets B: A x = lambda B x. This needs 6 more vectors for each pair.
  bool generalized = false;
  /// The maximal number of constraint vectors of a solve.
  int constraints = 0;
  /// Called after each iteration with the largest residual. Returning false ends the search.
  std::function<bool(int iterations, double residual)> callback = {};
};

/// One eigenvalue and its accuracy.
struct Eigenpair {
  double value = 0;
  double residual = 0;  ///< the norm of A x - lambda B x over that of x, for the x that solve left
  /// Bound of the distance from `value` to the nearest eigenvalue. Without B: the residual. With B:
  /// the norm of A x - lambda B x, for x' B x = 1, over the root of the smallest s' B s / s' s of
  /// all vectors so far. It is a bound only if B's smallest eigenvalue is not below that.
  double error = 0;
  bool converged = false;
};

/// The result of a search. Pairs are in the order of their values, the outermost first.
struct LobpcgResult {
  EigenOutcome outcome = EigenOutcome::iteration_limit;
  int iterations = 0;
  double scale = 0;  ///< the factor of the tolerance, the largest of all pairs
  std::vector<Eigenpair> pairs;
  std::vector<double> history;  ///< the largest residual of each iteration, by the recurrence

  bool converged() const { return outcome == EigenOutcome::converged; }
};

}  // namespace heddle
