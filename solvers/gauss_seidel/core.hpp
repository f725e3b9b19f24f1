// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "executor.hpp"
#include "options.hpp"

namespace heddle {

/// Stands for AllFormats where nothing of formats is to be read.
struct EveryFormat {};

namespace detail {

namespace gauss_seidel {

template <ExecutionSpace Exec, class Matrix>
using MakeExecutor = std::unique_ptr<Executor<Exec, Matrix>>(const Exec&, const Matrix&,
                                                             const GaussSeidelOptions&);

/// What runs gauss-seidel/split, with products by formats of this list. Defined in definitions.hpp,
/// as all that is declared here.
template <ExecutionSpace Exec, class Matrix, class FormatList>
std::unique_ptr<Executor<Exec, Matrix>> make_split(const Exec& exec, const Matrix& A,
                                                   const GaussSeidelOptions& options);

}  // namespace gauss_seidel

/// What a GaussSeidelPlan does, for a matrix of signed offsets.
template <ExecutionSpace Exec, class Matrix>
class GaussSeidelPlanCore {
 public:
  using S = typename Matrix::scalar_type;

  GaussSeidelPlanCore();
  GaussSeidelPlanCore(const Exec& exec, const Matrix& A, const GaussSeidelOptions& options,
                      gauss_seidel::MakeExecutor<Exec, Matrix>& make_split);
  GaussSeidelPlanCore(GaussSeidelPlanCore&&) noexcept;
  GaussSeidelPlanCore& operator=(GaussSeidelPlanCore&&) noexcept;
  ~GaussSeidelPlanCore();

  void sweep(const Exec& exec, const gauss_seidel::SweepVectors<S>& vectors, bool wants_residual,
             int sweeps, bool from_zero);
  void update_values(const Exec& exec, const Matrix& A);
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const;
  void check_values(const Exec& exec) const;

  const Scheme& scheme() const;
  int levels(SweepDirection sweep) const;
  int colors() const;
  const Scheme& sptrsv_scheme(SweepDirection sweep) const;
  const Scheme& spmv_scheme(SweepDirection sweep) const;
  double setup_seconds() const;
  std::size_t bytes() const;
  /// Of what a plan was made with; also of one that was moved from.
  SweepDirection options_sweep() const { return sweep_; }

 private:
  struct State;
  State& state(const char* called) const;

  MoveOnly moves_;
  SweepDirection sweep_ = SweepDirection::symmetric;
  std::unique_ptr<State> state_;
};

}  // namespace detail

}  // namespace heddle
