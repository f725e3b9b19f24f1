// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/device.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/check_triangle.hpp"
#include "../../triangle/graph.hpp"

namespace heddle::detail::sptrsv {

/// What a plan knows when it asks for an executor. The references live as long as the call.
template <ExecutionSpace Exec, class Matrix>
struct SolveInspection {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Exec& exec;
  const Matrix& T;                ///< as the user gave it
  triangle::Graph<O, Off> graph;  ///< of T, or of its transpose
  const Off* origin;              ///< entry k of the graph is entry origin[k] of T; null: entry k
  const triangle::TriangleSums& sums;
  const Device& device;
  Diagonal diagonal;
  int vectors;                          ///< right-hand sides at once that there is room for
  bool pinned;                          ///< whether the caller asked for the scheme
  const ordered::Levels<Exec>* levels;  ///< where they were looked for
  int threads;  ///< of a CPU, that the caller asked for; 0: those that have a processor each
};

}  // namespace heddle::detail::sptrsv
