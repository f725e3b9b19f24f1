// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/all_teams.hpp"
#include "../../core/device.hpp"
#include "../../core/multivector.hpp"
#include "cg_passes.hpp"

/// What conjugate gradients in one launch are given: cg/one-team, cg/one-cluster, cg/all-teams.
namespace heddle::detail::krylov {

/// The vectors of the iteration: pointers, or what takes a row in brackets as they do.
template <class Vector>
struct CgVectors {
  Vector x, r, p, q;
};

/// The system, the user's vectors, and which steps.
template <Scalar S, class Matrix>
struct CgProblem {
  const typename Matrix::offset_type* row_ptr;
  const typename Matrix::ordinal_type* col_idx;
  const typename Matrix::scalar_type* values;
  std::int64_t rows;
  Multivector<const S> b, diagonal;
  Multivector<S> solution;
  CgState* state;
  Limits limits;
  int stop, recompute_every;
  bool begins, ends, zero_guess;
};

/// Which scheme, if any, solves a system of one right-hand side in one launch: the one that is
/// pinned, or that is expected to be the fastest, where the system fits. Defined in cg_schemes.hpp.
template <ExecutionSpace Exec, Scalar S>
std::optional<Scheme> cg_in_one_launch(const Device& device, const std::optional<Scheme>& pinned,
                                       std::int64_t rows, std::int64_t nonzeros);

/// By any of these schemes. Defined in cg_launch.hpp.
template <Preconditioned how, ExecutionSpace Exec, Scalar S, class Matrix>
void launch_cg(const Exec& exec, const Scheme& scheme, const Device& device,
               const CgProblem<S, Matrix>& problem, const CgVectors<S*>& vectors,
               const VectorWorkspace<Exec, Wide<S>>& workspace,
               const backends::MeetingWords& meeting);

}  // namespace heddle::detail::krylov
