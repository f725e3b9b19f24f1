// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"

namespace heddle {

namespace detail::blocked_ell {

static_assert(PatternFeatures::narrow_span == no_delta);
static_assert(sizeof(Slice<std::int64_t>) == slice_bytes);

/// Of sorted rows predict knows too little: counted here, and before anything is allocated.
template <ExecutionSpace Exec, class Matrix>
void refuse_padding(const Inspection<Exec, Matrix>& in, const Parameters& parameters) {
  const RowFeatures& rows = in.features.rows();
  if (!parameters.sorts()) return;
  if (too_much_padding(most_slots(rows, *parameters.slice_rows), rows).empty() &&
      *parameters.sigma % *parameters.slice_rows == 0) {
    return;
  }
  const int bits = std::countr_zero(static_cast<unsigned>(*parameters.slice_rows));
  const auto slots = static_cast<double>(sorted_slots(in.exec, in.A, bits, *parameters.sigma));
  const std::string refusal = too_much_padding(slots, rows);
  if (!refusal.empty()) {
    throw Refusal(std::string(BlockedEllFormat::name) + ": sorted, " + refusal,
                  "take csr, which holds any matrix");
  }
}

}  // namespace detail::blocked_ell

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> BlockedEllFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::blocked_ell;
  Parameters parameters = Parameters::resolve(scheme, in.features.rows(), in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  refuse_padding(in, parameters);
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), parameters);
}

template <>
inline constexpr bool detail::is_defined<BlockedEllFormat> = true;

}  // namespace heddle
