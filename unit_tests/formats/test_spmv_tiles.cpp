// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_every_scheme.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("SpMV agrees with the oracle: rows at the edges of tiles", T,
                          spmv_tiles) {
  every_scheme_agrees<T>(tile_patterns());
}
using TilesTypes = Every<std::tuple<double, Kokkos::complex<float>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmv_tiles, TilesTypes);

}  // namespace heddle::test
