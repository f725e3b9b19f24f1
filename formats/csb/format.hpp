// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "../../core/device.hpp"
#include "../../core/scheme_grammar.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"
#include "../inspect/recipe/walks.hpp"

namespace heddle::detail::csb {

/// Sizes of the kernels of CSB, read by its launches and by the cost model. None was tuned.
struct Tuning {
  /// Rows and columns of a block: 4096 sums of double are 32 KB of scratch.
  int beta = 4096;
  /// Threads of a team on a GPU.
  int team_threads = 256;
  /// Vectors of one pass, if the plan expects several and scratch can hold their sums.
  int most_vectors = 4;
  /// Pieces for each multiprocessor of a GPU and each thread of a CPU, if all pieces are alike.
  int gpu_pieces = 4;
  int cpu_pieces = 8;
  /// Most bytes of the table in which the inspector marks blocks, unless the matrix has more.
  double most_table_bytes = 64e6;

  int pieces(const Device& device) const {
    return device.multiprocessors * (device.has_lanes() ? gpu_pieces : cpu_pieces);
  }
};

inline constexpr Tuning tuning{};

/// How the mirror images of off-diagonal blocks of a triangle are added to y: by a second sweep,
/// which reads these blocks again, or by atomic additions, which is not reproducible.
enum class Mirroring { two, atomics };

/// The parameters of a scheme csb; for predict and inspect alike.
struct Parameters {
  std::optional<int> beta;
  std::optional<Mirroring> sweep;  ///< for a triangle only

  void list(SchemeFields& fields, const Device&) {
    fields.add(beta, {.key = "beta", .numbers = {256, 65536, true}});
    fields.add(sweep, {.key = "sweep", .words = {"two", "atomics"}});
  }
  static Parameters resolve(const Scheme& scheme, bool triangle, const Device& device) {
    auto all = parameters_of<Parameters>(scheme, device);
    if (!all.beta) all.beta = tuning.beta;
    if (triangle && !all.sweep) all.sweep = Mirroring::two;
    return all;
  }
};

/// Bytes that the mirror image of a triangle adds. Lengths of rows do not show the columns: all
/// entries are assumed to be in off-diagonal blocks, spread over all of these.
inline double mirrored_bytes(const Parameters& parameters, const RowFeatures& rows,
                             const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros), side = static_cast<double>(rows.rows);
  const double vectors = sizes.vectors.count * sizes.vector_bytes;
  if (parameters.sweep == Mirroring::atomics) return 2 * n * vectors;
  const double panels = std::ceil(side / *parameters.beta);
  const double blocks = std::min(n, panels * (panels - 1) / 2);
  const double entry = sizes.scalar_bytes + 2.0 * sizeof(std::uint16_t);
  const double block = 3.0 * sizes.offset_bytes + sizes.ordinal_bytes;
  return n * entry + blocks * block + (blocks > 0 ? 3 * vectors * side : 0);
}

/// Bytes of the pieces, and of the partial sums of panels that are cut or do not fit in scratch.
/// All block columns are assumed to have equally many entries.
inline double bytes_of_pieces(const Parameters& parameters, const RowFeatures& rows,
                              const Device& device, const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros);
  const double beta = *parameters.beta, sums = beta * sizes.accumulator_bytes;
  const auto scratch = static_cast<double>(device.scratch_bytes);
  const bool through_memory = sums > scratch;
  const bool several =
      sizes.vectors.count > 1 && (through_memory || sums * tuning.most_vectors <= scratch);
  const auto longer_side = static_cast<double>(std::max(rows.rows, rows.columns));
  const double target = std::max(
      {1.0, std::min(beta, longer_side), std::floor(n / std::max(1, tuning.pieces(device)))});
  const double panels = std::ceil(longer_side / beta);
  const double in_row_panel = std::min(n, beta * static_cast<double>(rows.longest_row));
  const double in_column_panel =
      n / std::ceil(std::max(1.0, static_cast<double>(rows.columns)) / beta);
  const bool cut = std::max(in_row_panel, in_column_panel) >= 2 * target;
  const double pieces = panels + n / target;
  const double partials = (through_memory ? panels : 0) + (cut ? n / target : 0);
  const double piece = sizes.ordinal_bytes + 3.0 * sizes.offset_bytes + sizeof(std::int64_t);
  return 2 * (pieces * piece + panels * 2 * sizeof(std::int64_t)) +
         partials * sums * (several ? tuning.most_vectors : 1);
}

/// Predicts from the bytes: a value and two local indices for each nonzero, x and y once; for a
/// stored triangle also its mirror image. A last resort: on an H200 it took 4.6 times as long as
/// the best of CSR on average, 2.2 at least (docs/design/formats.md), and a triangle 8 to 32 times
/// as long as CSR of the whole matrix (perf_tests/results/NOTES-spmv.md).
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  const bool triangle = sizes.symmetry != Symmetry::none;
  const auto parameters = Parameters::resolve(scheme, triangle, device);
  const auto n = static_cast<double>(rows.nonzeros);
  const double block_rows = std::ceil(static_cast<double>(rows.rows) / *parameters.beta);
  const double block_columns = std::ceil(static_cast<double>(rows.columns) / *parameters.beta);
  const double entry = sizes.scalar_bytes + 2.0 * sizeof(std::uint16_t);
  const double table = block_rows * block_columns / 8;
  if (table > std::max(tuning.most_table_bytes, n * entry)) {
    return Prediction::refuse(std::to_string(std::llround(block_rows)) + " x " +
                              std::to_string(std::llround(block_columns)) +
                              " blocks would need a table larger than the matrix");
  }
  if (parameters.sweep && !triangle) {
    return Prediction::refuse("sweep is for a matrix of which one triangle is stored");
  }
  const double vectors = sizes.vectors.count;
  const double blocks = std::min(n, block_rows * block_columns);
  const double of_blocks = blocks * (4.0 * sizes.offset_bytes + 2.0 * sizes.ordinal_bytes);
  const bool sorted = device.has_lanes() && n / block_rows > recipe::most_walked_by_subwarp;
  const double source = sorted ? sizes.offset_bytes : 0;
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes =
      n * (entry + source) + of_blocks + bytes_of_pieces(parameters, rows, device, sizes);
  prediction.moved_bytes =
      n * entry + of_blocks +
      vectors * sizes.vector_bytes * static_cast<double>(rows.rows + rows.columns) +
      (triangle ? mirrored_bytes(parameters, rows, sizes) : 0);
  prediction.reason = "blocks of " + std::to_string(*parameters.beta) + " rows and columns, " +
                      (triangle ? "for one triangle as it is" : "for A and its transpose alike");
  prediction.last_resort = true;
  const int launches = triangle ? 4 : 2;
  if (device.has_lanes()) {
    prediction.price(GpuCost{.launches = launches,
                             .slowdown = 5,
                             .several = {{3.3, 3.0, 4.7, 7.7}, {3.1, 4.6, 8.5}},
                             .setup = {698, 168, 213, 5}},
                     rows, device, sizes);
  } else {
    prediction.price(CpuCost{.slowdown = 5,
                             .launches = launches,
                             .setup_waits = 12,
                             .setup_bytes = 20 * csr_least_bytes(rows, sizes)},
                     device);
  }
  return prediction;
}

}  // namespace heddle::detail::csb

namespace heddle {

/// Compressed sparse blocks: large square blocks, each a list of entries with 16-bit indices. A and
/// its transpose cost the same. Accepts a matrix of which one triangle is stored
/// (SpmvOptions::symmetry). Copies the matrix.
struct CsbFormat {
  static constexpr const char* name = "csb";
  static constexpr bool takes_triangles = true;

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::csb::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::csb::predict(scheme, features.rows(), device, sizes);
  }

  static bool applies(Op, const Scheme&) { return true; }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(CsbFormat)
