// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the tests of operations on vectors: types, vectors on the device with a copy on the
// host, and sums in wide precision.
#pragma once

#include <doctest/doctest.h>

#include <heddle/vectors.hpp>

#include "backends.hpp"
#include "random.hpp"
#include "wide.hpp"

namespace heddle::test {

using Indices32OfVectors = Indices<std::int32_t, std::int32_t>;

/// Few types, since each compiles every operation again.
#ifdef HEDDLE_FULL_TESTS
using VectorTypes = Every<Scalars, UsualIndices, AllBackends>;
#elif defined(HEDDLE_SANITIZED_TESTS) || defined(HEDDLE_EMULATED)
using VectorTypes = std::tuple<Types<DefaultDevice, double, Indices32OfVectors>>;
#else
using VectorTypes =
    JoinTuples<std::tuple<Types<DefaultDevice, double, Indices32OfVectors>>,
               InTurn<Types<DefaultDevice, Kokkos::complex<float>, Indices32OfVectors>,
                      Types<Portable<Kokkos::DefaultExecutionSpace>, float, Indices32OfVectors>>>;
#endif

/// Vectors of a test, on the device and on the host.
template <Scalar S, MemorySpace Space, class Layout = Kokkos::LayoutLeft>
struct Both {
  HostColumns<S, Layout> host;
  Kokkos::View<S**, Layout, Space> device;

  Both(std::int64_t rows, int columns, std::uint64_t seed)
      : host(random_columns<S, Layout>(static_cast<std::size_t>(rows),
                                       static_cast<std::size_t>(columns), seed)),
        device(copy_to<Space>(host)) {}
  auto result() const { return to_host(device); }
};

/// A sum in wide precision, and the magnitudes that were added.
struct WideSum {
  detail::Wide value;
  long double magnitude = 0;
  std::int64_t terms = 0;

  void add(const detail::Wide& term) {
    value = value + term;
    magnitude += detail::magnitude(term);
    ++terms;
  }
  /// Whether `got` is as near as rounding in S allows, in any order.
  template <Scalar S>
  bool is(const S& got) const {
    const long double epsilon = std::numeric_limits<RealOf<S>>::epsilon();
    const long double bound =
        (is_complex<S> ? 4 : 1) * (8 + 2 * std::sqrt(static_cast<long double>(terms))) * epsilon;
    return detail::magnitude(detail::Wide(got) - value) <= bound * magnitude;
  }
};

inline detail::Wide wide_conjugate(const detail::Wide& a) { return {a.re, -a.im}; }

template <class V>
detail::Wide wide(const V& view, std::int64_t row, int column) {
  return detail::Wide(view(static_cast<std::size_t>(row), static_cast<std::size_t>(column)));
}

/// The dot product conj(x) . y of one column each.
template <class X, class Y>
WideSum wide_dot(const X& x, int i, const Y& y, int j) {
  WideSum sum;
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(x.extent(0)); ++row) {
    sum.add(wide_conjugate(wide(x, row, i)) * wide(y, row, j));
  }
  return sum;
}

/// Sizes around those of packs, lines of rows, blocks and teams.
inline std::vector<std::int64_t> vector_sizes() {
  if (emulated) return {0, 1, 31, 65, 1025, 5000};
  return {0, 1, 2, 3, 31, 63, 64, 65, 1000, 4097, 8192 + 5, 200003};
}

template <class View>
auto bits_of(const View& view) {
  using T = typename View::non_const_value_type;
  const auto host = to_host(view);
  const auto* bytes = reinterpret_cast<const unsigned char*>(host.data());
  return std::vector<unsigned char>(bytes, bytes + host.size() * sizeof(T));
}

}  // namespace heddle::test
