// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_every_scheme.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("SpMV agrees with the oracle: real scalars", T, spmv_real) {
  every_scheme_agrees<T>(test_patterns());
}
using RealTypes = Every<std::tuple<float, double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmv_real, RealTypes);

}  // namespace heddle::test
