// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "../../backends/loops.hpp"
#include "../../core/version.hpp"
#include "../krylov/concepts.hpp"
#include "../vectors/operations.hpp"

/// Preconditioners that a solve lends to its methods.
namespace heddle::detail::solve {

template <Scalar S>
struct MultiplyByInverse {
  const S* inverse;
  const S* from;
  S* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = inverse[i] * from[i]; }
};

/// A diagonal preconditioner of borrowed entries.
template <ExecutionSpace Exec, Scalar S>
class BorrowedDiagonal {
 public:
  BorrowedDiagonal() = default;
  BorrowedDiagonal(const S* inverse, std::int64_t rows)
      : inverse_(inverse, static_cast<std::size_t>(rows)) {}

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    parallel_for(exec, "heddle::solve::jacobi", static_cast<std::int64_t>(inverse_.extent(0)),
                 MultiplyByInverse<S>{inverse_.data(), b.data(), x.data()});
  }
  ConstSolverVector<Exec, S> inverse_diagonal() const { return inverse_; }
  void renew() { version_.renew(); }

  static constexpr bool is_diagonal = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "Jacobi"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;

 private:
  ConstSolverVector<Exec, S> inverse_;
  Version version_;
};

/// No preconditioner, for methods that need one.
template <ExecutionSpace Exec, Scalar S>
struct BorrowedIdentity {
  void apply(const Exec& exec, const ConstSolverVector<Exec, S>& b,
             const SolverVector<Exec, S>& x) const {
    heddle::vectors::copy(exec, b, x);
  }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;

 private:
  Version version_;
};

/// Any preconditioner, borrowed, in one type, so that each method is compiled once.
template <ExecutionSpace Exec, Scalar S>
class AnyPreconditioner {
 public:
  template <class M>
  explicit AnyPreconditioner(const M& of)
      : apply_([&of](const Exec& exec, const ConstSolverVector<Exec, S>& b,
                     const SolverVector<Exec, S>& x) { of.apply(exec, b, x); }),
        version_([&of] { return of.version(); }),
        symmetric_(krylov::symmetric(of)),
        variable_(krylov::is_variable(of)),
        capturable_(krylov::capturable(of)),
        name_(krylov::name_of(of)) {}

  void apply(const Exec& exec, const ConstSolverVector<Exec, S>& b,
             const SolverVector<Exec, S>& x) const {
    apply_(exec, b, x);
  }
  bool symmetric() const { return symmetric_; }
  bool is_variable() const { return variable_; }
  std::string name() const { return name_; }
  VersionNumber version() const { return version_(); }
  bool capturable() const { return capturable_; }
  static constexpr bool launches_by_heddle = true;

 private:
  std::function<void(const Exec&, const ConstSolverVector<Exec, S>&, const SolverVector<Exec, S>&)>
      apply_;
  std::function<VersionNumber()> version_;
  bool symmetric_, variable_, capturable_;
  std::string name_;
};

}  // namespace heddle::detail::solve
