// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_every_scheme.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("SpMV agrees with the oracle: every ordinal and offset", T,
                          spmv_indices) {
  every_scheme_agrees<T>(test_patterns());
}
using IndicesTypes = Every<std::tuple<double>, AllIndices>;
TEST_CASE_TEMPLATE_APPLY(spmv_indices, IndicesTypes);

}  // namespace heddle::test
