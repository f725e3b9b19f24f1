// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <utility>

#include "../../backends/graph.hpp"
#include "../gauss_seidel/plan.hpp"
#include "../krylov/lanczos.hpp"
#include "../vectors/operands.hpp"
#include "options.hpp"
#include "parts.hpp"

/// Smoothers of a level: polynomials, sweeps, or a user's own.
///
/// Polynomials are products with the matrix and one pass over vectors after each. They are
/// polynomials in D^-1 A over its bound, which need no lower bound of the spectrum, as products of
/// their real factors: steps of the Richardson iteration, so that no vector is kept from step to
/// step. They lie between Chebyshev polynomials of the fourth kind with optimal weights, which are
/// the best for a bound of V cycles, and ones that damp the middle of the spectrum more, which
/// needed fewer iterations. None amplifies if the bound is 10 % too low (docs/design/multigrid.md).
///
/// Source of the optimal weights: J. Lottes, "Optimal polynomial smoothers for multigrid V-cycles",
/// Numer. Linear Algebra Appl. 30, 2023.
namespace heddle::detail::multigrid {

using spectrum::SpectrumNumbers;

inline constexpr int most_degree = 4;
/// Reciprocals of the roots, the largest root first: no step amplifies what a later one must damp.
inline constexpr double smoothing_factors[most_degree][most_degree] = {
    {1.5}, {1.157, 3.579}, {1.054, 1.793, 6.444}, {0.99, 1.39, 2.57, 10}};

/// One step: x += factor D^-1 (b - A x). The factor is divided by the bound of the spectrum if
/// over_bound.
struct SmoothingStep {
  double factor;
  bool over_bound;

  KOKKOS_FORCEINLINE_FUNCTION double of(const SpectrumNumbers& numbers) const {
    return over_bound ? factor / numbers.bound : factor;
  }
};

/// Step `step` of `degree`, counted from 0.
inline SmoothingStep smoothing_step(MultigridSmoother smoother, int degree, int step) {
  if (smoother == MultigridSmoother::l1_jacobi) return {1, false};
  return {smoothing_factors[degree - 1][step], true};
}

/// One step, with q = A x. If x is zero (FromZero) neither q nor x is read.
template <Scalar S, bool FromZero>
struct SmoothPass : vectors::Pass<S> {
  Multivector<S> x;
  Multivector<const S> b, q, inverse;  ///< inverse: one vector for all
  SmoothingStep step;
  const SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(x, !FromZero), vectors::loaded(b),
                                vectors::loaded(q, !FromZero), vectors::loaded(inverse));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    const S factor(static_cast<heddle::RealOf<S>>(step.of(*numbers)));
    return [factor = Pack::all(factor), minus_one = Pack::all(S(-1))](
               Pack& x, const Pack& b, const Pack& q, const Pack& inverse) {
      if constexpr (FromZero) {
        x = Pack::multiply(factor, Pack::multiply(inverse, b));
      } else {
        const Pack residual = Pack::multiply_add(minus_one, q, b);
        x = Pack::multiply_add(factor, Pack::multiply(inverse, residual), x);
      }
    };
  }
};

/// q = b - q
template <Scalar S>
struct ResidualPass : vectors::Pass<S> {
  Multivector<S> q;
  Multivector<const S> b;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(q), vectors::loaded(b));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [minus_one = Pack::all(S(-1))](Pack& q, const Pack& b) {
      q = Pack::multiply_add(minus_one, q, b);
    };
  }
};

/// Column-major vectors of a level.
template <Scalar S>
Multivector<S> vectors_of(S* data, std::int64_t rows, int count) {
  return {data, 1, rows, rows, count};
}
template <Scalar S>
Multivector<const S> to_read(const Multivector<S>& v) {
  return {v.data, v.row_stride, v.vector_stride, v.rows, v.count};
}

/// Launches make(first, count) for all vectors, in slices that fit one launch.
template <ExecutionSpace Exec, Scalar S, class Make>
void pass(const Exec& exec, const char* label, const Multivector<const S>& b,
          const Multivector<S>& x, const Make& make) {
  const bool unit_stride = vectors::has_unit_stride(b) && vectors::has_unit_stride(x);
  vectors::in_slices(x.count, [&](int first, int count) {
    vectors::stream(exec, label, x.rows, count, unit_stride, make(first, count));
  });
}

template <ExecutionSpace Exec, class Matrix>
struct Level;

/// q = b - A x on a level, for its workspace q.
template <ExecutionSpace Exec, class Matrix, Scalar S>
void residual_of(const Exec& exec, const Level<Exec, Matrix>& level, const Multivector<const S>& b,
                 const Multivector<S>& x, const Multivector<S>& q) {
  level.product->execute(exec, Op::none, S(1), to_read(x), S(0), q);
  pass(exec, "heddle::multigrid::residual", b, x, [&](int first, int count) {
    return ResidualPass<S>{{}, q.slice(first, count), b.slice(first, count)};
  });
}

/// The smoother of a level.
template <ExecutionSpace Exec, class Matrix>
class Smoother {
 public:
  using S = typename Matrix::scalar_type;
  using At = Level<Exec, Matrix>;
  using B = Multivector<const S>;
  using X = Multivector<S>;

  virtual ~Smoother() = default;
  /// Smooths from zero; then residual = b - A x, unless its data is null.
  virtual void before(const Exec& exec, const At& level, const B& b, const X& x,
                      const X& residual) const = 0;
  /// Smooths from x, as the adjoint of before.
  virtual void after(const Exec& exec, const At& level, const B& b, const X& x) const = 0;
  /// Approximates the solve of a last level by smoothing: symmetric.
  virtual void solve(const Exec& exec, const At& level, const B& b, const X& x) const {
    before(exec, level, b, x, {});
    after(exec, level, b, x);
  }
  /// Replaces the values. No wait, no allocation.
  virtual void update_values(const Exec&, const Matrix&) {}
  virtual std::size_t bytes() const { return 0; }
};

/// Smooths by a Chebyshev polynomial, or by l1-Jacobi.
template <ExecutionSpace Exec, class Matrix>
class PolynomialSmoother final : public Smoother<Exec, Matrix> {
 public:
  using Base = Smoother<Exec, Matrix>;
  using typename Base::S, typename Base::At, typename Base::B, typename Base::X;

  explicit PolynomialSmoother(const MultigridOptions& options)
      : kind_(options.smoother), degree_(options.degree) {}

  void before(const Exec& exec, const At& level, const B& b, const X& x,
              const X& residual) const override {
    smooth(exec, level, b, x, true);
    if (residual.data) residual_of(exec, level, b, x, residual);
  }
  void after(const Exec& exec, const At& level, const B& b, const X& x) const override {
    smooth(exec, level, b, x, false);
  }
  /// The polynomial is its own adjoint.
  void solve(const Exec& exec, const At& level, const B& b, const X& x) const override {
    smooth(exec, level, b, x, true);
  }

 private:
  void smooth(const Exec& exec, const At& level, const B& b, const X& x, bool from_zero) const {
    const auto q = vectors_of(level.q, x.rows, x.count);
    const Multivector<const S> inverse{level.inverse, 1, 0, x.rows, x.count};
    for (int step = 0; step < degree_; ++step) {
      const SmoothingStep numbers = smoothing_step(kind_, degree_, step);
      const auto step_of = [&]<bool zero>(int first, int count) {
        return SmoothPass<S, zero>{{},
                                   x.slice(first, count),
                                   b.slice(first, count),
                                   to_read(q.slice(first, count)),
                                   inverse.slice(first, count),
                                   numbers,
                                   level.numbers};
      };
      if (from_zero && step == 0) {
        pass(exec, "heddle::multigrid::smooth_from_zero", b, x,
             [&](int first, int count) { return step_of.template operator()<true>(first, count); });
      } else {
        level.product->execute(exec, Op::none, S(1), to_read(x), S(0), q);
        pass(exec, "heddle::multigrid::smooth", b, x, [&](int first, int count) {
          return step_of.template operator()<false>(first, count);
        });
      }
    }
  }

  MultigridSmoother kind_;
  int degree_;
};

/// Smooths by Gauss-Seidel by colors: forward before the correction and backward after it.
template <ExecutionSpace Exec, class Matrix>
class ColorSweeps final : public Smoother<Exec, Matrix> {
 public:
  using Base = Smoother<Exec, Matrix>;
  using typename Base::S, typename Base::At, typename Base::B, typename Base::X;

  /// Allocates, and waits.
  ColorSweeps(const Exec& exec, const Matrix& A, const MultigridOptions& options)
      : forward_(exec, A, sweep(SweepDirection::forward, options), nullptr),
        backward_(exec, A, sweep(SweepDirection::backward, options), nullptr),
        sweeps_(options.degree) {}

  void before(const Exec& exec, const At&, const B& b, const X& x,
              const X& residual) const override {
    forward_.sweep(exec, {b, x, residual}, residual.data != nullptr, sweeps_, true);
  }
  void after(const Exec& exec, const At&, const B& b, const X& x) const override {
    backward_.sweep(exec, {b, x, {}}, false, sweeps_, false);
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    forward_.update_values(exec, A);
    backward_.update_values(exec, A);
  }
  std::size_t bytes() const override { return forward_.bytes() + backward_.bytes(); }

 private:
  using Plan = GaussSeidelPlanCore<Exec, Matrix>;

  static GaussSeidelOptions sweep(SweepDirection direction, const MultigridOptions& options) {
    GaussSeidelOptions of;
    of.sweep = direction;
    of.order = GaussSeidelOrder::multicolor;
    of.vectors = options.vectors;
    of.expected_applies = options.expected_applies;
    of.check_overlap = false;
    of.check_pattern = false;
    return of;
  }

  Plan forward_, backward_;
  int sweeps_;
};

/// Smooths by the user's smoother, with launches of its own: a graph records them by capture.
template <ExecutionSpace Exec, class Matrix>
class OwnSmoother final : public Smoother<Exec, Matrix> {
 public:
  using Base = Smoother<Exec, Matrix>;
  using typename Base::S, typename Base::At, typename Base::B, typename Base::X;
  using Own = MultigridLevelSmoother<Exec, Matrix>;

  OwnSmoother(std::unique_ptr<Own> own, int level) : own_(std::move(own)) {
    if (own_) return;
    throw Error("parts.smoother returned null for level " + std::to_string(level),
                "return a smoother");
  }

  void before(const Exec& exec, const At& level, const B& b, const X& x,
              const X& residual) const override {
    backends::record_captured(exec, [&] { own_->before(exec, view_of(b), view_of(x)); });
    if (residual.data) residual_of(exec, level, b, x, residual);
  }
  void after(const Exec& exec, const At&, const B& b, const X& x) const override {
    backends::record_captured(exec, [&] { own_->after(exec, view_of(b), view_of(x)); });
  }
  void update_values(const Exec& exec, const Matrix& A) override { own_->update_values(exec, A); }
  std::size_t bytes() const override { return own_->bytes(); }

 private:
  template <class T>
  static auto view_of(const Multivector<T>& v) {
    const auto rows = static_cast<std::size_t>(v.rows), count = static_cast<std::size_t>(v.count);
    return typename Own::template VectorsOf<T>(
        v.data, Kokkos::LayoutStride(rows, static_cast<std::size_t>(v.row_stride), count,
                                     static_cast<std::size_t>(v.vector_stride)));
  }

  std::unique_ptr<Own> own_;
};

/// Makes the smoother of options or parts. Allocates, and waits.
template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Smoother<Exec, Matrix>> make_smoother(const Exec& exec, const Matrix& A, int level,
                                                      const MultigridOptions& options,
                                                      const MultigridParts<Exec, Matrix>& parts) {
  if (parts.smoother) {
    return std::make_unique<OwnSmoother<Exec, Matrix>>(parts.smoother(exec, level, A), level);
  }
  if (options.smoother == MultigridSmoother::gauss_seidel) {
    return std::make_unique<ColorSweeps<Exec, Matrix>>(exec, A, options);
  }
  return std::make_unique<PolynomialSmoother<Exec, Matrix>>(options);
}

}  // namespace heddle::detail::multigrid
