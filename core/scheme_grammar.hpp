// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "device.hpp"
#include "scheme.hpp"

namespace heddle {

/// A key of a format, and the values it accepts.
///
/// Keys and values are patterns: `<n>` matches a positive integer, `<a..b>` an integer from a to b,
/// all other text itself. A key without values is written alone. A fallback makes a parameter
/// optional; the fallback `auto` leaves its value to the format's inspector. Examples are instances
/// of values (or, without values, of the key) with a placeholder, for tests and listings.
///
///     {"merge"}   {"subwarp", {"2", "4"}}   {"<1..8>x<1..8>", {}, "", {"2x2", "3x5"}}
///     {"sigma", {"<n>"}, "256"}   {"simd", {"none", "loads"}, "auto"}
///     {"alpha", {"<n>", "inf"}, "inf"}
struct SchemeKey {
  std::string key;
  std::vector<std::string> values;
  std::string fallback;
  std::vector<std::string> examples;

  SchemeKey(std::string pattern, std::vector<std::string> allowed = {}, std::string otherwise = {},
            std::vector<std::string> instances = {})
      : key(std::move(pattern)),
        values(std::move(allowed)),
        fallback(std::move(otherwise)),
        examples(std::move(instances)) {}
  SchemeKey(const char* pattern) : key(pattern) {}

  /// The key in a usage text: `subwarp=2|4`, or `[sigma=<n>]` if it is optional.
  std::string usage() const {
    std::string text = key;
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "=" : "|") + values[i];
    return fallback.empty() ? text : "[" + text + "]";
  }
};

/// The fallback of a parameter whose value the inspector selects.
inline constexpr const char* scheme_auto = "auto";

/// A kernel of a format, with its own parameters.
struct SchemeKernel {
  SchemeKey key;
  std::vector<SchemeKey> parameters;

  SchemeKernel(const char* name) : key(name) {}
  SchemeKernel(std::string name, std::vector<std::string> values = {},
               std::vector<SchemeKey> own = {})
      : key(std::move(name), std::move(values)), parameters(std::move(own)) {}
  /// Accepts a SchemeKey only, no conversion to one: {"subwarp", {"2", "4"}} is a name with values.
  template <std::same_as<SchemeKey> Key>
  SchemeKernel(Key name, std::vector<SchemeKey> own = {})
      : key(std::move(name)), parameters(std::move(own)) {}
};

/// The schemes that a format accepts: exactly one of its kernels, if it has any, and the parameters
/// of the format and of the kernel, each required unless it has a fallback.
///
///     SchemeGrammar{"csr", {{"scalar"}, {"subwarp", {"2", "4"}}, {"merge"}}}
///     SchemeGrammar{"tiled", {{"16"}}}
///     SchemeGrammar{"blocked-ell", {}, {{"rows", {"<n>"}}, {"sigma", {"<n>"}, "256"}}}
struct SchemeGrammar {
  std::string format;
  std::vector<SchemeKernel> kernels;
  std::vector<SchemeKey> parameters;

  SchemeGrammar(std::string name, std::vector<SchemeKernel> alternatives,
                std::vector<SchemeKey> keys = {})
      : format(std::move(name)), kernels(std::move(alternatives)), parameters(std::move(keys)) {}

  /// The parameters of the format, then those of the kernel unless it is null.
  std::vector<SchemeKey> parameters_of(const SchemeKernel* kernel) const {
    std::vector<SchemeKey> all = parameters;
    if (kernel) all.insert(all.end(), kernel->parameters.begin(), kernel->parameters.end());
    return all;
  }

  /// All ways to write a scheme, as in "csr/scalar, csr/subwarp=2|4".
  std::string usage() const {
    const auto tail = [](const std::vector<SchemeKey>& keys) {
      std::string text;
      for (const SchemeKey& key : keys) text += (text.empty() ? "" : ",") + key.usage();
      return text;
    };
    if (kernels.empty()) return parameters.empty() ? format : format + "/" + tail(parameters);
    std::string text;
    for (const SchemeKernel& kernel : kernels) {
      const std::string keys = tail(parameters_of(&kernel));
      text += (text.empty() ? "" : ", ") + format + "/" + kernel.key.usage();
      if (!keys.empty()) text += "," + keys;
    }
    return text;
  }
};

namespace detail {

/// Whether `text` is an instance of `pattern` (see SchemeKey). Integers have no leading zero, so
/// that each scheme has one spelling.
inline bool scheme_matches(std::string_view pattern, std::string_view text) {
  constexpr std::size_t most_digits = 18;
  std::size_t t = 0;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    if (pattern[p] != '<') {
      if (t == text.size() || text[t++] != pattern[p]) return false;
      continue;
    }
    const std::size_t close = pattern.find('>', p);
    const std::string_view inside = pattern.substr(p + 1, close - p - 1);
    std::int64_t low = 1, high = INT64_MAX, number = 0;
    if (const std::size_t dots = inside.find(".."); dots != std::string_view::npos) {
      std::from_chars(inside.data(), inside.data() + dots, low);
      std::from_chars(inside.data() + dots + 2, inside.data() + inside.size(), high);
    }
    std::size_t end = t;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const bool leading_zero = end - t > 1 && text[t] == '0';
    if (end == t || end - t > most_digits || leading_zero) return false;
    std::from_chars(text.data() + t, text.data() + end, number);
    if (number < low || number > high) return false;
    t = end;
    p = close;
  }
  return t == text.size();
}

/// Number of insertions, deletions and replacements that turn one word into the other.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// "did you mean 'subwarp'? " if one of the names is similar enough, else an empty text.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& name : names) {
    if (const std::size_t distance = edit_distance(word, name); distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? "" : "did you mean '" + nearest + "'? ";
}

inline void check_scheme_value(const Scheme& scheme, const SchemeTerm& term, const SchemeKey& key) {
  const bool possible =
      key.values.empty()
          ? term.value.empty()
          : std::any_of(key.values.begin(), key.values.end(),
                        [&](const auto& value) { return scheme_matches(value, term.value); });
  if (possible) return;
  const std::string problem = key.values.empty()   ? "needs no value"
                              : term.value.empty() ? "lacks a value"
                                                   : "cannot be '" + term.value + "'";
  throw Error("scheme '" + scheme.to_string() + "': '" + term.key + "' " + problem,
              "write " + key.usage());
}

}  // namespace detail

/// The grammar of a scheme's format. Throws Error, listing the formats, if there is none.
inline const SchemeGrammar& grammar_of(const Scheme& scheme,
                                       std::span<const SchemeGrammar> grammars) {
  std::string formats;
  std::vector<std::string> names;
  for (const SchemeGrammar& grammar : grammars) {
    if (grammar.format == scheme.format()) return grammar;
    formats += (formats.empty() ? "" : ", ") + grammar.format;
    names.push_back(grammar.format);
  }
  throw Error("scheme '" + scheme.to_string() + "': there is no format '" + scheme.format() + "'",
              detail::did_you_mean(scheme.format(), names) + "give one of: " + formats);
}

namespace detail {

/// The kernel that a scheme names; null if it names none. Throws Error if it names several.
inline const SchemeKernel* kernel_of(const Scheme& scheme, const SchemeGrammar& grammar) {
  const SchemeKernel* found = nullptr;
  int kernels = 0;
  for (const SchemeTerm& term : scheme.terms()) {
    for (const SchemeKernel& kernel : grammar.kernels) {
      if (!scheme_matches(kernel.key.key, term.key)) continue;
      check_scheme_value(scheme, term, kernel.key);
      found = &kernel;
      ++kernels;
    }
  }
  if (kernels > 1) {
    throw Error("scheme '" + scheme.to_string() + "': several kernels are named",
                "write " + grammar.usage());
  }
  return found;
}

/// Throws Error for a term that is neither a kernel nor one of the parameters.
inline void check_terms(const Scheme& scheme, const SchemeGrammar& grammar,
                        const std::vector<SchemeKey>& parameters) {
  for (const SchemeTerm& term : scheme.terms()) {
    const auto knows = [&](const SchemeKey& key) { return scheme_matches(key.key, term.key); };
    const auto is_kernel = [&](const SchemeKernel& kernel) { return knows(kernel.key); };
    if (std::any_of(grammar.kernels.begin(), grammar.kernels.end(), is_kernel)) continue;
    if (std::any_of(parameters.begin(), parameters.end(), knows)) continue;
    const SchemeKernel* kernel = kernel_of(scheme, grammar);
    const bool of_a_kernel =
        std::any_of(grammar.kernels.begin(), grammar.kernels.end(), [&](const SchemeKernel& one) {
          return std::any_of(one.parameters.begin(), one.parameters.end(), knows);
        });
    if (!kernel && of_a_kernel) continue;  // the missing kernel is reported first
    std::vector<std::string> names;
    for (const SchemeKernel& kernel : grammar.kernels) names.push_back(kernel.key.key);
    for (const SchemeKey& key : parameters) names.push_back(key.key);
    throw Error("scheme '" + scheme.to_string() +
                    "': " + (kernel ? grammar.format + "/" + kernel->key.key : grammar.format) +
                    " does not know '" + term.key + "'",
                did_you_mean(term.key, names) + "write " + grammar.usage());
  }
}

}  // namespace detail

/// Checks a scheme and returns its canonical form: the kernel, then the parameters in the grammar's
/// order, with the fallbacks of those left out. Parameters whose value is `auto`, given or left
/// out, are not written.
///
/// Throws Error for an unknown format or key, a missing or invalid value, and for no kernel or
/// several; the message lists the possible ones.
inline Scheme resolve(const Scheme& scheme, std::span<const SchemeGrammar> grammars) {
  const SchemeGrammar& grammar = grammar_of(scheme, grammars);
  const SchemeKernel* kernel = detail::kernel_of(scheme, grammar);
  const std::vector<SchemeKey> parameters = grammar.parameters_of(kernel);
  detail::check_terms(scheme, grammar, parameters);
  const auto fail = [&](const std::string& problem) {
    throw Error("scheme '" + scheme.to_string() + "': " + problem, "write " + grammar.usage());
  };
  if (!kernel && !grammar.kernels.empty()) fail("no kernel is named");

  const auto given = [&](const SchemeKey& key) -> const SchemeTerm* {
    for (const SchemeTerm& term : scheme.terms()) {
      if (detail::scheme_matches(key.key, term.key)) return &term;
    }
    return nullptr;
  };
  std::vector<SchemeTerm> terms;
  if (kernel) terms.push_back(*given(kernel->key));
  for (const SchemeKey& key : parameters) {
    const SchemeTerm* term = given(key);
    if (!term && key.fallback.empty()) fail("'" + key.key + "' is missing");
    const bool left_to_inspector =
        key.fallback == scheme_auto && (!term || term->value == scheme_auto);
    if (left_to_inspector) continue;
    if (term) detail::check_scheme_value(scheme, *term, key);
    terms.push_back(term ? *term : SchemeTerm(key.key, key.fallback));
  }
  return Scheme(grammar.format, std::move(terms));
}

/// Parses, checks and completes a scheme in one step: resolve(Scheme::parse(text), grammars).
inline Scheme parse_scheme(std::string_view text, std::span<const SchemeGrammar> grammars) {
  return resolve(Scheme::parse(text), grammars);
}

namespace detail {

/// The concrete terms with which a key is listed.
inline std::vector<SchemeTerm> terms_of(const SchemeKey& key) {
  const auto fixed = [](const std::string& text) { return text.find('<') == std::string::npos; };
  std::vector<SchemeTerm> terms;
  if (key.values.empty()) {
    if (fixed(key.key)) terms.emplace_back(key.key);
    for (const std::string& example : key.examples) terms.emplace_back(example);
    return terms;
  }
  if (!fixed(key.key)) return terms;
  for (const std::string& value : key.values) {
    if (fixed(value)) terms.emplace_back(key.key, value);
  }
  for (const std::string& example : key.examples) terms.emplace_back(key.key, example);
  return terms;
}

}  // namespace detail

/// Schemes that together use every kernel, and every value of every parameter that is written out
/// or has an example: each kernel alone, then with one optional parameter at a time. Kernels with a
/// required parameter that has neither are left out.
inline std::vector<Scheme> variants_of(const SchemeGrammar& grammar) {
  std::vector<Scheme> variants;
  const auto add_kernel = [&](const SchemeKernel* kernel) {
    std::vector<std::vector<SchemeTerm>> lists{{}};
    const auto multiply = [&](const SchemeKey& key) {
      std::vector<std::vector<SchemeTerm>> longer;
      for (const auto& list : lists) {
        for (const SchemeTerm& term : detail::terms_of(key)) {
          longer.push_back(list);
          longer.back().push_back(term);
        }
      }
      lists = std::move(longer);
    };
    if (kernel) multiply(kernel->key);
    const std::vector<SchemeKey> parameters = grammar.parameters_of(kernel);
    for (const SchemeKey& key : parameters) {
      if (key.fallback.empty()) multiply(key);
    }
    for (const auto& list : lists) {
      variants.push_back(resolve(Scheme(grammar.format, list), std::span(&grammar, 1)));
      for (const SchemeKey& key : parameters) {
        if (key.fallback.empty()) continue;
        for (const SchemeTerm& term : detail::terms_of(key)) {
          std::vector<SchemeTerm> terms = list;
          terms.push_back(term);
          Scheme variant = resolve(Scheme(grammar.format, terms), std::span(&grammar, 1));
          const bool new_one =
              std::find(variants.begin(), variants.end(), variant) == variants.end();
          if (new_one) variants.push_back(std::move(variant));
        }
      }
    }
  };
  for (const SchemeKernel& kernel : grammar.kernels) add_kernel(&kernel);
  if (grammar.kernels.empty()) add_kernel(nullptr);
  return variants;
}

/// The numbers that a parameter accepts: from..to, or powers of two times `from`; by default none.
struct SchemeNumbers {
  std::int64_t from = 0;
  std::int64_t to = -1;
  bool doubled = false;

  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
};

/// A parameter of a format: its key, and the words and the numbers that it accepts. A word is also
/// stored as a number, its index among the words, so that an enumeration lists its values in order,
/// and `none` or `no` before numbers is 0.
struct SchemeField {
  std::string_view key;
  std::initializer_list<const char*> words = {};
  SchemeNumbers numbers = {};
  const char* fallback = scheme_auto;                ///< see SchemeKey
  std::initializer_list<const char*> examples = {};  ///< see SchemeKey

  /// The key of this parameter in a grammar.
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

  /// Begins a kernel: the parameters added next belong to it. Returns whether the scheme names it.
  /// Examples are instances of a key that is a pattern.
  bool kernel(std::string_view key, std::initializer_list<const char*> examples = {}) {
    if (!scheme_) {
      grammar_.kernels.push_back(
          SchemeKernel(SchemeKey(std::string(key), {}, "", {examples.begin(), examples.end()})));
    }
    return enter(key);
  }
  /// Begins a kernel whose key has a value; returns whether the scheme names it.
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

  /// Lists, prints or reads a field. Returns whether `number` was read.
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
  const Scheme* scheme_ = nullptr;  ///< null while a grammar is made
  bool reads_ = false;              ///< whether parameters are read, not printed
  bool runs_ = true;                ///< whether the scheme names the kernel of the fields added
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

/// The scheme `asked` with these parameters, in the grammar's order.
template <class P>
Scheme scheme_with(const Scheme& asked, P parameters, const Device& device) {
  SchemeFields fields(asked, false);
  parameters.list(fields, device);
  return fields.printed();
}

}  // namespace heddle
