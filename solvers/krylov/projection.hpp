// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "../../core/arena.hpp"
#include "apply.hpp"
#include "options.hpp"

/// How solvers of a singular A leave out its nullspace.
namespace heddle::detail::krylov {

/// An orthonormal basis N of a nullspace, and P = 1 - N N'.
template <ExecutionSpace Exec, Scalar S>
class Projection {
 public:
  using Sum = Wide<S>;
  using Vectors = SolverVectors<Exec, S>;
  /// N' b, which is no part of the range of A: one column for each right-hand side.
  struct Along {
    const Sum* of = nullptr;
    int count = 0;
  };

  Projection() = default;
  /// For so many right-hand sides at a time. Waits. Throws Error if vectors do not fit, depend on
  /// each other or are not finite.
  Projection(const Exec& exec, const Nullspace& nullspace, std::int64_t rows, int vectors);

  explicit operator bool() const { return basis_.extent(1) > 0; }
  /// v = P v
  void apply(const Exec& exec, const Vectors& v) const { subtract(exec, basis_, v, coefficients_); }
  /// P b, in memory of its own.
  Multivector<const S> right(const Exec& exec, const Multivector<const S>& b) const;
  /// Of what right() was given last.
  Along along() const { return {along_, static_cast<int>(basis_.extent(1))}; }
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }

 private:
  template <class Given>
  void take(const Exec& exec, const Given& given, const std::string& memory);
  void orthonormalize(const Exec& exec);
  /// Of one vector, its norm before; 0 where that is zero or not finite.
  double scale_to_one(const Exec& exec, const Vectors& v);
  /// v -= from c with c = from' v
  void subtract(const Exec& exec, const Vectors& from, const Vectors& v, Sum* coefficients) const;
  Vectors columns(int first, int count) const {
    const std::size_t rows = basis_.extent(0);
    return Vectors(basis_.data() + static_cast<std::size_t>(first) * rows, rows,
                   static_cast<std::size_t>(count));
  }

  Arena<typename Exec::memory_space> arena_;
  VectorWorkspace<Exec, Sum> workspace_;
  Vectors basis_, right_;
  Sum* coefficients_ = nullptr;
  Sum* along_ = nullptr;
};

/// M, or none, and P behind it: what a solver applies as its preconditioner. One type for all M.
template <ExecutionSpace Exec, Scalar S>
class ProjectedPreconditioner {
  using Vectors = SolverVectors<Exec, S>;

 public:
  static constexpr bool takes_several_vectors = true;

  template <class M>
  ProjectedPreconditioner(const Projection<Exec, S>& projection, M& preconditioner)
      : projection_(&projection),
        version_(version_in_solve(preconditioner)),
        capturable_(krylov::capturable(preconditioner)),
        apply_([&preconditioner](const Exec& exec, const Vectors& b, const Vectors& x) {
          if constexpr (no_preconditioner<M>) {
            static_cast<void>(preconditioner);  // clang warns of a capture that is not used
            heddle::vectors::copy(exec, b, x);
          } else {
            krylov::apply<Exec, S>(exec, preconditioner, b, x);
          }
        }) {}

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    const std::size_t count = b.size() / std::max<std::size_t>(b.extent(0), 1);
    const Vectors from(const_cast<S*>(b.data()), b.extent(0), count);
    const Vectors to(x.data(), x.extent(0), count);
    apply_(exec, from, to);
    projection_->apply(exec, to);
  }
  bool capturable() const { return capturable_; }
  static constexpr bool launches_by_heddle = true;  // M is asked by krylov::apply
  VersionNumber version() const { return version_; }

 private:
  const Projection<Exec, S>* projection_;
  VersionNumber version_;
  bool capturable_;
  std::function<void(const Exec&, const Vectors&, const Vectors&)> apply_;
};

}  // namespace heddle::detail::krylov
