// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <heddle/backends/host/vector.hpp>
#include <limits>
#include <string>
#include <vector>

namespace heddle::test {

using backends::HostVectors;

TEST_CASE("host vectors: the environment chooses, but never what the processor lacks") {
  const HostVectors best = backends::best_host_vectors();
  const char* variable = std::getenv("HEDDLE_HOST_VECTORS");
  const std::string said = variable ? variable : "";
  HostVectors expected = best;
  if (best != HostVectors::none) {
    if (said == "none") expected = HostVectors::none;
    if (said == "loads") expected = HostVectors::loads;
    if (said == "gathers") expected = HostVectors::gathers;
  }
  CHECK(backends::host_vectors() == expected);
}

#ifdef HEDDLE_HOST_VECTORS

namespace {

/// Arrays of the four entries of some vectors.
template <class T>
using Four = std::vector<T>;

template <class T>
Four<T> counted_from(T first) {
  return {first, first + 1, first + 2, first + 3};
}

template <class T>
HEDDLE_VECTOR_FUNCTION Four<T> kept(std::int64_t n, const T* from) {
  using Vector = backends::HostVector<T>;
  Four<T> to(4);
  Vector::store(to.data(), Vector::keep(Vector::first(n), Vector::load(from)));
  return to;
}

/// The first N entries of `from`, stored over those of `to`.
template <int N, class T>
HEDDLE_VECTOR_FUNCTION void copy_first(const T* from, T* to) {
  using Vector = backends::HostVector<T>;
  Vector::template store_first<N>(to, Vector::template load_first<N>(from));
}

/// What load_first and strided_first leave in all four.
template <int N, class T>
HEDDLE_VECTOR_FUNCTION Four<T> loaded_first(const T* from) {
  using Vector = backends::HostVector<T>;
  Four<T> to(4);
  Vector::store(to.data(), Vector::template load_first<N>(from));
  return to;
}
template <int N, class T>
HEDDLE_VECTOR_FUNCTION Four<T> every_first(std::int64_t stride, const T* from) {
  using Vector = backends::HostVector<T>;
  Four<T> to(4);
  Vector::store(to.data(), Vector::template strided_first<N>(from, stride));
  return to;
}

template <class T>
HEDDLE_VECTOR_FUNCTION Four<T> arithmetic(const T* a, const T* b) {
  using Vector = backends::HostVector<T>;
  const auto sum = Vector::add(Vector::load(a), Vector::load(b));
  const auto product = Vector::multiply(Vector::load(a), Vector::load(b));
  Four<T> to(4);
  Vector::store(to.data(), Vector::multiply_add(sum, Vector::all(T(2)), product));
  return to;
}

template <class T, class Index>
HEDDLE_VECTOR_FUNCTION Four<T> loaded(const Index* indices, const T* from) {
  using Vector = backends::HostVector<T>;
  Four<T> to(4);
  Vector::store(to.data(), Vector::load_each(indices, from));
  return to;
}

template <class T>
HEDDLE_VECTOR_FUNCTION Four<T> gathered(const std::int32_t* indices, const T* from) {
  using Vector = backends::HostVector<T>;
  Four<T> to(4);
  Vector::store(to.data(), Vector::gather(indices, from));
  return to;
}

template <class T>
HEDDLE_VECTOR_FUNCTION Four<T> every(std::int64_t stride, const T* from) {
  using Vector = backends::HostVector<T>;
  Four<T> to(4);
  Vector::store(to.data(), Vector::strided(from, stride));
  return to;
}

template <class T>
HEDDLE_VECTOR_FUNCTION T sum(const T* from) {
  return backends::HostVector<T>::sum(backends::HostVector<T>::load(from));
}

/// The sums of four vectors, then their transpose.
template <class T>
HEDDLE_VECTOR_FUNCTION void sums_and_transpose(const T* from, T* sums, T* transposed) {
  using Vector = backends::HostVector<T>;
  Vector v[4];
  for (int i = 0; i < 4; ++i) v[i] = Vector::load(from + 4 * i);
  Vector::store(sums, Vector::sums(v));
  Vector::transpose(v);
  for (int i = 0; i < 4; ++i) Vector::store(transposed + 4 * i, v[i]);
}

template <class T>
void check_masks() {
  for (int n = -4; n <= 8; ++n) {
    Four<T> from = counted_from(T(1));
    for (int i = n < 0 ? 0 : n; i < 4; ++i) {
      from[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
    }
    Four<T> expected(4, T(0));
    for (int i = 0; i < 4 && i < n; ++i) expected[static_cast<std::size_t>(i)] = T(i + 1);
    CHECK(kept<T>(n, from.data()) == expected);
  }
}

/// Of an array that ends after N entries: what lies beyond is another's, or nobody's.
template <int N, class T>
void check_first() {
  std::vector<T> from(N);
  for (std::size_t i = 0; i < N; ++i) from[i] = T(i + 1);
  Four<T> zeros_beyond(4, T(0));
  std::copy(from.begin(), from.end(), zeros_beyond.begin());
  CHECK(loaded_first<N>(from.data()) == zeros_beyond);
  std::vector<T> apart(3 * N - 2, T(-1));
  for (std::size_t i = 0; i < N; ++i) apart[3 * i] = from[i];
  CHECK(every_first<N>(3, apart.data()) == zeros_beyond);
  Four<T> to = counted_from(T(11)), expected = to;
  copy_first<N>(from.data(), to.data());
  std::copy(from.begin(), from.end(), expected.begin());
  CHECK(to == expected);
  std::vector<T> exact(N);
  copy_first<N>(from.data(), exact.data());
  CHECK(exact == from);
}

template <class T>
void check_arithmetic() {
  const Four<T> a = counted_from(T(1)), b = counted_from(T(10));
  CHECK(arithmetic<T>(a.data(), b.data()) == Four<T>{32, 48, 66, 86});
  CHECK(sum<T>(b.data()) == T(46));
}

template <class T>
void check_scattered_loads() {
  std::vector<T> from(12);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
  const std::int32_t near[4] = {11, 0, 5, 5};
  const std::int64_t far[4] = {3, 9, 1, 10};
  CHECK(loaded<T>(near, from.data()) == Four<T>{11, 0, 5, 5});
  CHECK(loaded<T>(far, from.data()) == Four<T>{3, 9, 1, 10});
  CHECK(gathered<T>(near, from.data()) == Four<T>{11, 0, 5, 5});
  const std::int32_t behind[4] = {-1, -3, 2, 0};
  CHECK(gathered<T>(behind, from.data() + 4) == Four<T>{3, 1, 6, 4});
  CHECK(every<T>(3, from.data() + 2) == Four<T>{2, 5, 8, 11});
}

template <class T>
void check_four_vectors() {
  std::vector<T> from(16), sums(4), transposed(16);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>((i * 37) % 101);
  sums_and_transpose<T>(from.data(), sums.data(), transposed.data());
  for (std::size_t i = 0; i < 4; ++i) {
    T expected = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      expected += from[4 * i + j];
      CHECK(transposed[4 * j + i] == from[4 * i + j]);
    }
    CHECK(sums[i] == expected);
  }
}

template <class T>
void check_words() {
  check_masks<T>();
  check_first<1, T>();
  check_first<2, T>();
  check_first<3, T>();
  check_first<4, T>();
  check_arithmetic<T>();
  check_scattered_loads<T>();
  check_four_vectors<T>();
}

}  // namespace

TEST_CASE("host vectors: every word, on four numbers") {
  if (backends::best_host_vectors() == HostVectors::none) return;
  check_words<double>();
  check_words<float>();
}

#endif

}  // namespace heddle::test
