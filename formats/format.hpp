// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "../core/scheme_grammar.hpp"
#include "common/executor.hpp"
#include "common/inspection.hpp"
#include "common/prediction.hpp"
#include "common/product.hpp"
#include "common/refusal.hpp"

namespace heddle {

/// What SpMV asks of a format; the library's own and a user's alike. All functions are static.
///
/// - `name`: the word before the slash of its schemes.
/// - `grammar(device)`: what is legal there.
/// - `candidates(features, device)`: what is worth trying for this matrix.
/// - `predict(scheme, features, device, sizes)`: a pure function; refuses where the format would
///   not hold the matrix sensibly. Where features.has_pattern() does not hold it gives the best
///   that the matrix may be, and says so: Prediction::lacks_pattern.
/// - `applies(op, scheme)`: whether the executor takes this op itself. Op::none and Op::conjugate
///   it must take; of the others the plan makes use of a stored transpose.
/// - `inspect<V, Acc>(inspection, scheme)`: an executor for vectors of V and sums in Acc, never
///   null. It is not asked where predict refuses.
template <class F>
concept SpmvFormat = requires(const Features& features, const Device& device, const Scheme& scheme,
                              const Sizes& sizes, Op op) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::grammar(device) } -> std::same_as<SchemeGrammar>;
  { F::candidates(features, device) } -> std::same_as<std::vector<Scheme>>;
  { F::predict(scheme, features, device, sizes) } -> std::same_as<Prediction>;
  { F::applies(op, scheme) } -> std::same_as<bool>;
};

/// Whether a format takes a matrix of which one triangle is stored (Sizes::symmetry): if it has a
/// member takes_triangles that is true. Others are never asked.
template <class F>
inline constexpr bool takes_triangles = requires { requires F::takes_triangles; };

/// Whether a format adds up entries that repeat a place when it takes the values, each sum rounded
/// to the matrix's scalar, and not in every apply, in its Accumulator: if it has a member
/// merges_repeats that is true.
template <class F>
inline constexpr bool merges_repeats = requires { requires F::merges_repeats; };

/// Whether a format has schemes that apply transposing ops to the user's arrays as they lie, and
/// else are none of its candidates: a member in_place_candidates(features, device). They are asked
/// for where values stay in place (SpmvOptions::values_in_place).
template <class F>
inline constexpr bool transposes_in_place =
    requires(const Features& features, const Device& device) {
      { F::in_place_candidates(features, device) } -> std::same_as<std::vector<Scheme>>;
    };

/// A list of formats, which a plan takes as a template parameter: name a few and only these are
/// compiled, or put one of your own beside the library's.
template <SpmvFormat... F>
struct Formats {
  /// Calls use(F()) for each format in turn.
  template <class Use>
  static void for_each(const Use& use) {
    (use(F()), ...);
  }

  static std::vector<SchemeGrammar> grammars(const Device& device) {
    return {F::grammar(device)...};
  }

  /// What is worth trying for a matrix, over all formats.
  static std::vector<Scheme> candidates(const Features& features, const Device& device) {
    std::vector<Scheme> all;
    for_each([&](auto format) {
      for (Scheme& scheme : format.candidates(features, device)) all.push_back(std::move(scheme));
    });
    return all;
  }

  /// What else is worth trying where transposing ops must leave the values in place.
  static std::vector<Scheme> in_place_candidates(const Features& features, const Device& device) {
    std::vector<Scheme> all;
    for_each([&](auto format) {
      if constexpr (transposes_in_place<decltype(format)>) {
        for (Scheme& scheme : format.in_place_candidates(features, device)) {
          all.push_back(std::move(scheme));
        }
      }
    });
    return all;
  }

  /// Variants that together use every value of every parameter; for tests.
  static std::vector<Scheme> variants(const Device& device) {
    std::vector<Scheme> all;
    for (const SchemeGrammar& grammar : grammars(device)) {
      for (Scheme& scheme : variants_of(grammar)) all.push_back(std::move(scheme));
    }
    return all;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    Prediction prediction = Prediction::refuse("there is no format '" + scheme.format() + "'");
    for_each([&](auto format) {
      if (scheme.format() != format.name) return;
      const bool takes = sizes.symmetry == Symmetry::none || takes_triangles<decltype(format)>;
      prediction = takes ? format.predict(scheme, features, device, sizes)
                         : Prediction::refuse("it needs both triangles of a matrix stored");
    });
    return prediction;
  }

  /// The same of a scheme that is not compared with others: looks at the pattern only where that
  /// may refuse the matrix.
  static Prediction predict_alone(const Scheme& scheme, const Features& features,
                                  const Device& device, const Sizes& sizes) {
    Prediction by_rows = predict(scheme, Features(features.rows()), device, sizes);
    const bool enough =
        !by_rows.possible() || !by_rows.lacks_pattern || !by_rows.pattern_may_refuse;
    return enough ? by_rows : predict(scheme, features, device, sizes);
  }

  static bool applies(Op op, const Scheme& scheme) {
    bool applies = false;
    for_each([&](auto format) {
      if (scheme.format() == format.name) applies = format.applies(op, scheme);
    });
    return applies;
  }

  /// The executor of a scheme, made by the format that it names. Never null; throws Refusal, before
  /// anything is allocated, where the format's predict refuses.
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& inspection, const Scheme& scheme) {
    const Prediction prediction = predict_alone(
        scheme, inspection.features, inspection.device,
        sizes_of<Matrix, V, Acc>(inspection.vectors, inspection.symmetry, inspection.promises));
    if (!prediction.possible()) {
      throw Refusal(scheme.format() + ": " + prediction.refusal,
                    inspection.symmetry == Symmetry::none
                        ? "take csr, which holds any matrix"
                        : "take csb, or store both triangles and leave options.symmetry");
    }
    std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> executor;
    for_each([&](auto format) {
      if (scheme.format() == format.name) {
        executor = format.template inspect<V, Acc>(inspection, scheme);
      }
    });
    if (!executor) {
      throw Error("no format made an executor for scheme '" + scheme.to_string() + "'",
                  "resolve the scheme first; a format's inspect must return an executor or throw");
    }
    return executor;
  }
};

}  // namespace heddle
