// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../ordered/choice.hpp"
#include "options.hpp"

namespace heddle {

/// Stands for DefaultFormats where nothing of formats is to be read.
struct EveryFormat {};

namespace detail {

namespace gauss_seidel {

/// The vectors of some sweeps. `residual` has no data where none is asked for.
template <Scalar S>
struct SweepVectors {
  Multivector<const S> b;
  Multivector<S> x;
  Multivector<S> residual;

  SweepVectors slice(int first, int count) const {
    SweepVectors part{b.slice(first, count), x.slice(first, count), {}};
    if (residual.data) part.residual = residual.slice(first, count);
    return part;
  }
};

/// What a plan runs. Half sweeps are named by whether they go forward.
template <ExecutionSpace Exec, class Matrix>
class Executor {
 public:
  using S = typename Matrix::scalar_type;

  virtual ~Executor() = default;
  virtual const Scheme& scheme(bool forward) const = 0;
  virtual int levels(bool forward) const = 0;
  virtual bool has(bool forward) const = 0;
  /// Of a forward half sweep, if there is one.
  const Scheme& scheme() const { return scheme(has(true)); }
  virtual std::size_t bytes() const = 0;
  /// The lowest row whose diagonal is bad is marked in *bad_diagonal, if that is given.
  virtual void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad_diagonal) = 0;
  virtual void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps,
                   bool from_zero) = 0;
  /// Of gauss-seidel/split alone.
  virtual const Scheme* sptrsv_scheme(bool) const { return nullptr; }
  virtual const Scheme* spmv_scheme(bool) const { return nullptr; }
};

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
  /// make_split: null for who asks for no gauss-seidel/split.
  GaussSeidelPlanCore(const Exec& exec, const Matrix& A, const GaussSeidelOptions& options,
                      gauss_seidel::MakeExecutor<Exec, Matrix>* make_split);
  GaussSeidelPlanCore(GaussSeidelPlanCore&&) noexcept;
  GaussSeidelPlanCore& operator=(GaussSeidelPlanCore&&) noexcept;
  ~GaussSeidelPlanCore();

  void sweep(const Exec& exec, const gauss_seidel::SweepVectors<S>& vectors, bool wants_residual,
             int sweeps, bool from_zero) const;
  void update_values(const Exec& exec, const Matrix& A);
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const;
  void check_values(const Exec& exec) const;

  const Scheme& scheme() const;
  const SolveChoice& choice(const char* called) const;
  std::string explain() const { return choice("explain").explain(scheme()); }
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
