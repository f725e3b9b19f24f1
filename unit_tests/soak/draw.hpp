// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What heddle_soak draws: patterns, factors, and vectors in any layout.
#pragma once

#include <cstring>

#include "../support/spmv_check.hpp"

namespace heddle::test {

/// A pattern of up to some 30,000 nonzeros: any shape; empty, short, huge and like rows; unsorted
/// and repeated columns.
inline Pattern draw_pattern(Random& random) {
  const auto size = [&] {
    const std::int64_t largest[] = {3, 40, 300, 5000, 20000};
    return random.below(largest[random.below(5)] + 1);
  };
  const std::int64_t rows = size();
  const std::int64_t columns = random.below(3) == 0 ? rows : size();
  const std::int64_t mean = 1 + random.below(random.below(4) ? 8 : 80);
  const std::int64_t kind = random.below(5);
  const std::int64_t empty = random.below(3) ? 0 : 1 + random.below(9);
  const std::int64_t huge = random.below(3) ? 0 : 1 + random.below(columns + 1);
  const bool repeats = random.below(4) == 0, shuffled = random.below(4) == 0;
  Pattern pattern;
  pattern.columns = columns;
  pattern.name = std::to_string(rows) + " x " + std::to_string(columns) + ", rows of kind " +
                 std::to_string(kind) + " and about " + std::to_string(mean) +
                 (huge ? ", huge ones of " + std::to_string(huge) : "") +
                 (repeats ? ", repeated" : "") + (shuffled ? ", shuffled" : "");
  std::int64_t left = 30000;
  const std::int64_t stretch = 1 + random.below(50);
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t length = 0;
    switch (kind) {
      case 0: length = mean; break;
      case 1: length = random.below(2 * mean + 1); break;
      case 2: length = i / stretch % 2 ? mean : random.below(3); break;
      case 3: length = 1 + i % mean; break;
      default: length = mean / (1 + random.below(mean + 1)); break;
    }
    if (empty && i / stretch % (empty + 1)) length = 0;
    if (huge && random.below(rows) < 3) length = huge;
    length = std::max<std::int64_t>(0, std::min({length, columns, left}));
    // Rows like the one above, which some kernels take together.
    const bool like = i > 0 && kind == 2 && left > 3000 && random.below(4) > 0;
    if (!like) row = random_row(random, columns, length);
    if (repeats && !row.empty() && !like) row.push_back(row[row.size() / 2]);
    for (std::size_t k = 1; shuffled && !like && k < row.size(); ++k) {
      std::swap(row[k], row[static_cast<std::size_t>(random.below(static_cast<int>(k) + 1))]);
    }
    left = std::max<std::int64_t>(0, left - std::ssize(row));
    pattern.rows.push_back(row);
  }
  return pattern;
}

template <Scalar S>
S draw_factor(Random& random) {
  switch (random.below(4)) {
    case 0: return S(0);
    case 1: return S(1);
    case 2: return S(-1);
    default: return random.scalar<S>();
  }
}

inline std::size_t draw_count(Random& random) {
  const std::int64_t largest[] = {1, 1, 4, 9, 40};
  return static_cast<std::size_t>(1 + random.below(largest[random.below(5)]));
}

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

  /// The vectors in a copy of `data`, on any device.
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
