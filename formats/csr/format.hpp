// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Compressed sparse rows: the user's arrays, borrowed, never copied. Holds any matrix.
struct CsrFormat {
  static constexpr const char* name = "csr";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::csr::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device& device) {
    std::vector<Scheme> schemes{Scheme(name, {{"scalar"}})};
    for (int width = 2; width <= device.lanes; width *= 2) {
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

  /// Native transposing ops exist with atomic additions only: slow, not reproducible, and each
  /// addition rounds to the type of the vectors, but they take no memory.
  static bool applies(Op op, const Scheme& scheme) {
    return !transposes(op) || scheme.has("transpose");
  }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& inspection, const Scheme& scheme);

 private:
  /// Additions to y by atomics, over an apply without a transpose: docs/choose.md.
  static constexpr double atomics_factor = 5;
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(CsrFormat)
