// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "either_executor.hpp"
#include "rows_executor.hpp"
#include "supernodes_executor.hpp"

namespace heddle::detail::sptrsv {

/// Runs the schemes of CPUs.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class CpuExecutor : public EitherExecutor<RowsExecutor<Exec, Matrix, V, Acc>,
                                          SupernodesExecutor<Exec, Matrix, V, Acc>> {
 public:
  CpuExecutor() = default;

  CpuExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    if (scheme.has("supernodes")) {
      this->runs_.template emplace<1>(in, scheme);
    } else {
      this->runs_.template emplace<0>(in, scheme);
    }
  }

  /// Of a scheme of plain rows.
  const RowsExecutor<Exec, Matrix, V, Acc>& rows() const { return std::get<0>(this->runs_); }
};

}  // namespace heddle::detail::sptrsv
