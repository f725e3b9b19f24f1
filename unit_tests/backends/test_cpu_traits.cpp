// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../../backends/cpu_traits.hpp"
#include "../../formats/common/lanes_or_simd.hpp"

namespace heddle::test {

using backends::Simd;

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
