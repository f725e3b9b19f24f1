// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/executor.hpp"
#include "common/format_rules.hpp"
#include "common/prediction.hpp"
#include "compiled.hpp"

namespace heddle {

/// The requirements of SpMV on a format, the library's or a user's. All functions are static.
///
/// - `name`: the word before the slash in its schemes.
/// - `grammar(device)`: the schemes that are legal on a device.
/// - `candidates(features, device)`: the schemes that are worth trying for a matrix.
/// - `predict(scheme, features, device, sizes)`: a pure function. It refuses if the format does not
///   suit the matrix. Without features.has_pattern() it predicts the best case, and sets
///   Prediction::lacks_pattern.
/// - `applies(op, scheme)`: whether the executor applies this op itself. It must for Op::none and
///   Op::conjugate; for the others the plan uses a stored transpose.
/// - `inspect<V, Acc>(inspection, scheme)`: an executor for vectors of V and sums in Acc, never
///   null. It is not called if predict refuses. Its matrix has signed offsets, even if the user's
///   has not. Write out its return type, or the concept's check compiles all of it.
template <class F, class Exec = Kokkos::DefaultExecutionSpace,
          class Matrix = CsrMatrix<double, int, int, typename Exec::memory_space>>
concept SpmvFormat = requires(const Features& features, const Device& device, const Scheme& scheme,
                              const Sizes& sizes, Op op, const Inspection<Exec, Matrix>& in) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::grammar(device) } -> std::same_as<SchemeGrammar>;
  { F::candidates(features, device) } -> std::same_as<std::vector<Scheme>>;
  { F::predict(scheme, features, device, sizes) } -> std::same_as<Prediction>;
  { F::applies(op, scheme) } -> std::same_as<bool>;
  {
    F::template inspect<double, double>(in, scheme)
  } -> std::convertible_to<std::unique_ptr<SpmvExecutor<Exec, Matrix, double, double>>>;
};

/// Whether a format accepts a matrix of which one triangle is stored (Sizes::symmetry): it has a
/// member takes_triangles that is true. Other formats are never asked.
template <class F>
inline constexpr bool takes_triangles = requires { requires F::takes_triangles; };

/// Whether a format adds up repeated entries once, when values are set, with each sum rounded to
/// the matrix's scalar, rather than in every apply, in the Accumulator: it has a member
/// merges_repeats that is true.
template <class F>
inline constexpr bool merges_repeats = requires { requires F::merges_repeats; };

/// Whether a format has additional schemes that apply transposing ops to the user's arrays in
/// place: a member in_place_candidates(features, device). They are candidates only if values stay
/// in place (SpmvOptions::values_in_place).
template <class F>
inline constexpr bool transposes_in_place =
    requires(const Features& features, const Device& device) {
      { F::in_place_candidates(features, device) } -> std::same_as<std::vector<Scheme>>;
    };

/// The rules of format F. A program can leave this function, with everything it names, to the
/// compiled part (instantiate.hpp).
template <class F>
FormatRules rules_of() {
  FormatRules rules;
  rules.name = F::name;
  rules.takes_triangles = takes_triangles<F>;
  rules.grammar = [](const Device& device) { return F::grammar(device); };
  rules.candidates = [](const Features& features, const Device& device) {
    return F::candidates(features, device);
  };
  if constexpr (transposes_in_place<F>) {
    rules.in_place_candidates = [](const Features& features, const Device& device) {
      return F::in_place_candidates(features, device);
    };
  }
  rules.predict = [](const Scheme& scheme, const Features& features, const Device& device,
                     const Sizes& sizes) { return F::predict(scheme, features, device, sizes); };
  rules.applies = [](Op op, const Scheme& scheme) { return F::applies(op, scheme); };
  return rules;
}

namespace detail {

template <class F, ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect_by(const Inspection<Exec, Matrix>& in,
                                                               const Scheme& scheme) {
  HEDDLE_ASSERT_DEFINED(!is_declared_apart<F> || is_defined<F> ||
                        is_compiled<Exec, Matrix, V, Acc>());
  return F::template inspect<V, Acc>(in, scheme);
}

}  // namespace detail

/// The formats of a plan of these types: their rules and, in the same order, their inspectors.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct FormatTable {
  using Executor = SpmvExecutor<Exec, Matrix, V, Acc>;
  using Inspect = std::unique_ptr<Executor>(const Inspection<Exec, Matrix>&, const Scheme&);

  AnyFormats formats;
  std::span<Inspect* const> inspects;

  /// Makes the executor of a scheme by the format that it names. Never null. Throws Refusal, before
  /// anything is allocated, if the format's predict refuses.
  std::unique_ptr<Executor> inspect(const Inspection<Exec, Matrix>& in,
                                    const Scheme& scheme) const {
    detail::refuse_unless_possible(formats, scheme, in.features, in.device, in);
    const std::size_t at = detail::place_of(formats, scheme);
    std::unique_ptr<Executor> executor;
    if (at < inspects.size()) executor = inspects[at](in, scheme);
    if (!executor) detail::throw_no_executor(scheme);
    return executor;
  }
};

/// A list of formats, a template parameter of plans. Only the formats that it names are compiled.
/// You can add one of your own to the library's.
template <SpmvFormat... F>
struct Formats {
  /// This list followed by other formats.
  template <SpmvFormat... More>
  using With = Formats<F..., More...>;

  /// Calls use(F()) for each format in turn.
  template <class Use>
  static void for_each(const Use& use) {
    (use(F()), ...);
  }

  /// The rules alone, which do not depend on the types of a plan.
  static AnyFormats rules() {
    static const std::array<FormatRules, sizeof...(F)> all{rules_of<F>()...};
    return all;
  }

  /// The rules and the inspectors for matrices of one type.
  template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
  static FormatTable<Exec, Matrix, V, Acc> table() {
    using Table = FormatTable<Exec, Matrix, V, Acc>;
    static constexpr std::array<typename Table::Inspect*, sizeof...(F)> inspects{
        &detail::inspect_by<F, Exec, Matrix, V, Acc>...};
    return {rules(), inspects};
  }

  static std::vector<SchemeGrammar> grammars(const Device& device) {
    return detail::grammars(rules(), device);
  }
  /// The schemes of all formats that are worth trying for a matrix.
  static std::vector<Scheme> candidates(const Features& features, const Device& device) {
    return detail::candidates(rules(), features, device);
  }
  /// Further schemes for transposing ops that must leave the values in place.
  static std::vector<Scheme> in_place_candidates(const Features& features, const Device& device) {
    return detail::in_place_candidates(rules(), features, device);
  }
  /// Schemes that together use every value of every parameter; for tests.
  static std::vector<Scheme> variants(const Device& device) {
    std::vector<Scheme> all;
    for (const SchemeGrammar& grammar : grammars(device)) {
      for (Scheme& scheme : variants_of(grammar)) all.push_back(std::move(scheme));
    }
    return all;
  }
  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::predict(rules(), scheme, features, device, sizes);
  }
  static bool applies(Op op, const Scheme& scheme) { return detail::applies(rules(), op, scheme); }

  /// Makes the executor of a scheme; see FormatTable.
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& inspection, const Scheme& scheme) {
    return table<Exec, Matrix, V, Acc>().inspect(inspection, scheme);
  }
};

}  // namespace heddle
