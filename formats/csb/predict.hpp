// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"
#include "tuning.hpp"

namespace heddle::detail::csb {

/// The parameters of a scheme csb, those that it leaves out resolved.
struct Parameters {
  int beta = tuning.beta;
  bool morton = false;

  explicit Parameters(const Scheme& scheme) {
    if (scheme.has("beta")) beta = static_cast<int>(scheme.integer("beta"));
    morton = scheme.has("order") && scheme.value("order") == "morton";
  }
  Scheme scheme() const {
    std::vector<SchemeTerm> terms{{"beta", std::to_string(beta)}};
    terms.emplace_back("order", morton ? "morton" : "rows");
    return Scheme("csb", std::move(terms));
  }
};

/// From the bytes: a value and two local indices for each nonzero, x and y once; twice that where
/// one triangle is stored, in two sweeps. Nobody has measured CSB: it is taken to be five times as
/// slow, so that it is not chosen where another format is possible.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  constexpr double not_measured = 5;
  const Parameters parameters(scheme);
  const auto n = static_cast<double>(rows.nonzeros);
  const double block_rows = std::ceil(static_cast<double>(rows.rows) / parameters.beta);
  const double block_columns = std::ceil(static_cast<double>(rows.columns) / parameters.beta);
  const double entry = sizes.scalar_bytes + 2.0 * sizeof(std::uint16_t);
  const double table = block_rows * block_columns / 8;
  if (table > std::max(tuning.most_table_bytes, n * entry)) {
    return Prediction::refuse(std::to_string(std::llround(block_rows)) + " x " +
                              std::to_string(std::llround(block_columns)) +
                              " blocks would need a table larger than the matrix");
  }
  const double vectors = sizes.vectors.count;
  const double sweeps = sizes.symmetry == Symmetry::none ? 1 : 2;
  const double blocks = std::min(n, block_rows * block_columns);
  const double of_blocks = blocks * (4.0 * sizes.offset_bytes + 2.0 * sizes.ordinal_bytes);
  const double source = parameters.morton ? sizes.offset_bytes : 0;
  const double bytes_per_second = estimated_bytes_per_second(device);
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes = n * (entry + source) + of_blocks;
  prediction.moved_bytes =
      sweeps * (n * entry + of_blocks +
                vectors * sizes.vector_bytes * static_cast<double>(rows.rows + rows.columns));
  prediction.reason = "blocks of " + std::to_string(parameters.beta) + " rows and columns, " +
                      (sweeps == 1 ? "for A and its transpose alike"
                                   : "the only format of which one triangle is enough");
  prediction.seconds = 2 * sweeps * estimated_launch_seconds(device) +
                       not_measured * prediction.moved_bytes / bytes_per_second;
  prediction.setup_seconds =
      12 * estimated_setup_seconds(device) + 20 * csr_least_bytes(rows, sizes) / bytes_per_second;
  return prediction;
}

}  // namespace heddle::detail::csb
