// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_every_scheme.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("SpMV agrees with the oracle: complex scalars", T, spmv_complex) {
  every_scheme_agrees<T>(test_patterns());
}
using ComplexTypes =
    Every<std::tuple<Kokkos::complex<float>, Kokkos::complex<double>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmv_complex, ComplexTypes);

}  // namespace heddle::test
