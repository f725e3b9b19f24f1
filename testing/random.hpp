// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are the same everywhere, and vectors filled with them or with poison.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "../core/types.hpp"

namespace heddle::test {

/// SplitMix64 (Steele, Lea, Flood 2014): one seed gives one sequence, on every machine and standard
/// library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// From 0 to `end` - 1, `end` > 0; the bias for ends far below 2^64 does not matter here.
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(end));
  }

  /// From 0 to 1, without 1.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// From -1 to 1, in both parts of a complex number.
  template <Scalar S>
  S scalar() {
    if constexpr (is_complex<S>) {
      const auto real = scalar<typename S::value_type>();
      const auto imag = scalar<typename S::value_type>();
      return S(real, imag);
    } else {
      return static_cast<S>(2 * unit() - 1);
    }
  }

 private:
  std::uint64_t state_;
};

/// NaN, in both parts: a result that read what it should not shows it.
template <Scalar S>
S poison() {
  if constexpr (is_complex<S>) {
    const auto part = poison<typename S::value_type>();
    return S(part, part);
  } else {
    return std::numeric_limits<S>::quiet_NaN();
  }
}

template <class S>
using HostVector = Kokkos::View<S*, Kokkos::HostSpace>;
template <class S, class Layout = Kokkos::LayoutLeft>
using HostColumns = Kokkos::View<S**, Layout, Kokkos::HostSpace>;

/// Fills vectors with random numbers, column by column.
template <VectorView V>
void fill_random(const V& vectors, Random& random) {
  using S = typename V::non_const_value_type;
  const std::size_t columns = V::rank() == 1 ? 1 : vectors.extent(1);
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < vectors.extent(0); ++i) {
      if constexpr (V::rank() == 1) {
        vectors(i) = random.scalar<S>();
      } else {
        vectors(i, k) = random.scalar<S>();
      }
    }
  }
}

template <Scalar S>
HostVector<S> random_vector(std::size_t size, std::uint64_t seed) {
  HostVector<S> vector(Kokkos::view_alloc(Kokkos::WithoutInitializing, "heddle::test::vector"),
                       size);
  Random random(seed);
  fill_random(vector, random);
  return vector;
}

template <Scalar S, class Layout = Kokkos::LayoutLeft>
HostColumns<S, Layout> random_columns(std::size_t size, std::size_t columns, std::uint64_t seed) {
  HostColumns<S, Layout> vectors(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "heddle::test::columns"), size, columns);
  Random random(seed);
  fill_random(vectors, random);
  return vectors;
}

/// Fills a view of any space and rank with poison.
template <VectorView V>
void fill_with_poison(const V& view) {
  Kokkos::deep_copy(view, poison<typename V::non_const_value_type>());
}

/// A copy of a host view in a space, in the same layout, with memory of its own even on the host.
template <MemorySpace Space, VectorView V>
auto copy_to(const V& view) {
  auto copy = Kokkos::create_mirror(Space(), view);
  Kokkos::deep_copy(copy, view);
  return copy;
}

/// For reading: the view itself if it is on the host, else a copy.
template <VectorView V>
auto to_host(const V& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

}  // namespace heddle::test
