// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "concepts.hpp"
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
template <Scalar S, Preconditioned how, bool Norm>
struct ChebyshevStep : vectors::Pass<Wide<S>, Norm ? 1 : 0> {
  Multivector<S> x, r, d;
  Multivector<const S> q, z;
  double old, fresh;
  Progress* progress;  ///< null: goes on whatever comes
  Limits limits;
  int products;  ///< since the last norm

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return !progress || progress->running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x), updated(r), updated(d, true, how != Preconditioned::by_operator),
                       loaded(q), loaded(z, how == Preconditioned::by_diagonal));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    using Sum = Wide<S>;
    return
        [old = Pack::all(Sum(old)), fresh = Pack::all(Sum(fresh)), minus_one = Pack::all(Sum(-1)),
         unscale = Pack::all(Sum(progress ? progress->unscale : 1.0))](
            const auto& at, [[maybe_unused]] Pack* sum, Pack& x, Pack& r, Pack& d, const Pack& q,
            const Pack& read) {
          x = Pack::multiply_add(unscale, d, x);
          r = at.keep(Pack::multiply_add(minus_one, q, r));
          d = Pack::multiply_add(old, d, Pack::multiply(fresh, z_of<how>(read, r)));
          if constexpr (Norm) add_dot(r, r, *sum);
        };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    if (active(0)) advance(*progress, limits, 0, Kokkos::sqrt(real_part(*total)), products, 1);
  }
};

/// d = old d + fresh z, of z = M r. old == 0 does not read d.
template <Scalar S, Preconditioned how>
struct ChebyshevDirection : vectors::Pass<Wide<S>> {
  Multivector<const S> r, z;
  Multivector<S> d;
  double old, fresh;
  const Progress* progress;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return !progress || progress->running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(r, how != Preconditioned::by_operator),
                       loaded(z, how != Preconditioned::not_at_all), updated(d, old != 0));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [old = Pack::all(Wide<S>(old)), fresh = Pack::all(Wide<S>(fresh))](
               const Pack& r, const Pack& read, Pack& d) {
      d = Pack::multiply_add(old, d, Pack::multiply(fresh, z_of<how>(read, r)));
    };
  }
};

/// After r was replaced by b - A x, scaled: one item.
struct ChebyshevGoesOn {
  Progress* progress;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { progress->unscaled = 0; }
};

}  // namespace heddle::detail::krylov
