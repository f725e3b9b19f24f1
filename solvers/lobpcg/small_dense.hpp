// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/types.hpp"

/// Small dense matrices of the host, in columns.
namespace heddle::detail::lobpcg {

template <class T>
double real_part(const T& value) {
  if constexpr (is_complex<T>) {
    return value.real();
  } else {
    return value;
  }
}
template <class T>
T conjugated(const T& value) {
  if constexpr (is_complex<T>) {
    return Kokkos::conj(value);
  } else {
    return value;
  }
}

template <class T>
struct Dense {
  int rows = 0, columns = 0;
  std::vector<T> entries;

  Dense() = default;
  Dense(int r, int c) : rows(r), columns(c), entries(static_cast<std::size_t>(r) * c) {}
  T& operator()(int i, int j) { return entries[static_cast<std::size_t>(j) * rows + i]; }
  const T& operator()(int i, int j) const {
    return entries[static_cast<std::size_t>(j) * rows + i];
  }
};

/// The largest |h(i, j) - conj h(j, i)| over sizes(i) sizes(j), for i and j from `first` on; 0 of a
/// Hermitian matrix.
template <class T, class Sizes>
double asymmetry(const Dense<T>& h, const Sizes& sizes, int first) {
  double largest = 0;
  for (int j = first; j < h.columns; ++j) {
    for (int i = first; i < j; ++i) {
      const double of_both = sizes(i) * sizes(j);
      const double difference = Kokkos::abs(h(i, j) - conjugated(h(j, i)));
      if (of_both > 0) largest = std::max(largest, difference / of_both);
    }
  }
  return largest;
}

/// a b
template <class T>
Dense<T> times(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j) {
    for (int k = 0; k < a.columns; ++k) {
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
/// a' b
template <class T>
Dense<T> adjoint_times(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.columns, b.columns);
  for (int j = 0; j < b.columns; ++j) {
    for (int i = 0; i < a.columns; ++i) {
      for (int k = 0; k < a.rows; ++k) c(i, j) += conjugated(a(k, i)) * b(k, j);
    }
  }
  return c;
}
/// (a + a') / 2 in place of a.
template <class T>
void make_hermitian(Dense<T>& a) {
  for (int j = 0; j < a.columns; ++j) {
    for (int i = 0; i <= j; ++i) {
      a(i, j) = (a(i, j) + conjugated(a(j, i))) * 0.5;
      a(j, i) = conjugated(a(i, j));
    }
  }
}
/// Columns of b behind those of a.
template <class T>
void append(Dense<T>& a, const Dense<T>& b) {
  a.columns += b.columns;
  a.entries.insert(a.entries.end(), b.entries.begin(), b.entries.end());
}

}  // namespace heddle::detail::lobpcg
