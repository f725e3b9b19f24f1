// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <heddle/backends/host/vector.hpp>
#include <limits>
#include <string>
#include <vector>

namespace heddle::test {

TEST_CASE("host vectors are preferred only where there are any") {
  if (backends::prefers_host_vectors()) CHECK(backends::has_host_vectors());
  const char* said = std::getenv("HEDDLE_HOST_VECTORS");
  if (said && std::string(said) == "0") CHECK(!backends::prefers_host_vectors());
}

#ifdef HEDDLE_HOST_VECTORS

namespace {

constexpr int most = 16;

/// What lies outside a mask: reading it would show in every sum.
template <class T>
std::vector<T> counted_then_nan(int n) {
  std::vector<T> data(most, std::numeric_limits<T>::quiet_NaN());
  for (int i = 0; i < n; ++i) data[static_cast<std::size_t>(i)] = static_cast<T>(i + 1);
  return data;
}

template <class T, int N>
HEDDLE_VECTOR_FUNCTION void load_and_store(int n, const T* from, T* to) {
  using Vector = backends::HostVector<T, N>;
  const auto mask = Vector::first(n);
  Vector::store(mask, to, Vector::load(mask, from));
}

template <class T, int N>
HEDDLE_VECTOR_FUNCTION T sum_of_products(int n, const T* values, const std::int32_t* indices,
                                         const T* x) {
  using Vector = backends::HostVector<T, N>;
  const auto mask = Vector::first(n);
  const auto gathered = Vector::gather(mask, Vector::load_indices(mask, indices), x);
  const auto product =
      Vector::multiply_add(Vector::load(mask, values), gathered, Vector::all(T(0)));
  return Vector::sum(Vector::add(product, product)) / 2;
}

template <class T, int N>
HEDDLE_VECTOR_FUNCTION void sums_of_eight(const T* rows, T* to) {
  using Vector = backends::HostVector<T, N>;
  using Eight = backends::HostVector<T, 8>;
  Vector vectors[8];
  for (int i = 0; i < 8; ++i) vectors[i] = Vector::load(Vector::first(N), rows + i * N);
  Eight::store(Eight::first(8), to, Vector::sums(vectors));
}

template <class T>
HEDDLE_VECTOR_FUNCTION void every_third(int n, const T* from, T* to) {
  using Eight = backends::HostVector<T, 8>;
  const auto mask = Eight::first(n);
  Eight::store(mask, to,
               Eight::multiply(Eight::all(T(2)), Eight::gather(mask, Eight::multiples(3), from)));
}

template <class T, int N>
void check_words() {
  for (int n = 0; n <= N; ++n) {
    const auto from = counted_then_nan<T>(n);
    std::vector<T> to(most, T(-1));
    load_and_store<T, N>(n, from.data(), to.data());
    for (int i = 0; i < most; ++i) {
      CHECK(to[static_cast<std::size_t>(i)] == (i < n ? static_cast<T>(i + 1) : T(-1)));
    }
  }
}

template <class T, int N>
void check_sums() {
  for (int n = 0; n <= N; ++n) {
    const auto values = counted_then_nan<T>(n);
    // An index outside the mask would read far outside x.
    std::vector<std::int32_t> indices(most, std::numeric_limits<std::int32_t>::max());
    for (int i = 0; i < n; ++i) indices[static_cast<std::size_t>(i)] = (7 * i + 3) % 20;
    std::vector<T> x(20);
    T expected = 0;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i) - 4;
    for (int i = 0; i < n; ++i) {
      expected += static_cast<T>(i + 1) * (static_cast<T>((7 * i + 3) % 20) - 4);
    }
    CHECK(sum_of_products<T, N>(n, values.data(), indices.data(), x.data()) == expected);
  }
  std::vector<T> rows(8 * N), sums(8);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<T>((i * 37) % 101);
  sums_of_eight<T, N>(rows.data(), sums.data());
  for (int i = 0; i < 8; ++i) {
    T expected = 0;
    for (int j = 0; j < N; ++j) expected += rows[static_cast<std::size_t>(i * N + j)];
    CHECK(sums[static_cast<std::size_t>(i)] == expected);
  }
}

template <class T>
void check_strides() {
  std::vector<T> from(24);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
  for (int n = 0; n <= 8; ++n) {
    std::vector<T> to(8, T(-1));
    every_third<T>(n, from.data(), to.data());
    for (int i = 0; i < 8; ++i) {
      CHECK(to[static_cast<std::size_t>(i)] == (i < n ? static_cast<T>(6 * i) : T(-1)));
    }
  }
}

}  // namespace

TEST_CASE("host vectors: masked loads and stores, gathers, sums") {
  if (!backends::has_host_vectors()) return;
  check_words<double, 8>();
  check_words<float, 8>();
  check_sums<double, 8>();
  check_sums<float, 16>();
  check_strides<double>();
  check_strides<float>();
}

#endif

}  // namespace heddle::test
