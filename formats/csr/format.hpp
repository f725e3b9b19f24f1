// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../../core/scheme_grammar.hpp"
#include "../formats.hpp"
#include "predict.hpp"
#include "row_hints.hpp"

namespace heddle {

/// Compressed sparse rows, as the user holds them: borrowed, never copied. Holds any matrix.
struct CsrFormat {
  static constexpr const char* name = "csr";

  static SchemeGrammar grammar(const Device& device) {
    const SchemeKey search("search", {"plan", "apply"}, scheme_auto);
    const SchemeKey rows("rows", {"<1..65536>"}, scheme_auto, {"7", "64"});
    const SchemeKey long_row("long", {"<n>"}, scheme_auto, {"1", "40"});
    const SchemeKey atomics("transpose", {"atomics"}, scheme_auto);
    const auto pack = [](const char* range) {
      return SchemeKey("pack", {"no", range}, scheme_auto, {"8"});
    };
    if (device.has_lanes()) {
      std::vector<std::string> widths;
      for (const int width : subwarp_widths(device)) widths.push_back(std::to_string(width));
      const SchemeKey up_to_32 = pack("<2..32>");
      return {name,
              {{"scalar"},
               {"subwarp", widths},
               {"adaptive", {}, {up_to_32}},
               {"merge", {}, {search, up_to_32}},
               {"blocks", {}, {rows, long_row}}},
              {atomics}};
    }
    const SchemeKey simd("simd", detail::csr::names_of(backends::every_simd), scheme_auto);
    const std::vector<SchemeKey> shares = {
        simd,
        {"loop", detail::csr::names_of(detail::csr::every_row_loop), scheme_auto},
        {"runs", {"yes", "no"}, scheme_auto},
        {"prefetch", {"yes", "no"}, scheme_auto},
        pack("<2..64>")};
    std::vector<SchemeKey> merge{search};
    merge.insert(merge.end(), shares.begin(), shares.end());
    return {name,
            {{"scalar", {}, {simd}},
             {"adaptive", {}, shares},
             {"merge", {}, merge},
             {"blocks", {}, {rows, long_row, simd}}},
            {atomics}};
  }

  static std::vector<Scheme> candidates(const Features&, const Device& device) {
    std::vector<Scheme> schemes{Scheme(name, {{"scalar"}})};
    for (const int width : subwarp_widths(device)) {
      schemes.push_back(Scheme(name, {{"subwarp", width}}));
    }
    schemes.push_back(Scheme(name, {{"adaptive"}}));
    schemes.push_back(Scheme(name, {{"merge"}}));
    schemes.push_back(Scheme(name, {{"merge"}, {"search", "apply"}}));
    schemes.push_back(Scheme(name, {{"blocks"}}));
    return schemes;
  }

  static std::vector<Scheme> in_place_candidates(const Features& features, const Device& device) {
    std::vector<Scheme> schemes;
    for (const Scheme& scheme : candidates(features, device)) {
      std::vector<SchemeTerm> terms = scheme.terms();
      terms.push_back({"transpose", "atomics"});
      schemes.push_back(Scheme(name, std::move(terms)));
    }
    return schemes;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    Prediction prediction = backends::with_tag(device.backend, [&](auto tag) {
      return device.has_lanes()
                 ? detail::csr::predict_on_gpu(scheme, features, device, sizes,
                                               detail::csr::gpu_tuning<decltype(tag)>)
                 : detail::csr::predict_on_cpu(scheme, features, device, sizes);
    });
    if (scheme.has("transpose")) prediction.transposed_factor = atomics_factor;
    return prediction;
  }

  /// Transposing ops natively by atomic additions alone: neither fast nor reproducible, and every
  /// addition rounds to the type of the vectors, but no memory is taken.
  static bool applies(Op op, const Scheme& scheme) {
    return !transposes(op) || scheme.has("transpose");
  }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& inspection, const Scheme& scheme);

 private:
  /// Additions to y by atomics, over an apply without a transpose: docs/choose.md.
  static constexpr double atomics_factor = 5;

  static std::vector<int> subwarp_widths(const Device& device) {
    std::vector<int> widths;
    for (int width = 2; width <= device.lanes; width *= 2) widths.push_back(width);
    return widths;
  }
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(CsrFormat)
