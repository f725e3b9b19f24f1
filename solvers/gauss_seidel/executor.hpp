// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"

namespace heddle::detail::gauss_seidel {

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
  virtual std::size_t bytes() const = 0;
  /// *bad_diagonal, if that is given: see Rows::update_values.
  virtual void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad_diagonal) = 0;
  virtual void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps,
                   bool from_zero) = 0;
  /// Of gauss-seidel/split alone.
  virtual const Scheme* sptrsv_scheme(bool) const { return nullptr; }
  virtual const Scheme* spmv_scheme(bool) const { return nullptr; }
};

}  // namespace heddle::detail::gauss_seidel
