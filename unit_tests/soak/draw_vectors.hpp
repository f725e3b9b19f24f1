// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors in any layout, and two sets of values for one pattern.
#pragma once

#include <array>
#include <cmath>
#include <cstring>

#include "../../testing/format_suite/check.hpp"
#include "draw_pattern.hpp"

namespace heddle::test {

/// Vectors of a random layout on the host: strides, gaps, and a guard before and after, filled with
/// poison.
template <Scalar S>
class DrawnVectors {
 public:
  template <class Type, class Space>
  using Strided =
      Kokkos::View<Type, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  HostVector<S> data;

  DrawnVectors(Random& random, std::size_t rows, std::size_t count) : rows_(rows), count_(count) {
    const auto add = [&](std::size_t size) {
      return size + static_cast<std::size_t>(once_in(random, 2) ? 0 : random.below(4));
    };
    if (random.below(2)) {
      row_stride_ = add(1);
      vector_stride_ = add(std::max<std::size_t>(1, rows * row_stride_));
    } else {
      vector_stride_ = add(1);
      row_stride_ = add(count * vector_stride_);
    }
    guard_ = up_to<std::size_t>(random, 20);
    data = HostVector<S>("heddle::test::vectors",
                         2 * guard_ + rows * row_stride_ + count * vector_stride_);
    fill_with_poison(data);
  }

  void fill(Random& random) const { fill_random(view_of(data), random); }

  /// The vectors in a copy of `data`, on any device.
  template <class Copy>
  auto view_of(const Copy& copy) const {
    return Strided<S**, typename Copy::memory_space>(
        copy.data() + guard_, Kokkos::LayoutStride(rows_, row_stride_, count_, vector_stride_));
  }
  template <class Copy>
  auto first_of(const Copy& copy) const {
    return Strided<S*, typename Copy::memory_space>(copy.data() + guard_,
                                                    Kokkos::LayoutStride(rows_, row_stride_));
  }

  /// Whether a copy on the host holds the bits of `data` in gaps and guards.
  template <class Copy>
  bool same_outside(const Copy& copy) const {
    std::vector<bool> inside(data.extent(0), false);
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) {
        inside[guard_ + i * row_stride_ + k * vector_stride_] = true;
      }
    }
    for (std::size_t p = 0; p < inside.size(); ++p) {
      if (!inside[p] && std::memcmp(&copy(p), &data(p), sizeof(S)) != 0) return false;
    }
    return true;
  }

  std::string words() const { return text(row_stride_, ':', vector_stride_); }

 private:
  std::size_t rows_, count_, row_stride_, vector_stride_, guard_;
};

/// Calls run(copy) for a copy of `y` on the device, and returns what is wrong with the result:
/// wrong(vectors), something written beside y, or, in some calls, other bits of a second run.
template <ExecutionSpace Exec, Scalar V, class Run, class Wrong>
std::string wrong_result(Random& random, const Exec& exec, const DrawnVectors<V>& y,
                         bool reproducible, const Run& run, const Wrong& wrong) {
  const auto run_once = [&] {
    const auto copy = copy_to<typename Exec::memory_space>(y.data);
    run(copy);
    exec.fence("heddle::test::ran");
    return to_host(copy);
  };
  const auto result = run_once();
  if (!y.same_outside(result)) return "something was written beside the result";
  const std::string problem = wrong(y.view_of(result));
  if (!problem.empty() || !reproducible || !once_in(random, 3)) return problem;
  const auto again = run_once();
  return same_bits(y.view_of(result), y.view_of(again)) ? "" : "other bits the second time";
}

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

/// A matrix with two sets of values, one of which is current.
template <class T>
class TwoMatrices {
 public:
  using D = DeviceMatrix<T>;

  /// set(host, seed) fills in the values.
  template <class Set>
  TwoMatrices(const typename T::Exec& exec, const Pattern& pattern, Random& random, bool is_coarse,
              const Set& set) {
    for (auto& A : all_) {
      auto host = make_matrix<typename D::S, typename D::O, typename D::Off>(pattern);
      set(host, random.bits());
      for (std::size_t e = 0; is_coarse && e < host.values().extent(0); ++e) {
        host.values()(e) = coarse(host.values()(e));
      }
      A = to_device<T>(exec, pattern.name, host);
    }
  }

  const D& now() const { return all_[now_]; }
  std::size_t index() const { return now_; }

  /// Gives the plan the other values, and overwrites what it had before.
  template <class Plan>
  void update(const typename T::Exec& exec, Plan& plan) {
    now_ = 1 - now_;
    restore(exec);
    plan.update_values(exec, now().matrix());
    exec.fence("heddle::test::updated");
    spoil(exec, 1 - now_);
  }
  void restore(const typename T::Exec& exec) const {
    const D& A = now();
    Kokkos::deep_copy(A.device.row_ptr(), A.host.row_ptr());
    Kokkos::deep_copy(A.device.col_idx(), A.host.col_idx());
    Kokkos::deep_copy(A.device.values(), A.host.values());
    exec.fence("heddle::test::restored");
  }
  /// Overwrites one matrix, as if its memory were freed: nothing may read it any more.
  void spoil(const typename T::Exec& exec, std::size_t which) const {
    Kokkos::deep_copy(all_[which].device.col_idx(), 0);
    fill_with_poison(all_[which].device.values());
    exec.fence("heddle::test::spoiled");
  }

 private:
  std::array<D, 2> all_;
  std::size_t now_ = 0;
};

}  // namespace heddle::test
