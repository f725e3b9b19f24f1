// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "core.hpp"
#include "kept_factors.hpp"

/// Defines what core.hpp declares.
namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
inline constexpr bool is_defined<FactorsCore<Exec, Matrix, Kept, RowOf>> = true;

template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
FactorsCore<Exec, Matrix, Kept, RowOf>::FactorsCore(const Exec& exec, const Matrix& A,
                                                    const IluOptions& options) {
  const Kokkos::Timer timer;
  kept_ = std::make_unique<Factors>(exec, A, options);
  exact_ = kept_->exact();
  exec.fence("heddle::ilu::inspected");
  setup_seconds_ = timer.seconds();
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
FactorsCore<Exec, Matrix, Kept, RowOf>::FactorsCore(FactorsCore&&) noexcept = default;
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
auto FactorsCore<Exec, Matrix, Kept, RowOf>::operator=(FactorsCore&&) noexcept
    -> FactorsCore& = default;
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
FactorsCore<Exec, Matrix, Kept, RowOf>::~FactorsCore() = default;

template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
auto FactorsCore<Exec, Matrix, Kept, RowOf>::kept(const char* called) const -> Factors& {
  moves_.check(Factors::plan, called);
  return *kept_;
}

template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
void FactorsCore<Exec, Matrix, Kept, RowOf>::factor(const Exec& exec, const Matrix& A) {
  kept("factor").factor(exec, A);
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
void FactorsCore<Exec, Matrix, Kept, RowOf>::execute(const Exec& exec, Triangle triangle, Op op,
                                                     const Multivector<const S>& b,
                                                     const Multivector<S>& x) {
  Factors& of = kept("apply");
  (triangle == Triangle::lower ? of.lower() : of.upper()).execute(exec, op, S(1), b, x);
}

template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
auto FactorsCore<Exec, Matrix, Kept, RowOf>::bad_pivot() const -> Word {
  return kept("bad_pivot").bad_pivot();
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
void FactorsCore<Exec, Matrix, Kept, RowOf>::check_pivots(const Exec& exec) const {
  return kept("check_pivots").check_pivots(exec);
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
double FactorsCore<Exec, Matrix, Kept, RowOf>::residual(const Exec& exec, const Matrix& A) const {
  return kept("residual").residual(exec, A);
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
auto FactorsCore<Exec, Matrix, Kept, RowOf>::factors(const Exec& exec) const -> Storage {
  return kept("factors").factors(exec);
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
double FactorsCore<Exec, Matrix, Kept, RowOf>::diagonal_growth() const {
  return kept("diagonal_growth").diagonal_growth();
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
const Scheme& FactorsCore<Exec, Matrix, Kept, RowOf>::scheme() const {
  return kept("scheme").scheme();
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
std::size_t FactorsCore<Exec, Matrix, Kept, RowOf>::bytes() const {
  return kept("bytes").bytes();
}
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
const Scheme& FactorsCore<Exec, Matrix, Kept, RowOf>::sptrsv_scheme(Triangle triangle,
                                                                    Op op) const {
  const Factors& of = kept("sptrsv_scheme");
  return (triangle == Triangle::lower ? of.lower() : of.upper()).scheme(op);
}

}  // namespace heddle::detail

#include "instantiate.hpp"  // behind what it makes
