// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../few_multigrid.hpp"

template <>
std::unique_ptr<demo::SweepsExecutor>
heddle::detail::gauss_seidel::make_split<demo::Exec, demo::SystemMatrix, heddle::EveryFormat>(
    const demo::Exec& exec, const demo::SystemMatrix& A,
    const heddle::GaussSeidelOptions& options) {
  return make_split<demo::Exec, demo::SystemMatrix, demo::FewFormats>(exec, A, options);
}

DEMO_SWEEPS()
