// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
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
/// polynomials in M A over its bound, where M is the inverse of the diagonal or of diagonal blocks,
/// or a user's preconditioner. They need no lower bound of the spectrum, and are products of their
/// real factors: steps of the Richardson iteration, so that no vector is kept from step to
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

/// The smoother of a level, and its degree or number of sweeps.
struct Smoothing {
  MultigridSmoother smoother;
  int degree;

  /// The default degree, if `degree` is 0.
  static int degree_of(MultigridSmoother smoother, int degree) {
    if (degree > 0) return degree;
    return smoother == MultigridSmoother::gauss_seidel ? 1 : 2;
  }
  std::string in_words() const {
    const bool polynomial =
        smoother == MultigridSmoother::chebyshev || smoother == MultigridSmoother::block_chebyshev;
    return name(smoother) + std::string(polynomial ? " of degree " : " times ") +
           std::to_string(degree);
  }
};

/// Whether levels with this smoother may share a launch.
constexpr bool shares_launches(MultigridSmoother smoother) {
  return smoother == MultigridSmoother::chebyshev || smoother == MultigridSmoother::l1_jacobi;
}

/// One step: x += factor M (b - A x). The factor is divided by the bound of the spectrum if
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

/// x = factor z, or, unless FromZero, x += factor z.
template <Scalar S, bool FromZero>
struct AddScaledPass : vectors::Pass<S> {
  Multivector<S> x;
  Multivector<const S> z;
  SmoothingStep step;
  const SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(x, !FromZero), vectors::loaded(z));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    const S factor(static_cast<heddle::RealOf<S>>(step.of(*numbers)));
    return [factor = Pack::all(factor)](Pack& x, const Pack& z) {
      if constexpr (FromZero) {
        x = Pack::multiply(factor, z);
      } else {
        x = Pack::multiply_add(factor, z, x);
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
template <ExecutionSpace Exec, class Matrix>
struct Shared;

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
  using All = Shared<Exec, Matrix>;
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
  /// Replaces the values by those of the level, which is prepared. No wait, no allocation.
  virtual void update_values(const Exec&, const At&, const All&) {}
  /// Reserves memory for `count` vectors at once. Allocates.
  virtual void reserve(const Exec&, int /*count*/) {}
  /// Throws Error if the last values are bad. `place` begins the message. Waits.
  virtual void check_values(const Exec&, const std::string& /*place*/) {}
  virtual std::string in_words() const = 0;
  /// Number of products with the level's matrix in a cycle that the level's own plan computes.
  virtual int products() const = 0;
  virtual std::size_t bytes() const { return 0; }
};

/// The inverse of the diagonal as M of a polynomial: Jacobi, or l1-Jacobi.
template <ExecutionSpace Exec, class Matrix>
struct PointDiagonal {
  using S = typename Matrix::scalar_type;
  using At = Level<Exec, Matrix>;

  /// x += step of M (b - q) with q = A x, or from zero.
  template <bool FromZero>
  void step(const Exec& exec, const At& level, const Multivector<const S>& b,
            const Multivector<S>& x, const Multivector<S>& q, const SmoothingStep& numbers) const {
    const Multivector<const S> inverse{level.inverse, 1, 0, x.rows, x.count};
    pass(exec, FromZero ? "heddle::multigrid::smooth_from_zero" : "heddle::multigrid::smooth", b, x,
         [&](int first, int count) {
           return SmoothPass<S, FromZero>{{},
                                          x.slice(first, count),
                                          b.slice(first, count),
                                          to_read(q.slice(first, count)),
                                          inverse.slice(first, count),
                                          numbers,
                                          level.numbers};
         });
  }
  void update_values(const Exec&, const At&, const Shared<Exec, Matrix>&) {}
  void reserve(const Exec&, int) {}
  void check_values(const Exec&, const std::string&) {}
  static std::string note() { return {}; }
  static std::size_t bytes() { return 0; }
};

/// Bounds the spectrum of M A on a level that is prepared; `multiply(u, v)` computes v = M u.
template <ExecutionSpace Exec, class Matrix, Scalar S, class Multiply>
void bound_level(const Exec& exec, const Level<Exec, Matrix>& level,
                 const Shared<Exec, Matrix>& shared, S* u, SpectrumNumbers* numbers,
                 const Multiply& multiply) {
  spectrum::bound_preconditioned(
      exec,
      spectrum::LanczosVectors<S>{level.d, shared.before, level.q, shared.diagonal, level.inverse,
                                  std::int64_t{level.A.rows()}},
      u, numbers, shared.workspace, &shared.symmetry->holds,
      [&](const auto& from, const auto& to) {
        level.product->execute(exec, Op::none, S(1), from, S(0), to);
      },
      multiply);
}

/// The inverses of the dense blocks of nodes on the diagonal as M of a polynomial.
template <ExecutionSpace Exec, class Matrix>
class BlockDiagonal {
 public:
  using S = typename Matrix::scalar_type;
  using At = Level<Exec, Matrix>;

  BlockDiagonal(const Exec& exec, std::int64_t rows, int size)
      : rows_(rows),
        size_(size),
        memory_(exec, "heddle::multigrid::diagonal_blocks", arena_array(inverse_, rows * size),
                arena_array(u_, rows), arena_array(numbers_, 1), arena_array(bad_, 1)) {}

  template <bool FromZero>
  void step(const Exec& exec, const At&, const Multivector<const S>& b, const Multivector<S>& x,
            const Multivector<S>& q, const SmoothingStep& numbers) const {
    krylov::take_block_step(exec, "heddle::multigrid::smooth_blocks",
                            krylov::BlockStep<S, FromZero>{blocks(), b, to_read(q), x,
                                                           numbers.factor, &numbers_->bound});
  }
  void update_values(const Exec& exec, const At& level, const Shared<Exec, Matrix>& shared) {
    krylov::invert_definite_blocks(
        exec, krylov::InvertDefiniteBlocks<Matrix>{
                  level.A, inverse_, shared.magnitude[level.number % 2],
                  spectrum::rounding_of_magnitude<S>, bad_, &shared.symmetry->holds, size_});
    bound_level(exec, level, shared, u_, numbers_, [&](const auto& from, const auto& to) {
      krylov::take_block_step(exec, "heddle::spectrum::multiply_blocks",
                              krylov::BlockStep<S, true>{blocks(), from, {}, to});
    });
  }
  void reserve(const Exec&, int) {}
  void check_values(const Exec& exec, const std::string& place) {
    found_ = krylov::read_bad_blocks(exec, bad_);
    if (found_.negative == 0) return;
    throw Error(place + "the diagonal block that begins here is not positive definite",
                Where{.row = found_.negative - 1},
                "use another preconditioner: A is not positive definite");
  }
  std::string note() const {
    if (found_.count == 0) return {};
    return ", with the diagonal in place of " + std::to_string(found_.count) +
           " singular blocks from row " + std::to_string(found_.first - 1);
  }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  krylov::InverseBlocks<S> blocks() const { return {inverse_, rows_, size_}; }

  std::int64_t rows_;
  int size_;
  S *inverse_ = nullptr, *u_ = nullptr;
  SpectrumNumbers* numbers_ = nullptr;
  krylov::BadBlocks* bad_ = nullptr;
  krylov::BadBlocks found_{};  ///< of the last values that were checked
  Arena<typename Exec::memory_space> memory_;
};

/// A user's vectors.
template <ExecutionSpace Exec, class T>
StridedVectors<Exec, T> view_of(const Multivector<T>& v) {
  const auto rows = static_cast<std::size_t>(v.rows), count = static_cast<std::size_t>(v.count);
  return StridedVectors<Exec, T>(
      v.data, Kokkos::LayoutStride(rows, static_cast<std::size_t>(v.row_stride), count,
                                   static_cast<std::size_t>(v.vector_stride)));
}

/// One step of degree 1 with M itself, for an A that is not Hermitian: its eigenvalues have no
/// bound by Lanczos steps, and M need not be definite.
struct PlainStepUnlessHermitian {
  SpectrumNumbers* numbers;
  const bool* hermitian;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    if (*hermitian) return;
    constexpr double own_step = smoothing_factors[0][0];
    numbers->bound = own_step;
    numbers->indefinite_preconditioner = false;
  }
};

/// The user's preconditioner as M of a polynomial, with launches of its own: a graph records them
/// by capture.
template <ExecutionSpace Exec, class Matrix>
class OwnPreconditioner {
 public:
  using S = typename Matrix::scalar_type;
  using At = Level<Exec, Matrix>;
  using Own = MultigridLevelPreconditioner<Exec, Matrix>;

  OwnPreconditioner(const Exec& exec, std::unique_ptr<Own> own, std::int64_t rows, int count)
      : own_(std::move(own)),
        rows_(rows),
        memory_(exec, "heddle::multigrid::preconditioner", arena_array(numbers_, 1)) {
    reserve(exec, count);
  }

  template <bool FromZero>
  void step(const Exec& exec, const At&, const Multivector<const S>& b, const Multivector<S>& x,
            const Multivector<S>& q, const SmoothingStep& numbers) const {
    const auto z = vectors_of(z_, x.rows, x.count);
    if constexpr (!FromZero) {
      pass(exec, "heddle::multigrid::residual", b, x, [&](int first, int count) {
        return ResidualPass<S>{{}, q.slice(first, count), b.slice(first, count)};
      });
    }
    multiply(exec, FromZero ? b : to_read(q), z);
    pass(exec, "heddle::multigrid::add_preconditioned", b, x, [&](int first, int count) {
      return AddScaledPass<S, FromZero>{
          {}, x.slice(first, count), to_read(z.slice(first, count)), numbers, numbers_};
    });
  }
  void update_values(const Exec& exec, const At& level, const Shared<Exec, Matrix>& shared) {
    own_->update_values(exec, level.A);
    bound(exec, level, shared);
  }
  void bound(const Exec& exec, const At& level, const Shared<Exec, Matrix>& shared) const {
    bound_level(exec, level, shared, z_, numbers_,
                [&](const auto& from, const auto& to) { multiply(exec, from, to); });
    parallel_for(exec, "heddle::multigrid::plain_step", 1,
                 PlainStepUnlessHermitian{numbers_, &shared.symmetry->holds});
  }
  void reserve(const Exec& exec, int count) {
    vectors_memory_ = Arena<typename Exec::memory_space>(
        exec, "heddle::multigrid::preconditioner_vectors", arena_array(z_, rows_ * count));
  }
  void check_values(const Exec& exec, const std::string& place) {
    own_->check_values(exec);
    const SpectrumNumbers found = spectrum::read_numbers(exec, numbers_);
    if (found.indefinite_preconditioner) {
      throw Error(place + "parts.preconditioner is not positive definite: r' M r is negative",
                  "give one whose r' M r is positive: A is symmetric");
    }
    if (!std::isfinite(found.bound)) {
      throw Error(place + "products with parts.preconditioner are not finite",
                  "give one whose products are");
    }
  }
  static std::string note() { return " with a preconditioner of its own"; }
  std::size_t bytes() const { return memory_.bytes() + vectors_memory_.bytes() + own_->bytes(); }

 private:
  void multiply(const Exec& exec, const Multivector<const S>& from,
                const Multivector<S>& to) const {
    backends::record_captured(exec,
                              [&] { own_->apply(exec, view_of<Exec>(from), view_of<Exec>(to)); });
  }

  std::unique_ptr<Own> own_;
  std::int64_t rows_;
  S* z_ = nullptr;
  SpectrumNumbers* numbers_ = nullptr;
  Arena<typename Exec::memory_space> memory_, vectors_memory_;
};

/// Smooths by a polynomial in M A; l1-Jacobi is one without a bound.
template <ExecutionSpace Exec, class Matrix, class M>
class PolynomialSmoother final : public Smoother<Exec, Matrix> {
 public:
  using Base = Smoother<Exec, Matrix>;
  using typename Base::S, typename Base::At, typename Base::All, typename Base::B, typename Base::X;

  PolynomialSmoother(const Smoothing& smoothing, M m) : smoothing_(smoothing), m_(std::move(m)) {}

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
  void update_values(const Exec& exec, const At& level, const All& shared) override {
    m_.update_values(exec, level, shared);
  }
  void reserve(const Exec& exec, int count) override { m_.reserve(exec, count); }
  void check_values(const Exec& exec, const std::string& place) override {
    m_.check_values(exec, place);
  }
  std::string in_words() const override { return smoothing_.in_words() + m_.note(); }
  int products() const override { return 2 * smoothing_.degree; }
  std::size_t bytes() const override { return m_.bytes(); }

 private:
  void smooth(const Exec& exec, const At& level, const B& b, const X& x, bool from_zero) const {
    const auto q = vectors_of(level.q, x.rows, x.count);
    for (int step = 0; step < smoothing_.degree; ++step) {
      const SmoothingStep numbers = smoothing_step(smoothing_.smoother, smoothing_.degree, step);
      if (from_zero && step == 0) {
        m_.template step<true>(exec, level, b, x, q, numbers);
      } else {
        level.product->execute(exec, Op::none, S(1), to_read(x), S(0), q);
        m_.template step<false>(exec, level, b, x, q, numbers);
      }
    }
  }

  Smoothing smoothing_;
  M m_;
};

/// Smooths by Gauss-Seidel by colors: forward before the correction and backward after it.
template <ExecutionSpace Exec, class Matrix>
class ColorSweeps final : public Smoother<Exec, Matrix> {
 public:
  using Base = Smoother<Exec, Matrix>;
  using typename Base::S, typename Base::At, typename Base::All, typename Base::B, typename Base::X;

  /// Allocates, and waits.
  ColorSweeps(const Exec& exec, const Matrix& A, int sweeps, const MultigridOptions& options)
      : forward_(exec, A, sweep(SweepDirection::forward, options), nullptr),
        backward_(exec, A, sweep(SweepDirection::backward, options), nullptr),
        sweeps_(sweeps) {}

  void before(const Exec& exec, const At&, const B& b, const X& x,
              const X& residual) const override {
    forward_.sweep(exec, {b, x, residual}, residual.data != nullptr, sweeps_, true);
  }
  void after(const Exec& exec, const At&, const B& b, const X& x) const override {
    backward_.sweep(exec, {b, x, {}}, false, sweeps_, false);
  }
  void update_values(const Exec& exec, const At& level, const All&) override {
    forward_.update_values(exec, level.A);
    backward_.update_values(exec, level.A);
  }
  std::string in_words() const override {
    return Smoothing{MultigridSmoother::gauss_seidel, sweeps_}.in_words();
  }
  int products() const override { return 0; }
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

/// A function of its own, so that a program without sweeps can replace it (perf_tests/demo): they
/// take long to compile.
template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Smoother<Exec, Matrix>> make_color_sweeps(const Exec& exec, const Matrix& A,
                                                          int sweeps,
                                                          const MultigridOptions& options) {
  return std::make_unique<ColorSweeps<Exec, Matrix>>(exec, A, sweeps, options);
}

/// Smooths by the user's smoother, with launches of its own: a graph records them by capture.
template <ExecutionSpace Exec, class Matrix>
class OwnSmoother final : public Smoother<Exec, Matrix> {
 public:
  using Base = Smoother<Exec, Matrix>;
  using typename Base::S, typename Base::At, typename Base::All, typename Base::B, typename Base::X;
  using Own = MultigridLevelSmoother<Exec, Matrix>;

  OwnSmoother(std::unique_ptr<Own> own, int level) : own_(std::move(own)) {
    if (own_) return;
    throw Error("parts.smoother returned null for level " + std::to_string(level),
                "return a smoother");
  }

  void before(const Exec& exec, const At& level, const B& b, const X& x,
              const X& residual) const override {
    backends::record_captured(exec,
                              [&] { own_->before(exec, view_of<Exec>(b), view_of<Exec>(x)); });
    if (residual.data) residual_of(exec, level, b, x, residual);
  }
  void after(const Exec& exec, const At&, const B& b, const X& x) const override {
    backends::record_captured(exec, [&] { own_->after(exec, view_of<Exec>(b), view_of<Exec>(x)); });
  }
  void update_values(const Exec& exec, const At& level, const All&) override {
    own_->update_values(exec, level.A);
  }
  std::string in_words() const override { return "a smoother of its own"; }
  int products() const override { return 1; }
  std::size_t bytes() const override { return own_->bytes(); }

 private:
  std::unique_ptr<Own> own_;
};

/// Makes the smoother of a prepared level, by options or parts. Allocates, and waits.
template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Smoother<Exec, Matrix>> make_smoother(const Exec& exec,
                                                      const Level<Exec, Matrix>& level,
                                                      const Shared<Exec, Matrix>& shared) {
  const auto& parts = shared.parts;
  const MultigridOptions& options = shared.options;
  const Matrix& A = level.A;
  const int l = static_cast<int>(level.number);
  if (parts.smoother) {
    return std::make_unique<OwnSmoother<Exec, Matrix>>(parts.smoother(exec, l, A), l);
  }
  if (auto own = parts.preconditioner ? parts.preconditioner(exec, l, A) : nullptr) {
    OwnPreconditioner<Exec, Matrix> m(exec, std::move(own), A.rows(), options.vectors.count);
    m.bound(exec, level, shared);
    return std::make_unique<PolynomialSmoother<Exec, Matrix, OwnPreconditioner<Exec, Matrix>>>(
        Smoothing{MultigridSmoother::chebyshev, std::max(1, shared.given_degree)}, std::move(m));
  }
  const Smoothing smoothing = shared.smoothing(level.number);
  if (smoothing.smoother == MultigridSmoother::gauss_seidel) {
    return make_color_sweeps(exec, A, smoothing.degree, options);
  }
  if (smoothing.smoother == MultigridSmoother::block_chebyshev && level.block > 1) {
    BlockDiagonal<Exec, Matrix> m(exec, A.rows(), level.block);
    m.update_values(exec, level, shared);
    return std::make_unique<PolynomialSmoother<Exec, Matrix, BlockDiagonal<Exec, Matrix>>>(
        smoothing, std::move(m));
  }
  return std::make_unique<PolynomialSmoother<Exec, Matrix, PointDiagonal<Exec, Matrix>>>(
      smoothing, PointDiagonal<Exec, Matrix>());
}

}  // namespace heddle::detail::multigrid
