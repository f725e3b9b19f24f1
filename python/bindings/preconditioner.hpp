// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/cg.hpp>
#include <string>

#include "arrays.hpp"

namespace heddle::python {

/// A plan that solves with something near A: x = M b.
class Preconditioner : public Kept {
 public:
  virtual void apply(const Exec& exec, bool transposed, const Vectors<const double>& b,
                     const Vectors<double>& x) = 0;
  virtual void prepare_transpose(const Exec& exec) = 0;
  /// And checks them, as no apply does.
  virtual void update_values(const Exec& exec, const Matrix::Csr& A) = 0;
  virtual bool symmetric() const = 0;
  virtual std::string name() const = 0;
  virtual std::string scheme() const = 0;
  virtual double setup_seconds() const = 0;
  virtual std::size_t bytes() const = 0;
};

/// What solvers take: one type for all plans.
struct AnyPreconditioner {
  Preconditioner* plan;

  void apply(const Exec& exec, const ConstSolverVector<Exec, double>& b,
             const SolverVector<Exec, double>& x) const {
    plan->apply(exec, false, vectors_of(b.data(), b.extent(0)), vectors_of(x.data(), x.extent(0)));
  }
  bool symmetric() const { return plan->symmetric(); }
  std::string name() const { return plan->name(); }
};

}  // namespace heddle::python
