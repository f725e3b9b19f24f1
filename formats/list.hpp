// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/formats/csr/format.hpp>
#include <tuple>

namespace heddle {

/// Every format there is. A new format is a folder and one line here.
using Formats = std::tuple<  //
    csr::Format              //
    >;

/// What the formats accept on a device with subwarps of at most `lanes` lanes.
inline std::vector<SchemeGrammar> spmv_grammars(int lanes) {
  std::vector<SchemeGrammar> grammars;
  std::apply([&](auto... format) { (grammars.push_back(format.grammar(lanes)), ...); }, Formats{});
  return grammars;
}

/// Every scheme for SpMV on an execution space, in the formats' order.
template <ExecutionSpace Exec>
std::vector<Scheme> spmv_schemes() {
  std::vector<Scheme> schemes;
  for (const SchemeGrammar& grammar : spmv_grammars(backends::max_subwarp_width<Exec>)) {
    for (Scheme& scheme : schemes_of(grammar)) schemes.push_back(std::move(scheme));
  }
  return schemes;
}

/// The executor of a (resolved) scheme for x of such columns, made by the format that the scheme
/// names.
template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> make_spmv_executor(
    const Exec& exec, const Matrix& A, const Scheme& scheme, Transpose transpose,
    const ExpectedColumns& columns) {
  std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> executor;
  const auto try_format = [&](auto format) {
    if (scheme.format() == format.name) {
      executor = format.template inspect<V, Acc>(exec, A, scheme, transpose, columns);
    }
  };
  std::apply([&](auto... format) { (try_format(format), ...); }, Formats{});
  return executor;
}

}  // namespace heddle
