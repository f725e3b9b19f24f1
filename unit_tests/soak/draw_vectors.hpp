// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors in any layout.
#pragma once

#include <cstring>

#include "draw_numbers.hpp"

namespace heddle::test {

/// Vectors of a random layout on the host: strides, gaps, and a guard before and after, filled with
/// poison.
template <Scalar S>
class DrawnVectors {
 public:
  template <class Space>
  using Several =
      Kokkos::View<S**, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class Space>
  using One =
      Kokkos::View<S*, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  HostVector<S> data;

  DrawnVectors(Random& random, std::size_t rows, std::size_t count) : rows_(rows), count_(count) {
    const auto gap = [&] {
      return random.below(2) ? std::size_t{0} : static_cast<std::size_t>(random.below(4));
    };
    if (random.below(2)) {
      row_stride_ = 1 + gap();
      vector_stride_ = std::max<std::size_t>(1, rows * row_stride_) + gap();
    } else {
      vector_stride_ = 1 + gap();
      row_stride_ = count * vector_stride_ + gap();
    }
    guard_ = 1 + static_cast<std::size_t>(random.below(20));
    data = HostVector<S>("heddle::test::vectors",
                         2 * guard_ + rows * row_stride_ + count * vector_stride_);
    fill_with_poison(data);
  }

  void fill(Random& random) const {
    const auto vectors = view();
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) vectors(i, k) = random.scalar<S>();
    }
  }

  Several<Kokkos::HostSpace> view() const { return view_of(data); }

  /// A View of the vectors in a copy of `data`, on any device.
  template <class Copy>
  auto view_of(const Copy& copy) const {
    return Several<typename Copy::memory_space>(
        copy.data() + guard_, Kokkos::LayoutStride(rows_, row_stride_, count_, vector_stride_));
  }
  template <class Copy>
  auto first_of(const Copy& copy) const {
    return One<typename Copy::memory_space>(copy.data() + guard_,
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

  std::string words() const {
    return "with strides " + std::to_string(row_stride_) + " and " + std::to_string(vector_stride_);
  }

 private:
  std::size_t rows_, count_, row_stride_, vector_stride_, guard_;
};

}  // namespace heddle::test
