// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../krylov/lanczos.hpp"
#include "coarsening.hpp"
#include "smoother.hpp"

/// The second visit of a level by W and K cycles. With B the cycle of the level and c = B b, both
/// take r = b - a A c and d = B r, and the level's solution is x = f c + g d. A W cycle has
/// a = f = g = 1. A K cycle takes two steps of flexible conjugate gradients, whose a, f and g have
/// the least energy of the error, or for an unsymmetric A of flexible GCR, with the least residual.
/// If the first step leaves a quarter of the residual or less, g is 0. The coefficients stay on the
/// device: nothing is read back, so that launches are the same for every b and a graph can record
/// them.
///
/// Source: Y. Notay and P. Vassilevski, "Recursive Krylov-based multigrid cycles", Numer. Linear
/// Algebra Appl. 15, 2008.
namespace heddle::detail::multigrid {

/// Numbers of the two steps for one right-hand side, on the device.
template <Scalar S>
struct StepNumbers {
  using Sum = krylov::Wide<S>;
  double first_energy;      ///< c* A c, or of GCR |A c|^2
  double residual_squared;  ///< |b|^2
  bool ends;                ///< whether the first step is the last
  Sum a, f, g;
};

template <Scalar S>
struct UnitSteps {
  StepNumbers<S>* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    const krylov::Wide<S> one(1);
    numbers[v] = {0, 0, false, one, one, one};
  }
};

/// The first step: a = left* b / left* A c, with left = c of conjugate gradients or A c of GCR. A
/// step that has no such number, as for b = 0, takes c as it is, and is the last.
template <Scalar S>
struct FirstStep : vectors::Pass<krylov::Wide<S>, 3> {
  using Sum = krylov::Wide<S>;
  Multivector<const S> c, Ac, b;
  StepNumbers<S>* numbers;
  const bool* hermitian;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(c), vectors::loaded(Ac), vectors::loaded(b));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [by_energy = *hermitian](const auto&, Pack* sums, const Pack& c, const Pack& Ac,
                                    const Pack& b) {
      const Pack left = by_energy ? c : Ac;
      vectors::add_dot(left, Ac, sums[0]);
      vectors::add_dot(left, b, sums[1]);
      vectors::add_dot(b, b, sums[2]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Sum* sums) const {
    StepNumbers<S>& of = numbers[v];
    of.first_energy = real_part(sums[0]);
    of.residual_squared = real_part(sums[2]);
    const Sum a = sums[1] * (1 / of.first_energy);
    of.ends = !(of.first_energy > 0) || !Kokkos::isfinite(static_cast<double>(Kokkos::abs(a)));
    of.a = of.f = of.ends ? Sum(1) : a;
    of.g = Sum(0);
  }
};

/// b -= a A c. A K cycle decides whether the second step counts.
template <Scalar S>
struct ResidualOfFirstStep : vectors::Pass<krylov::Wide<S>, 1> {
  using Sum = krylov::Wide<S>;
  Multivector<S> b;
  Multivector<const S> Ac;
  StepNumbers<S>* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(b), vectors::loaded(Ac));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return
        [minus_a = Pack::all(-numbers[v].a)](const auto& at, Pack* sum, Pack& b, const Pack& Ac) {
          b = at.keep(Pack::multiply_add(minus_a, Ac, b));
          vectors::add_dot(b, b, *sum);
        };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Sum* sum) const {
    constexpr double quarter_squared = 0.0625;
    StepNumbers<S>& of = numbers[v];
    of.ends = of.ends || !(real_part(*sum) > quarter_squared * of.residual_squared);
  }
};

/// The second step, whose direction is d less its part along c: f and g.
template <Scalar S>
struct SecondStep : vectors::Pass<krylov::Wide<S>, 3> {
  using Sum = krylov::Wide<S>;
  Multivector<const S> c, Ac, d, Ad, r;
  StepNumbers<S>* numbers;
  const bool* hermitian;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(c), vectors::loaded(Ac), vectors::loaded(d),
                                vectors::loaded(Ad), vectors::loaded(r));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [by_energy = *hermitian](const auto&, Pack* sums, const Pack& c, const Pack& Ac,
                                    const Pack& d, const Pack& Ad, const Pack& r) {
      const Pack left = by_energy ? d : Ad;
      vectors::add_dot(by_energy ? c : Ac, Ad, sums[0]);
      vectors::add_dot(left, Ad, sums[1]);
      vectors::add_dot(left, r, sums[2]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Sum* sums) const {
    StepNumbers<S>& of = numbers[v];
    if (of.ends) return;
    const Sum along_c = sums[0] * (1 / of.first_energy);
    const double energy = real_part(sums[1]);
    const double own = energy - spectrum::square_of(along_c) * of.first_energy;
    const Sum g = sums[2] * (1 / own);
    // A d that is nearly c has no direction of its own.
    const bool has_own = own > spectrum::rounding_of_magnitude<S> * energy &&
                         Kokkos::isfinite(static_cast<double>(Kokkos::abs(g)));
    if (!has_own) return;
    of.f = of.a - along_c * g;
    of.g = g;
  }
};

/// x = f x + g d
template <Scalar S>
struct CombineSteps : vectors::Pass<krylov::Wide<S>> {
  Multivector<S> x;
  Multivector<const S> d;
  const StepNumbers<S>* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(x), vectors::loaded(d));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [f = Pack::all(numbers[v].f), g = Pack::all(numbers[v].g)](Pack& x, const Pack& d) {
      x = Pack::multiply_add(g, d, Pack::multiply(f, x));
    };
  }
};

/// Vectors and numbers of a level that is visited twice, and the work between and after the visits.
template <ExecutionSpace Exec, class Matrix>
class InnerSteps {
 public:
  using S = typename Matrix::scalar_type;
  using Product = typename Shared<Exec, Matrix>::Product;
  using X = Multivector<S>;

  /// Allocates.
  InnerSteps(const Exec& exec, std::int64_t rows, int count, bool krylov)
      : rows_(rows),
        krylov_(krylov),
        memory_(exec, "heddle::multigrid::inner_steps", arena_array(Ac_, rows * count),
                arena_array(d_, rows * count), arena_array(numbers_, count)) {
    parallel_for(exec, "heddle::multigrid::unit_steps", count, UnitSteps<S>{numbers_});
  }

  /// The result of the second visit, `count` vectors.
  X second(int count) const { return vectors_of(d_, rows_, count); }

  /// After the first visit, whose result is x: b becomes the right-hand side of the second one.
  void after_first(const Exec& exec, const Shared<Exec, Matrix>& shared, const Product& product,
                   const X& b, const X& x) const {
    const X Ac = vectors_of(Ac_, rows_, x.count);
    product.execute(exec, Op::none, S(1), to_read(x), S(0), Ac);
    if (krylov_) {
      stream(
          exec, "heddle::multigrid::first_step", shared, x.count,
          FirstStep<S>{{}, to_read(x), to_read(Ac), to_read(b), numbers_, &shared.symmetry->holds});
    }
    stream(exec, "heddle::multigrid::residual_of_first_step", shared, x.count,
           ResidualOfFirstStep<S>{{}, b, to_read(Ac), numbers_});
  }
  /// After the second visit: x = f x + g d. q: workspace.
  void after_second(const Exec& exec, const Shared<Exec, Matrix>& shared, const Product& product,
                    const X& b, const X& x, const X& q) const {
    const X d = second(x.count);
    if (krylov_) {
      product.execute(exec, Op::none, S(1), to_read(d), S(0), q);
      stream(exec, "heddle::multigrid::second_step", shared, x.count,
             SecondStep<S>{{},
                           to_read(x),
                           to_read(vectors_of(Ac_, rows_, x.count)),
                           to_read(d),
                           to_read(q),
                           to_read(b),
                           numbers_,
                           &shared.symmetry->holds});
    }
    stream(exec, "heddle::multigrid::combine_steps", shared, x.count,
           CombineSteps<S>{{}, x, to_read(d), numbers_});
  }
  bool krylov() const { return krylov_; }
  /// Products with the level's matrix after both visits.
  int products() const { return krylov_ ? 2 : 1; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  template <class Pass>
  void stream(const Exec& exec, const char* label, const Shared<Exec, Matrix>& shared, int count,
              const Pass& pass) const {
    vectors::stream(exec, label, rows_, count, true, pass, &shared.workspace);
  }

  std::int64_t rows_;
  bool krylov_;
  S *Ac_ = nullptr, *d_ = nullptr;
  StepNumbers<S>* numbers_ = nullptr;
  Arena<typename Exec::memory_space> memory_;
};

}  // namespace heddle::detail::multigrid
