// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "instantiate_chebyshev.hpp"
#include "instantiate_jacobi.hpp"

namespace heddle {

/// The preconditioner that a few steps of Chebyshev's iteration from zero are: a polynomial in A,
/// symmetric where A is, made of products alone, and so as parallel as these. Its inner
/// preconditioner is Jacobi's, and bounds are those of D^-1 A.
///
/// It holds references to the operator and to the JacobiPreconditioner, which must outlive it. An
/// apply is `degree` products, a launch more for each, and two launches; it moves what the products
/// do and (8 degree + 6) n b bytes. Moves, does not copy.
template <ExecutionSpace Exec, Scalar S, class A>
class ChebyshevPreconditioner {
 public:
  /// Throws Error if the bounds or the degree make no sense. Device memory: three vectors.
  ChebyshevPreconditioner(const Exec& exec, A& matrix, const JacobiPreconditioner<Exec, S>& jacobi,
                          const SpectrumBounds& bounds, int degree = 3)
      : matrix_(&matrix), jacobi_(&jacobi), bounds_(bounds), degree_(degree) {
    detail::krylov::check_bounds(bounds);
    if (degree < 0) {
      throw Error("a polynomial of degree " + std::to_string(degree), "give 0 or more");
    }
    const auto n = static_cast<std::size_t>(matrix.rows());
    arena_ = Arena<typename Exec::memory_space>(exec, "heddle::chebyshev::preconditioner",
                                                3 * arena_bytes<S>(n));
    for (Vector* v : {&r_, &d_, &q_}) *v = Vector(arena_.template take<S>(n).data(), n);
  }

  /// x = p(D^-1 A) D^-1 b, of rank 1. Reads no x. No allocation, no copy, no fence.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("ChebyshevPreconditioner", "apply");
    const auto left = detail::vectors::to_write(x);
    detail::vectors::check_alike("b", detail::vectors::to_read(b), "x", left);
    const auto inverse = detail::vectors::to_read(jacobi_->inverse_diagonal());
    const auto rows = static_cast<std::int64_t>(r_.extent(0));
    detail::krylov::ChebyshevNumbers numbers(bounds_);
    vectors::copy(exec, b, r_);
    detail::vectors::stream(exec, "heddle::chebyshev::direction", rows, 1, true,
                            detail::krylov::ChebyshevDirection<S, How::by_diagonal>{
                                {}, read(r_), inverse, write(d_), 0, numbers.first(), nullptr});
    vectors::scale(exec, 0, x);
    for (int step = 0; step < degree_; ++step) {
      matrix_->apply(exec, ConstSolverVector<Exec, S>(d_), q_);
      const auto [old, fresh] = numbers.next();
      detail::vectors::stream(
          exec, "heddle::chebyshev::step", rows, 1, detail::vectors::has_unit_stride(left),
          detail::krylov::ChebyshevStep<S, How::by_diagonal, false>{
              {}, left, write(r_), write(d_), read(q_), inverse, old, fresh, nullptr, {}, 0});
    }
    vectors::axpy(exec, 1, d_, x);
  }

  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "Chebyshev's polynomial"; }
  /// New when the operator's or the diagonal's is.
  VersionNumber version() const
    requires HasVersion<A>
  {
    return version_.number({matrix_->version(), jacobi_->version()});
  }
  bool capturable() const { return detail::krylov::capturable(*matrix_); }
  static constexpr bool launches_by_heddle = detail::krylov::launches_by_heddle<A>();
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  using Vector = SolverVector<Exec, S>;
  using How = detail::krylov::Preconditioned;

  static Multivector<S> write(const Vector& v) { return multivector_of<S>(v); }
  static Multivector<const S> read(const Vector& v) { return multivector_of<const S>(v); }

  detail::MoveOnly moves_;
  A* matrix_;
  const JacobiPreconditioner<Exec, S>* jacobi_;
  SpectrumBounds bounds_;
  int degree_;
  Arena<typename Exec::memory_space> arena_;
  Vector r_, d_, q_;
  detail::VersionOverParts<2> version_;
};

}  // namespace heddle
