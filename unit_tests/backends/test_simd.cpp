// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIMD registers of a CPU: which it has, and every word of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/simd_register.hpp"
#include "../../formats/common/lanes_or_simd.hpp"

namespace heddle::test {

using backends::Simd;

namespace {

/// Checks every word of Vector with entries of type T.
template <class T, class Vector>
struct Check {
  /// The entries of a vector.
  using Four = std::vector<T>;

  static Four counted_from(T first) { return {first, first + 1, first + 2, first + 3}; }

  static HEDDLE_SIMD_FUNCTION Four kept(std::int64_t n, const T* from) {
    Four to(4);
    Vector::store(to.data(), Vector::keep(Vector::first(n), Vector::load(from)));
    return to;
  }

  /// Copies the first N entries of `from` to `to`.
  template <int N>
  static HEDDLE_SIMD_FUNCTION void copy_first(const T* from, T* to) {
    Vector::template store_first<N>(to, Vector::template load_first<N>(from));
  }

  /// All four lanes after load_first<N>, and after strided_first<N>.
  template <int N>
  static HEDDLE_SIMD_FUNCTION Four loaded_first(const T* from) {
    Four to(4);
    Vector::store(to.data(), Vector::template load_first<N>(from));
    return to;
  }
  template <int N>
  static HEDDLE_SIMD_FUNCTION Four every_first(std::int64_t stride, const T* from) {
    Four to(4);
    Vector::store(to.data(), Vector::template strided_first<N>(from, stride));
    return to;
  }

  static HEDDLE_SIMD_FUNCTION Four arithmetic(const T* a, const T* b) {
    const auto sum = Vector::add(Vector::load(a), Vector::load(b));
    const auto product = Vector::multiply(Vector::load(a), Vector::load(b));
    Four to(4);
    Vector::store(to.data(), Vector::multiply_add(sum, Vector::all(T(2)), product));
    return to;
  }

  template <class Index>
  static HEDDLE_SIMD_FUNCTION Four loaded(const Index* indices, const T* from) {
    Four to(4);
    Vector::store(to.data(), Vector::load_each(indices, from));
    return to;
  }

  static HEDDLE_SIMD_FUNCTION Four gathered(const std::int32_t* indices, const T* from) {
    Four to(4);
    Vector::store(to.data(), Vector::gather(indices, from));
    return to;
  }

  static HEDDLE_SIMD_FUNCTION Four every(std::int64_t stride, const T* from) {
    Four to(4);
    Vector::store(to.data(), Vector::strided(from, stride));
    return to;
  }

  static HEDDLE_SIMD_FUNCTION T sum(const T* from) { return Vector::sum(Vector::load(from)); }

  /// The sums of four vectors, and then their transpose.
  static HEDDLE_SIMD_FUNCTION void sums_and_transpose(const T* from, T* sums, T* transposed) {
    Vector v[4];
    for (int i = 0; i < 4; ++i) v[i] = Vector::load(from + 4 * i);
    Vector::store(sums, Vector::sums(v));
    Vector::transpose(v);
    for (int i = 0; i < 4; ++i) Vector::store(transposed + 4 * i, v[i]);
  }

  static void check_masks() {
    for (int n = -4; n <= 8; ++n) {
      Four from = counted_from(T(1));
      for (int i = n < 0 ? 0 : n; i < 4; ++i) {
        from[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
      }
      Four expected(4, T(0));
      for (int i = 0; i < 4 && i < n; ++i) expected[static_cast<std::size_t>(i)] = T(i + 1);
      CHECK(kept(n, from.data()) == expected);
    }
  }

  /// Arrays of exactly N entries: a sanitizer sees accesses after their end.
  template <int N>
  static void check_first() {
    std::vector<T> from(N);
    for (std::size_t i = 0; i < N; ++i) from[i] = T(i + 1);
    Four zeros_beyond(4, T(0));
    std::copy(from.begin(), from.end(), zeros_beyond.begin());
    CHECK(loaded_first<N>(from.data()) == zeros_beyond);
    std::vector<T> apart(3 * N - 2, T(-1));
    for (std::size_t i = 0; i < N; ++i) apart[3 * i] = from[i];
    CHECK(every_first<N>(3, apart.data()) == zeros_beyond);
    Four to = counted_from(T(11)), expected = to;
    copy_first<N>(from.data(), to.data());
    std::copy(from.begin(), from.end(), expected.begin());
    CHECK(to == expected);
    std::vector<T> exact(N);
    copy_first<N>(from.data(), exact.data());
    CHECK(exact == from);
  }

  static void check_arithmetic() {
    const Four a = counted_from(T(1)), b = counted_from(T(10));
    CHECK(arithmetic(a.data(), b.data()) == Four{32, 48, 66, 86});
    CHECK(sum(b.data()) == T(46));
  }

  static void check_scattered_loads() {
    std::vector<T> from(12);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
    const std::int32_t near[4] = {11, 0, 5, 5};
    const std::int64_t far[4] = {3, 9, 1, 10};
    CHECK(loaded(near, from.data()) == Four{11, 0, 5, 5});
    CHECK(loaded(far, from.data()) == Four{3, 9, 1, 10});
    CHECK(gathered(near, from.data()) == Four{11, 0, 5, 5});
    const std::int32_t behind[4] = {-1, -3, 2, 0};
    CHECK(gathered(behind, from.data() + 4) == Four{3, 1, 6, 4});
    CHECK(every(3, from.data() + 2) == Four{2, 5, 8, 11});
  }

  static void check_four_vectors() {
    std::vector<T> from(16), sums(4), transposed(16);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>((i * 37) % 101);
    sums_and_transpose(from.data(), sums.data(), transposed.data());
    for (std::size_t i = 0; i < 4; ++i) {
      T expected = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        expected += from[4 * i + j];
        CHECK(transposed[4 * j + i] == from[4 * i + j]);
      }
      CHECK(sums[i] == expected);
    }
  }

  static void check_words() {
    check_masks();
    check_first<1>();
    check_first<2>();
    check_first<3>();
    check_first<4>();
    check_arithmetic();
    check_scattered_loads();
    check_four_vectors();
  }
};

template <class Vector>
struct CheckFloats {
  static HEDDLE_SIMD_FUNCTION void load(const float* from, double* to) {
    Vector::store(to, Vector::load(from));
    Vector::store(to + 4, Vector::strided(from + 1, 3));
  }
  static void check() {
    std::vector<float> from(12);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i) + 0.1f;
    std::vector<double> to(8);
    load(from.data(), to.data());
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(to[i] == static_cast<double>(from[i]));
      CHECK(to[4 + i] == static_cast<double>(from[1 + 3 * i]));
    }
  }
};

}  // namespace

TEST_CASE("simd registers: of double load floats") {
  if (backends::compiles_simd && !backends::supports(Simd::loads)) return;
  CheckFloats<backends::SimdRegister<double>>::check();
  CheckFloats<backends::PlainRegister<double>>::check();
}

TEST_CASE_TEMPLATE("simd registers: every word, on four numbers", T, float, double) {
  // Plain registers are compiled for the same instructions.
  if (backends::compiles_simd && !backends::supports(Simd::loads)) return;
  Check<T, backends::SimdRegister<T>>::check_words();
  Check<T, backends::PlainRegister<T>>::check_words();
}

TEST_CASE("simd: the best is supported, plain loops always, and nothing that was not compiled") {
  CHECK(backends::supports(Simd::none));
  CHECK(backends::supports(backends::best_simd()));
  CHECK(backends::supports(Simd::loads) == backends::supports(Simd::gathers));
  CHECK(backends::supports<false>(Simd::none));
  CHECK(!backends::supports<false>(Simd::loads));
  CHECK(backends::best_simd<false>() == Simd::none);
  if (backends::supports(Simd::gathers)) {
    const bool gathers = backends::best_simd() == Simd::gathers;
    CHECK(gathers == backends::cpu_traits().fast_gathers);
  }
}

TEST_CASE("simd: what was not compiled or the processor lacks cannot be pinned") {
  const auto pinned = [](std::optional<Simd> simd) {
    return heddle::detail::pinned_simd<false>(Scheme("csr/scalar,simd=loads"), simd);
  };
  CHECK_THROWS_WITH_AS(pinned(Simd::loads),
                       doctest::Contains("simd=loads': this processor has no AVX2; pin simd=none"),
                       Refusal);
  CHECK(pinned(Simd::none) == Simd::none);
  CHECK(!pinned(std::nullopt));
}

TEST_CASE("cpu traits: asked once, and what Linux says of the processor agrees") {
  const backends::CpuTraits& traits = backends::cpu_traits();
  CHECK(&traits == &backends::cpu_traits());
  CHECK(traits.predicted_rows > 0);
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    const std::vector<std::string> flags{std::istream_iterator<std::string>(words), {}};
    const auto has = [&](const char* flag) {
      return std::find(flags.begin(), flags.end(), flag) != flags.end();
    };
    CHECK((traits.simd_bits == 256) == (has("avx2") && has("fma")));
    return;
  }
}

}  // namespace heddle::test
