// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>

#include "../../core/asserts.hpp"
#include "../../core/words.hpp"

namespace heddle {

/// The library of SuiteSparse that factors a sparse matrix.
enum class SparseDirectMethod {
  automatic,  ///< the first of these three that fits the matrix; see SparseDirectPlan
  cholmod,    ///< Cholesky factors of a symmetric or Hermitian positive definite matrix
  klu,        ///< LU factors of one with little fill, such as a circuit's
  umfpack     ///< LU factors of any other
};
template <>
inline constexpr detail::Word<SparseDirectMethod> detail::words<SparseDirectMethod>[] = {
    {SparseDirectMethod::automatic, "auto"},
    {SparseDirectMethod::cholmod, "cholmod"},
    {SparseDirectMethod::klu, "klu"},
    {SparseDirectMethod::umfpack, "umfpack"}};

/// Options of SparseDirectPlan. Every default is sensible.
struct SparseDirectOptions {
  /// The library that factors.
  SparseDirectMethod method = SparseDirectMethod::automatic;
  /// Steps of iterative refinement in each apply: x += M (b - A x). Each costs a solve and a
  /// product on the host.
  int refinement_steps = 1;
  /// Largest memory of the factors, in bytes, by the forecast of the symbolic analysis. By default
  /// there is no limit.
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  /// Whether update_values compares patterns: SptrsvOptions::check_pattern.
  bool check_pattern = heddle::detail::asserts;
};

/// The prediction of a factorization by its symbolic analysis.
struct SparseDirectForecast {
  SparseDirectMethod method = SparseDirectMethod::automatic;
  std::size_t bytes = 0;      ///< host memory; of UMFPACK with its workspace, an upper bound
  double flops = 0;           ///< operations, complex ones of a complex matrix
  double factor_entries = 0;  ///< entries of L, or of L and U
};

}  // namespace heddle
