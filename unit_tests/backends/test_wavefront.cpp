// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD devices with wavefronts of 32 lanes are refused. No device is needed.
#include <doctest/doctest.h>

#include "../../backends/hip/wavefront.hpp"

namespace heddle::test {

TEST_CASE("wavefronts of 64 lanes, or an error that names the device") {
  CHECK_NOTHROW(backends::check_wavefront("AMD Instinct MI250X", "gfx90a:sramecc+:xnack-", 64));
  for (const char* architecture : {"gfx1030", "gfx1100", "gfx1201"}) {
    CHECK_THROWS_WITH_AS(backends::check_wavefront("AMD Radeon", architecture, 32),
                         doctest::Contains(architecture), Error);
    CHECK_THROWS_WITH_AS(backends::check_wavefront("AMD Radeon", architecture, 32),
                         doctest::Contains("wavefronts of 32 lanes"), Error);
  }
}

}  // namespace heddle::test
