// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/check_size.hpp"
#include "../ordered/choice.hpp"
#include "../triangle/check_triangle.hpp"
#include "../vectors/operands.hpp"
#include "block_kernels.hpp"
#include "core.hpp"
#include "fields.hpp"
#include "rows.hpp"

namespace heddle::detail::gauss_seidel {

static_assert(most_block_rows == 8, "fields.hpp has the range of block_size");

/// Throws Error unless options are valid.
inline void check_options(const GaussSeidelOptions& options) {
  check_fields(options);
  if ((options.sptrsv_scheme || options.spmv_scheme) &&
      !(options.scheme && options.scheme->has("split"))) {
    throw Error(std::string("options.") +
                    (options.sptrsv_scheme ? "sptrsv_scheme" : "spmv_scheme") +
                    " is given, and options.scheme is not gauss-seidel/split, which alone uses it",
                "pin options.scheme to gauss-seidel/split, or leave it out");
  }
}

/// The message for a diagonal that sweeps cannot divide by; with blocks the error names the first
/// row of the block.
inline triangle::DiagonalWords diagonal_words(const GaussSeidelOptions& options) {
  if (options.block_size == 1) return {.advice = "store one, or shift it"};
  return {"the diagonal block that begins here is singular or not finite",
          "shift the diagonal, or give another options.block_size"};
}

/// Throws Error unless the vectors fit a plan of `rows` rows, and the number of sweeps is valid.
template <Scalar S>
void check_sweeps(std::int64_t rows, const SweepVectors<S>& vectors, bool wants_residual,
                  int sweeps) {
  using detail::vectors::check_alike;
  using detail::vectors::check_distinct;
  const auto& b = vectors.b;
  check_alike("b", b, "x", vectors.x);
  check_distinct("b", b, "x", vectors.x);
  if (b.rows != rows) {
    throw Error("b is " + std::to_string(b.rows) + " x " + std::to_string(b.count) +
                    ", and the plan is for " + std::to_string(rows) + " rows",
                "give as many rows as A has");
  }
  if (sweeps < 0) {
    throw Error(std::to_string(sweeps) + " sweeps were asked for", "give 0 or more");
  }
  if (!wants_residual) return;
  check_alike("the residual", vectors.residual, "x", vectors.x);
  check_distinct("the residual", vectors.residual, "x", vectors.x);
  check_distinct("the residual", vectors.residual, "b", b);
  if (sweeps < 1) {
    throw Error("the residual of " + std::to_string(sweeps) + " sweeps was asked for",
                "give one sweep or more");
  }
}

}  // namespace heddle::detail::gauss_seidel
