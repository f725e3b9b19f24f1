// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two sets of values for one pattern, so that a plan can get new ones.
#pragma once

#include <array>
#include <cmath>

#include "../../testing/format_suite/check.hpp"
#include "draw_pattern.hpp"

namespace heddle::test {

/// A value rounded to few digits, so that a few of them sum exactly. A format may sum repeated
/// entries in the matrix's type, which vectors of a wider type would show.
template <Scalar S>
S coarse(const S& value) {
  if constexpr (is_complex<S>) {
    return S(coarse(value.real()), coarse(value.imag()));
  } else {
    return std::round(value * S(1024)) / S(1024);
  }
}

template <class T>
class TwoMatrices {
 public:
  using D = DeviceMatrix<T>;

  /// set(host, seed) fills in the values.
  template <class Set>
  TwoMatrices(const typename T::Exec& exec, const Pattern& pattern, Random& random, bool wider,
              const Set& set)
      : exec_(exec) {
    const bool in_few_digits = wider && !without_repeats(pattern);
    for (auto& A : all_) {
      auto host = make_matrix<typename D::S, typename D::O, typename D::Off>(pattern);
      set(host, random.bits());
      if (in_few_digits) {
        for (std::size_t e = 0; e < host.values().extent(0); ++e) {
          host.values()(e) = coarse(host.values()(e));
        }
      }
      A = to_device<T>(exec, pattern.name, host);
    }
  }

  const D& now() const { return all_[now_]; }
  std::size_t index() const { return now_; }

  /// Makes the other matrix the current one, with its values as they were drawn.
  void turn() {
    now_ = 1 - now_;
    restore();
  }
  void restore() const {
    const D& A = all_[now_];
    Kokkos::deep_copy(A.device.row_ptr(), A.host.row_ptr());
    Kokkos::deep_copy(A.device.col_idx(), A.host.col_idx());
    Kokkos::deep_copy(A.device.values(), A.host.values());
    exec_.fence("heddle::test::restored");
  }
  /// Overwrites one matrix, as if its memory were freed: nothing may read it any more.
  void spoil(std::size_t which) const {
    Kokkos::deep_copy(all_[which].device.col_idx(), 0);
    fill_with_poison(all_[which].device.values());
    exec_.fence("heddle::test::spoiled");
  }

 private:
  typename T::Exec exec_;
  std::array<D, 2> all_;
  std::size_t now_ = 0;
};

}  // namespace heddle::test
