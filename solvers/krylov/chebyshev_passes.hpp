// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "preconditioned.hpp"
#include "residual.hpp"

namespace heddle::detail::krylov {

inline void check_bounds(const SpectrumBounds& bounds) {
  if (!(bounds.lower > 0) || !(bounds.upper >= bounds.lower) || !std::isfinite(bounds.upper)) {
    throw Error("bounds of a spectrum from " + std::to_string(bounds.lower) + " to " +
                    std::to_string(bounds.upper),
                "give two positive numbers, the lower one first");
  }
}

/// The numbers of Chebyshev's iteration for a spectrum between two bounds: known beforehand, so
/// that no step waits for a sum.
class ChebyshevNumbers {
 public:
  explicit ChebyshevNumbers(const SpectrumBounds& of)
      : middle_((of.upper + of.lower) / 2),
        half_((of.upper - of.lower) / 2),
        rho_(half_ / middle_) {}

  /// Of z, in the first direction.
  double first() const { return 1 / middle_; }
  /// Of the direction before and of z, in the next.
  std::pair<double, double> next() {
    const double scale = 1 / (2 * middle_ - rho_ * half_);
    const double before = std::exchange(rho_, half_ * scale);
    return {rho_ * before, 2 * scale};
  }

 private:
  double middle_, half_, rho_;
};

/// x += d, which is scaled and x is not, r -= q, then d = old d + fresh z, of z = M r; with Norm, r
/// . r too. With a z that is a vector, d is left to ChebyshevDirection.
template <Scalar S, Preconditioned How, bool Norm>
struct ChebyshevStep {
  static constexpr int sums = Norm ? 1 : 0;
  using accumulator_type = Wide<S>;
  Multivector<S> x, r, d;
  Multivector<const S> q;
  Residuals<S, How> residuals;
  double old, fresh;
  Progress* progress;  ///< null: goes on whatever comes
  Limits limits;
  int products;  ///< since the last norm

  template <class Pack>
  struct Constants {
    Pack old, fresh, minus_one, unscale;
  };
  template <class Pack>
  struct Values {
    Pack x, r, d, q, z;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const {
    return !progress || progress->outcome == Outcome::running;
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    using Sum = Wide<S>;
    return {Pack::all(Sum(old)), Pack::all(Sum(fresh)), Pack::all(Sum(-1)),
            Pack::all(Sum(progress ? progress->unscale : 1.0))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    Pack z = Pack::zero();
    if constexpr (How == Preconditioned::by_diagonal) z = residuals.read(at, z);
    return {at.load(x), at.load(r), at.load(d), at.load(q), z};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, [[maybe_unused]] Pack* sum) const {
    at.store(x, Pack::multiply_add(with.unscale, of.d, of.x));
    const Pack left = at.keep(Pack::multiply_add(with.minus_one, of.q, of.r));
    at.store(r, left);
    if constexpr (How != Preconditioned::by_operator) {
      const Pack z = residuals.value(of.z, left);
      at.store(d, Pack::multiply_add(with.old, of.d, Pack::multiply(with.fresh, z)));
    }
    if constexpr (Norm) *sum = Pack::multiply_add(Pack::conjugate(left), left, *sum);
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    if constexpr (Norm) {
      if (!active(0)) return;
      advance(*progress, limits, 0, Kokkos::sqrt(real_part(*total)), products, 1);
    }
  }
};

/// d = old d + fresh z, of z = M r. old == 0 does not read d.
template <Scalar S, Preconditioned How>
struct ChebyshevDirection : PassWithoutSums {
  using accumulator_type = Wide<S>;
  Multivector<const S> r;
  Multivector<S> d;
  Residuals<S, How> residuals;
  double old, fresh;
  const Progress* progress;

  template <class Pack>
  struct Constants {
    Pack old, fresh;
  };
  template <class Pack>
  struct Values {
    Pack r, d, z;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const {
    return !progress || progress->outcome == Outcome::running;
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(Wide<S>(old)), Pack::all(Wide<S>(fresh))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    const Pack of_r = How == Preconditioned::by_operator ? Pack::zero() : at.load(r);
    return {of_r, old == 0 ? Pack::zero() : at.load(d), residuals.read(at, of_r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    const Pack z = Pack::multiply(with.fresh, residuals.value(of.z, of.r));
    at.store(d, Pack::multiply_add(with.old, of.d, z));
  }
};

/// After r was replaced by b - A x, scaled: one item.
struct ChebyshevGoesOn {
  Progress* progress;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { progress->unscaled = 0; }
};

}  // namespace heddle::detail::krylov
