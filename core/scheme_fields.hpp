// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "device.hpp"
#include "scheme_grammar.hpp"

namespace heddle {

/// The numbers that a parameter accepts: from..to, or powers of two times `from`; by default none.
struct SchemeNumbers {
  std::int64_t from = 0;
  std::int64_t to = -1;
  bool doubled = false;

  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
};

/// A parameter of a format: its key, and the words, then the numbers, that it accepts. A word also
/// has a number, its index among the words, so an enumeration lists its values in their order, and
/// `none` or `no` before numbers is 0.
struct SchemeField {
  std::string_view key;
  std::initializer_list<const char*> words = {};
  SchemeNumbers numbers = {};
  const char* fallback = scheme_auto;                ///< see SchemeKey
  std::initializer_list<const char*> examples = {};  ///< see SchemeKey

  /// Its entry in a grammar.
  SchemeKey to_key() const {
    std::vector<std::string> values(words.begin(), words.end());
    if (numbers.doubled) {
      for (std::int64_t n = numbers.from; n <= numbers.to; n *= 2) {
        values.push_back(std::to_string(n));
      }
    } else if (numbers.to == SchemeNumbers::any) {
      values.emplace_back("<n>");
    } else if (numbers.to >= numbers.from) {
      values.push_back("<" + std::to_string(numbers.from) + ".." + std::to_string(numbers.to) +
                       ">");
    }
    return SchemeKey(std::string(key), std::move(values), fallback,
                     {examples.begin(), examples.end()});
  }
};

/// Visits a format's list of parameters to make a grammar, to read a scheme, or to print one. The
/// list is a member function of the struct that holds the parameters, in which std::nullopt means
/// that the scheme leaves a parameter to the inspector:
///
///     struct Parameters {
///       std::optional<int> beta;
///       std::optional<Sweep> sweep;  // enum class Sweep { two, atomics }
///       void list(SchemeFields& fields, const Device&) {
///         fields.add(beta, {.key = "beta", .numbers = {256, 65536, true}});
///         fields.add(sweep, {.key = "sweep", .words = {"two", "atomics"}});
///       }
///     };
///
/// grammar_from<Parameters>, parameters_of<Parameters> and scheme_with call it.
class SchemeFields {
 public:
  template <class T>
  void add(std::optional<T>& value, const SchemeField& field) {
    std::optional<std::int64_t> number;
    if (value) number = static_cast<std::int64_t>(*value);
    if (pass(field, number)) value = static_cast<T>(*number);
  }

  /// The parameters added next belong to this kernel. Returns whether the scheme names it. Examples
  /// are for a pattern.
  bool kernel(std::string_view key, std::initializer_list<const char*> examples = {}) {
    if (!scheme_) {
      grammar_.kernels.push_back(
          SchemeKernel(SchemeKey(std::string(key), {}, "", {examples.begin(), examples.end()})));
    }
    return enter(key);
  }
  /// As above, for a kernel whose key has a value.
  template <class T>
  bool kernel(std::optional<T>& value, const SchemeField& field) {
    if (!scheme_) grammar_.kernels.push_back(SchemeKernel(field.to_key()));
    if (!enter(field.key)) return false;
    if (reads_) value = static_cast<T>(number_of(field, *kernel_));
    return true;
  }

 private:
  /// @cond Doxygen lists friends that are templates without a place to go to.
  template <class P>
  friend SchemeGrammar grammar_from(const char* format, const Device& device);
  template <class P>
  friend P parameters_of(const Scheme& scheme, const Device& device);
  template <class P>
  friend Scheme scheme_with(const Scheme& asked, P parameters, const Device& device);
  /// @endcond

  explicit SchemeFields(const char* format) : grammar_(format, {}) {}
  SchemeFields(const Scheme& scheme, bool reads)
      : grammar_("", {}), scheme_(&scheme), reads_(reads) {}

  /// Whether the field is to have `number`, as read.
  bool pass(const SchemeField& field, std::optional<std::int64_t>& number) {
    if (!scheme_) {
      auto& keys =
          grammar_.kernels.empty() ? grammar_.parameters : grammar_.kernels.back().parameters;
      keys.push_back(field.to_key());
      return false;
    }
    if (!runs_) return false;
    if (!reads_) {
      if (number) terms_.emplace_back(std::string(field.key), word_of(field, *number));
      return false;
    }
    for (const SchemeTerm& term : scheme_->terms()) {
      if (term.key != field.key || term.value == scheme_auto) continue;
      number = number_of(field, term);
      return true;
    }
    return false;
  }

  bool enter(std::string_view key) {
    runs_ = false;
    if (!scheme_) return false;
    for (const SchemeTerm& term : scheme_->terms()) {
      if (!detail::scheme_matches(key, term.key)) continue;
      kernel_ = &term;
      return runs_ = true;
    }
    return false;
  }

  std::int64_t number_of(const SchemeField& field, const SchemeTerm& term) const {
    const auto word = std::find(field.words.begin(), field.words.end(), term.value);
    if (word != field.words.end()) return word - field.words.begin();
    return scheme_->integer(field.key);
  }

  static std::string word_of(const SchemeField& field, std::int64_t number) {
    const bool is_word = number < static_cast<std::int64_t>(field.words.size());
    return is_word ? field.words.begin()[number] : std::to_string(number);
  }

  Scheme printed() {
    if (kernel_) terms_.insert(terms_.begin(), *kernel_);
    return Scheme(scheme_->format(), std::move(terms_));
  }

  SchemeGrammar grammar_;
  const Scheme* scheme_ = nullptr;  ///< null where a grammar is made
  bool reads_ = false;              ///< or prints
  bool runs_ = true;                ///< whether the scheme names the kernel of what is added
  const SchemeTerm* kernel_ = nullptr;
  std::vector<SchemeTerm> terms_;
};

/// The grammar of a format with these parameters.
template <class P>
SchemeGrammar grammar_from(const char* format, const Device& device) {
  SchemeFields fields(format);
  P().list(fields, device);
  return std::move(fields.grammar_);
}

/// The parameters of a scheme. Throws Error if a value should be a number and is not.
template <class P>
P parameters_of(const Scheme& scheme, const Device& device) {
  SchemeFields fields(scheme, true);
  P parameters;
  parameters.list(fields, device);
  return parameters;
}

/// The scheme that was asked for with these parameters, in the grammar's order.
template <class P>
Scheme scheme_with(const Scheme& asked, P parameters, const Device& device) {
  SchemeFields fields(asked, false);
  parameters.list(fields, device);
  return fields.printed();
}

}  // namespace heddle
