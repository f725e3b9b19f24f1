// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/pinned_simd.hpp"
#include "../format.hpp"
#include "executor.hpp"
#include "predict.hpp"

namespace heddle {

/// Whole diagonals, stored one by one without a column index: the fastest way through the matrices
/// of regular grids. Copies the matrix; refuses one whose diagonals would be mostly holes, unless
/// what lies on such diagonals is left to a rest in coordinates (rest=coo).
struct DiaFormat {
  static constexpr const char* name = "dia";
  static constexpr bool merges_repeats = true;

  static SchemeGrammar grammar(const Device& device) {
    const std::string fill = "<" + std::to_string(detail::dia::tuning.fewest_fill) + "..100>";
    std::vector<SchemeKey> keys{SchemeKey("rest", {"coo"}, scheme_auto),
                                SchemeKey("fill", {fill}, scheme_auto, {"34", "90"})};
    if (!device.has_lanes()) keys.push_back(SchemeKey("simd", {"none", "loads"}, scheme_auto));
    return {name, {}, keys};
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) {
    return {Scheme(name), Scheme(name, {{"rest", "coo"}})};
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    if (has_rest(scheme))
      return detail::dia::predict_with_rest(scheme, features.rows(), device, sizes);
    return detail::dia::predict(features, device, sizes);
  }

  static bool applies(Op op, const Scheme& scheme) { return !has_rest(scheme) || !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);

 private:
  /// A bound given for the diagonals asks for it too.
  static bool has_rest(const Scheme& scheme) { return scheme.has("rest") || scheme.has("fill"); }
};

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> DiaFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using backends::Simd;
  const bool lanes = in.device.has_lanes();
  const Simd best = !lanes && backends::supports(Simd::loads) ? Simd::loads : Simd::none;
  const Simd simd = lanes ? Simd::none : detail::pinned_simd(scheme).value_or(best);
  std::vector<SchemeTerm> terms;
  if (has_rest(scheme)) {
    terms.emplace_back("rest", "coo");
    terms.emplace_back("fill", scheme.has("fill") ? scheme.value("fill")
                                                  : std::to_string(detail::dia::tuning.fill));
  }
  if (!lanes) terms.emplace_back("simd", backends::name(simd));
  const Scheme resolved(name, std::move(terms));
  if (has_rest(scheme)) {
    return std::make_unique<detail::dia::SplitExecutor<Exec, Matrix, V, Acc>>(in, resolved, simd);
  }
  return std::make_unique<detail::dia::Executor<Exec, Matrix, V, Acc>>(in, resolved, simd);
}

}  // namespace heddle

HEDDLE_COMPILED_FORMAT(DiaFormat)
