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
  using Numbers = std::vector<T>;

  static HEDDLE_SIMD_FUNCTION void keep(std::int64_t n, const T* from, T* to) {
    Vector::store(to, Vector::keep(Vector::first(n), Vector::load(from)));
  }

  /// All four lanes of N numbers that lie side by side, and three places from each to the next; and
  /// a store of N numbers.
  template <int N>
  static HEDDLE_SIMD_FUNCTION void first(const T* from, const T* apart, T* loaded, T* stored) {
    Vector::store(loaded, Vector::template load_first<N>(from));
    Vector::store(loaded + 4, Vector::template strided_first<N>(apart, 3));
    Vector::template store_first<N>(stored, Vector::template load_first<N>(from));
  }

  /// The other words, four results each and the sum of one vector.
  static HEDDLE_SIMD_FUNCTION void words(const T* from, const std::int32_t* near,
                                         const std::int64_t* far, const std::int32_t* behind,
                                         T* to) {
    const Vector a = Vector::load(from), b = Vector::load(from + 4);
    Vector::store(
        to, Vector::multiply_add(Vector::add(a, b), Vector::all(T(2)), Vector::multiply(a, b)));
    Vector::store(to + 4, Vector::load_each(near, from));
    Vector::store(to + 8, Vector::load_each(far, from));
    Vector::store(to + 12, Vector::gather(near, from));
    Vector::store(to + 16, Vector::gather(behind, from + 4));
    Vector::store(to + 20, Vector::strided(from + 2, 3));
    Vector v[4];
    for (int i = 0; i < 4; ++i) v[i] = Vector::load(from + 4 * i);
    Vector::store(to + 24, Vector::sums(v));
    Vector::transpose(v);
    for (int i = 0; i < 4; ++i) Vector::store(to + 28 + 4 * i, v[i]);
    to[44] = Vector::sum(b);
  }

  static void check_masks() {
    for (int n = -4; n <= 8; ++n) {
      Numbers from(4, std::numeric_limits<T>::quiet_NaN()), expected(4, T(0)), kept(4);
      for (int i = 0; i < 4 && i < n; ++i) {
        from[static_cast<std::size_t>(i)] = expected[static_cast<std::size_t>(i)] = T(i + 1);
      }
      keep(n, from.data(), kept.data());
      CHECK(kept == expected);
    }
  }

  /// Arrays of exactly N entries: a sanitizer sees accesses after their end.
  template <int N>
  static void check_first() {
    Numbers from(N), apart(3 * N - 2, T(-1)), expected(8, T(0)), loaded(8), exact(N);
    Numbers stored(4, T(11)), expected_stored = stored;
    for (std::size_t i = 0; i < N; ++i) {
      from[i] = apart[3 * i] = expected[i] = expected[4 + i] = expected_stored[i] = T(i + 1);
    }
    first<N>(from.data(), apart.data(), loaded.data(), stored.data());
    first<N>(from.data(), apart.data(), loaded.data(), exact.data());
    CHECK(loaded == expected);
    CHECK(stored == expected_stored);
    CHECK(exact == from);
  }

  static void check_words() {
    check_masks();
    check_first<1>();
    check_first<2>();
    check_first<3>();
    check_first<4>();
    Numbers from(16), expected, found(45);
    for (std::size_t i = 0; i < 16; ++i) from[i] = static_cast<T>((i * 37) % 101);
    const std::int32_t near[] = {11, 0, 5, 5}, behind[] = {-1, -3, 2, 0};
    const std::int64_t far[] = {3, 9, 1, 10};
    for (std::size_t i = 0; i < 4; ++i) {
      expected.push_back((from[i] + from[4 + i]) * 2 + from[i] * from[4 + i]);
    }
    for (const std::size_t place :
         {11, 0, 5, 5, 3, 9, 1, 10, 11, 0, 5, 5, 3, 1, 6, 4, 2, 5, 8, 11}) {
      expected.push_back(from[place]);
    }
    for (std::size_t i = 0; i < 16; i += 4) {
      expected.push_back(from[i] + from[i + 1] + from[i + 2] + from[i + 3]);
    }
    for (std::size_t i = 0; i < 16; ++i) expected.push_back(from[i % 4 * 4 + i / 4]);
    expected.push_back(from[4] + from[5] + from[6] + from[7]);
    words(from.data(), near, far, behind, found.data());
    CHECK(found == expected);
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

namespace {

/// Whether indices are consecutive, as two kinds of registers say it.
template <class Index>
struct Consecutive {
  static HEDDLE_SIMD_FUNCTION int say(const Index* indices) {
    return backends::SimdRegister<double>::consecutive(indices) +
           10 * backends::SimdRegister<float>::consecutive(indices) +
           100 * backends::PlainRegister<double>::consecutive(indices);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("simd registers: indices that ascend by one", Index, std::int32_t,
                   std::int64_t) {
  if (backends::compiles_simd && !backends::supports(Simd::loads)) return;
  constexpr Index last = std::numeric_limits<Index>::max();
  const std::vector<std::vector<Index>> yes = {
      {0, 1, 2, 3}, {41, 42, 43, 44}, {last - 3, last - 2, last - 1, last}};
  const std::vector<std::vector<Index>> no = {{0, 1, 2, 4}, {0, 1, 3, 3},   {0, 2, 2, 3},
                                              {1, 1, 2, 3}, {3, 2, 1, 0},   {5, 5, 5, 5},
                                              {0, 2, 1, 3}, {last, 0, 1, 2}};
  for (const auto& indices : yes) CHECK(Consecutive<Index>::say(indices.data()) == 111);
  for (const auto& indices : no) CHECK(Consecutive<Index>::say(indices.data()) == 0);
}

TEST_CASE("cpu traits: rows are read together from memory where the cache is very large") {
  CHECK(backends::traits_with_avx2(true, 300'000'000).reads_several_streams);
  CHECK(!backends::traits_with_avx2(true, 60'000'000).reads_several_streams);
  CHECK(!backends::traits_with_avx2(true, 0).reads_several_streams);
  CHECK(!backends::traits_with_avx2(false, 500'000'000).reads_several_streams);
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
