// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../common/pinned_simd.hpp"
#include "../format.hpp"
#include "executor.hpp"
#include "predict.hpp"

namespace heddle {

/// Slices of consecutive rows, each as wide as its longest row (sliced ELL, SELL-C-sigma): like ELL
/// where rows are of like length only from place to place. Columns are 16-bit distances in slices
/// whose columns lie close enough. Copies the matrix; refuses one that would be mostly padding.
struct BlockedEllFormat {
  static constexpr const char* name = "blocked-ell";

  static SchemeGrammar grammar(const Device& device) {
    const SchemeKey sigma("sigma", {"none", sigmas()}, "none", {"64", "1000"});
    if (!device.has_lanes()) {
      return {name,
              {},
              {SchemeKey("rows", {"16", "32", "64"}, scheme_auto), sigma,
               SchemeKey("simd", {"none", "loads"}, scheme_auto)}};
    }
    const std::vector<std::string> rows = {std::to_string(device.lanes),
                                           std::to_string(2 * device.lanes),
                                           std::to_string(4 * device.lanes)};
    return {name,
            {},
            {SchemeKey("rows", rows, scheme_auto), sigma,
             SchemeKey("lanes", {"1", "2", "4", "8"}, scheme_auto),
             SchemeKey("threads", {"64", "128", "256", "512"}, scheme_auto)}};
  }

  static std::vector<Scheme> candidates(const Features& features, const Device& device) {
    const int rows = detail::blocked_ell::slice_rows_for(device);
    std::vector<Scheme> all{Scheme(name, {{"sigma", "none"}}), Scheme(name, {{"sigma", rows}})};
    const double slots = detail::blocked_ell::most_slots(features.rows(), rows);
    if (detail::blocked_ell::too_much_padding(slots, features.rows()).empty()) {
      all.push_back(Scheme(name, {{"sigma", 8 * rows}}));
    }
    return all;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::blocked_ell::predict(scheme, features, device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);

 private:
  static std::string sigmas() {
    return "<1.." + std::to_string(detail::blocked_ell::tuning.most_sigma) + ">";
  }

  /// Of sorted rows predict knows too little: counted here, and before anything is allocated.
  template <ExecutionSpace Exec, class Matrix>
  static void refuse_padding(const Inspection<Exec, Matrix>& in,
                             const detail::blocked_ell::Parameters& parameters) {
    using namespace detail::blocked_ell;
    const RowFeatures& rows = in.features.rows();
    if (!parameters.sorts()) return;
    if (too_much_padding(most_slots(rows, parameters.slice_rows), rows).empty() &&
        parameters.sigma % parameters.slice_rows == 0) {
      return;
    }
    const int bits = std::countr_zero(static_cast<unsigned>(parameters.slice_rows));
    const auto slots = static_cast<double>(sorted_slots(in.exec, in.A, bits, parameters.sigma));
    const std::string refusal = too_much_padding(slots, rows);
    if (!refusal.empty()) {
      throw Refusal(std::string(name) + ": sorted, " + refusal, "take csr, which holds any matrix");
    }
  }
};

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> BlockedEllFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::blocked_ell;
  const Parameters parameters = Parameters::resolve(scheme, in.features.rows(), in.device);
  const backends::Simd simd = detail::loads_or_none(scheme, in.device);
  refuse_padding(in, parameters);
  std::vector<SchemeTerm> terms{
      {"rows", parameters.slice_rows},
      {"sigma", parameters.sigma > 0 ? std::to_string(parameters.sigma) : std::string("none")}};
  if (in.device.has_lanes()) {
    terms.emplace_back("lanes", parameters.lanes);
    terms.emplace_back("threads", parameters.threads);
  } else {
    terms.emplace_back("simd", std::string(backends::name(simd)));
  }
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(in, Scheme(name, std::move(terms)),
                                                          parameters, simd);
}

}  // namespace heddle

HEDDLE_COMPILED_FORMAT(BlockedEllFormat)
