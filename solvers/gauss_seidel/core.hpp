// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/check_size.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/overlap.hpp"
#include "../../core/scheme.hpp"
#include "../ordered/choice.hpp"
#include "options.hpp"

namespace heddle {

/// Placeholder for DefaultFormats in code that includes no formats.
struct EveryFormat {};

namespace detail {

namespace ordered {
template <ExecutionSpace Exec, Ordinal O>
class Colors;
}  // namespace ordered

namespace gauss_seidel {

template <Ordinal O>
struct RowOrder;

/// The vectors of some sweeps. `residual` has no data if none is requested.
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

/// Runs the sweeps of a plan. `forward` selects the half sweep.
template <ExecutionSpace Exec, class Matrix>
class Executor {
 public:
  using S = typename Matrix::scalar_type;

  virtual ~Executor() = default;
  virtual const Scheme& scheme(bool forward) const = 0;
  virtual int levels(bool forward) const = 0;
  virtual bool has(bool forward) const = 0;
  /// Scheme of the forward half sweep if there is one, else of the backward one.
  const Scheme& scheme() const { return scheme(has(true)); }
  virtual std::size_t bytes() const = 0;
  /// Marks the lowest row with a bad diagonal in *bad_diagonal, unless that is null.
  virtual void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad_diagonal) = 0;
  virtual void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps,
                   bool from_zero) = 0;
  /// Schemes of the parts of gauss-seidel/split; null for other schemes.
  virtual const Scheme* sptrsv_scheme(bool) const { return nullptr; }
  virtual const Scheme* spmv_scheme(bool) const { return nullptr; }
};

template <ExecutionSpace Exec, class Matrix>
using MakeExecutor = std::unique_ptr<Executor<Exec, Matrix>>(const Exec&, const Matrix&,
                                                             const GaussSeidelOptions&);

/// Makes the executor of gauss-seidel/split, with products by formats of this list. Defined in
/// definitions.hpp.
template <ExecutionSpace Exec, class Matrix, class FormatList>
std::unique_ptr<Executor<Exec, Matrix>> make_split(const Exec& exec, const Matrix& A,
                                                   const GaussSeidelOptions& options);

}  // namespace gauss_seidel

/// Implementation of GaussSeidelPlan, with signed offsets. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix>
class GaussSeidelPlanCore {
 public:
  using S = typename Matrix::scalar_type;
  using Executor = gauss_seidel::Executor<Exec, Matrix>;

  GaussSeidelPlanCore(const Exec& exec, const Matrix& A, const GaussSeidelOptions& options,
                      gauss_seidel::MakeExecutor<Exec, Matrix>* make_split);
  GaussSeidelPlanCore(GaussSeidelPlanCore&&) noexcept;
  ~GaussSeidelPlanCore();

  void sweep(const Exec& exec, const gauss_seidel::SweepVectors<S>& vectors, bool wants_residual,
             int sweeps, bool from_zero) const;
  void update_values(const Exec& exec, const Matrix& A);
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const {
    return bad_diagonal_;
  }
  void check_values(const Exec& exec) const;

  const Scheme& scheme() const { return choice_.scheme(executor_->scheme()); }
  const SolveChoice& choice() const { return choice_; }
  std::string explain() const { return choice_.explain(scheme()); }
  int levels(SweepDirection sweep) const { return executor_->levels(is_forward(sweep)); }
  int colors() const;
  const Scheme& sptrsv_scheme(SweepDirection sweep) const {
    return of_split(sweep, &Executor::sptrsv_scheme);
  }
  const Scheme& spmv_scheme(SweepDirection sweep) const {
    return of_split(sweep, &Executor::spmv_scheme);
  }
  std::size_t bytes() const;

 private:
  using O = typename Matrix::ordinal_type;

  /// Makes sweeps by a scheme; without one the wavefronts choose.
  std::unique_ptr<Executor> make(const Exec& exec, const Matrix& A,
                                 const std::optional<Scheme>& scheme);
  /// Makes sweeps by a chosen scheme, if none is pinned.
  std::unique_ptr<Executor> make_chosen(const Exec& exec, const Matrix& A, const Device& device);
  std::string cache_key_of(const Exec& exec, const Matrix& A, const Device& device) const;
  /// The text of SolveChoice::seen.
  std::string describe_matrix(const Device& device) const;
  /// The order of the rows of a graph by options.order.
  template <class Graph>
  gauss_seidel::RowOrder<O> find_order(const Exec& exec, const Graph& graph);
  /// Whether the sweep is forward. Throws Error unless the plan has it.
  bool is_forward(SweepDirection sweep) const;
  /// A scheme of gauss-seidel/split that `of` gets. Throws Error for other schemes.
  const Scheme& of_split(SweepDirection sweep, const Scheme* (Executor::*of)(bool) const) const;

  GaussSeidelOptions options_;
  std::int64_t rows_;
  std::int64_t nonzeros_;
  PatternKey pattern_;
  SolveChoice choice_;
  std::unique_ptr<ordered::Colors<Exec, O>> colors_;
  std::unique_ptr<Executor> executor_;
  Kokkos::View<std::int64_t, typename Exec::memory_space> bad_diagonal_;
  OverlapCheck<Exec> overlap_;
};

}  // namespace detail

}  // namespace heddle
