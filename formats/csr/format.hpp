// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/lanes.hpp>
#include <heddle/core/scheme_grammar.hpp>
#include <heddle/formats/csr/executor.hpp>

namespace heddle::csr {

/// What the list of formats knows of CSR.
struct Format {
  static constexpr const char* name = "csr";

  /// The schemes of a device whose subwarps have at most `lanes` lanes.
  static SchemeGrammar grammar(int lanes) {
    std::vector<std::string> widths;
    for (int width = 1; width <= lanes; width *= 2) widths.push_back(std::to_string(width));
    return {name, {{"scalar"}, {"subwarp", widths}, {"adaptive"}, {"merge"}}};
  }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Exec& exec, const Matrix& A, const Scheme& scheme, Transpose transpose,
      const ExpectedColumns& columns) {
    return std::make_unique<Executor<Exec, Matrix, V, Acc>>(exec, A, scheme, transpose, columns);
  }
};

}  // namespace heddle::csr
