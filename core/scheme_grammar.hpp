// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <heddle/core/scheme.hpp>
#include <span>

namespace heddle {

/// A key that a format knows, and the values it takes.
///
/// Keys and values are patterns: `<n>` stands for a positive integer, `<a..b>` for an integer from
/// a to b, everything else for itself. No values: the key stands alone. A fallback makes a
/// parameter optional.
///
///     {"merge"}   {"subwarp", {"1", "2", "4"}}   {"<1..8>x<1..8>"}
///     {"sigma", {"<n>"}, "256"}   {"alpha", {"<n>", "inf"}, "inf"}
struct SchemeKey {
  std::string key;
  std::vector<std::string> values;
  std::string fallback;

  SchemeKey(std::string pattern, std::vector<std::string> allowed = {}, std::string otherwise = {})
      : key(std::move(pattern)), values(std::move(allowed)), fallback(std::move(otherwise)) {}
  SchemeKey(const char* pattern) : key(pattern) {}

  /// As the user would write it: subwarp=1|2|4, or [sigma=<n>] if it may be left out.
  std::string usage() const {
    std::string text = key;
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "=" : "|") + values[i];
    return fallback.empty() ? text : "[" + text + "]";
  }
};

/// What a format accepts: exactly one of its kernels, where it has any, then its parameters, each
/// required unless it has a fallback.
///
///     SchemeGrammar{"csr", {{"scalar"}, {"subwarp", {"1", "2", "4"}}, {"merge"}}}
///     SchemeGrammar{"tiled", {{"16"}}}
///     SchemeGrammar{"blocked-ell", {}, {{"rows", {"<n>"}}, {"sigma", {"<n>"}, "256"}}}
struct SchemeGrammar {
  std::string format;
  std::vector<SchemeKey> kernels;
  std::vector<SchemeKey> parameters;

  SchemeGrammar(std::string name, std::vector<SchemeKey> alternatives,
                std::vector<SchemeKey> keys = {})
      : format(std::move(name)), kernels(std::move(alternatives)), parameters(std::move(keys)) {}

  /// Every way to write it, as in "csr/scalar, csr/subwarp=1|2|4".
  std::string usage() const {
    std::string tail;
    for (const SchemeKey& parameter : parameters) {
      tail += (tail.empty() ? "" : ",") + parameter.usage();
    }
    if (kernels.empty()) return tail.empty() ? format : format + "/" + tail;
    std::string text;
    for (const SchemeKey& kernel : kernels) {
      text += (text.empty() ? "" : ", ") + format + "/" + kernel.usage();
      if (!tail.empty()) text += "," + tail;
    }
    return text;
  }
};

namespace detail {

/// Whether `text` is an instance of `pattern` (see SchemeKey). Integers have no leading zero, so
/// that a scheme is written in one way only.
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

/// Insertions, deletions and replacements that turn one word into the other.
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

/// "did you mean 'subwarp'? " where a name is near enough, else nothing.
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
  const std::string problem = key.values.empty()   ? "takes no value"
                              : term.value.empty() ? "lacks a value"
                                                   : "cannot be '" + term.value + "'";
  throw Error("scheme '" + scheme.to_string() + "': '" + term.key + "' " + problem,
              "write " + key.usage());
}

}  // namespace detail

/// Checks a scheme against what exists and returns its canonical form: the kernel, then the
/// parameters in the grammar's order, those that were left out at their fallback.
///
/// Throws Error on an unknown format or key, a missing or impossible value, and on no kernel or
/// several; its remedy lists what exists.
inline Scheme resolve(const Scheme& scheme, std::span<const SchemeGrammar> grammars) {
  const std::string prefix = "scheme '" + scheme.to_string() + "': ";
  std::string formats;
  std::vector<std::string> names;
  const SchemeGrammar* grammar = nullptr;
  for (const SchemeGrammar& candidate : grammars) {
    if (candidate.format == scheme.format()) grammar = &candidate;
    formats += (formats.empty() ? "" : ", ") + candidate.format;
    names.push_back(candidate.format);
  }
  if (!grammar) {
    throw Error(prefix + "there is no format '" + scheme.format() + "'",
                detail::did_you_mean(scheme.format(), names) + "formats are: " + formats);
  }

  const std::string usage = "write " + grammar->usage();
  std::vector<SchemeTerm> kernel;
  std::vector<const SchemeTerm*> given(grammar->parameters.size(), nullptr);
  for (const SchemeTerm& term : scheme.terms()) {
    const auto knows = [&](const SchemeKey& key) {
      return detail::scheme_matches(key.key, term.key);
    };
    const auto& kernels = grammar->kernels;
    const auto& parameters = grammar->parameters;
    if (auto k = std::find_if(kernels.begin(), kernels.end(), knows); k != kernels.end()) {
      detail::check_scheme_value(scheme, term, *k);
      kernel.push_back(term);
    } else if (auto p = std::find_if(parameters.begin(), parameters.end(), knows);
               p != parameters.end()) {
      detail::check_scheme_value(scheme, term, *p);
      given[static_cast<std::size_t>(p - parameters.begin())] = &term;
    } else {
      names.clear();
      for (const SchemeKey& key : kernels) names.push_back(key.key);
      for (const SchemeKey& key : parameters) names.push_back(key.key);
      throw Error(prefix + grammar->format + " does not know '" + term.key + "'",
                  detail::did_you_mean(term.key, names) + usage);
    }
  }
  if (kernel.size() != (grammar->kernels.empty() ? 0u : 1u)) {
    throw Error(prefix + (kernel.empty() ? "no kernel is named" : "several kernels are named"),
                usage);
  }

  std::vector<SchemeTerm> terms = std::move(kernel);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const SchemeKey& key = grammar->parameters[i];
    if (!given[i] && key.fallback.empty()) {
      throw Error(prefix + "'" + key.key + "' is missing", usage);
    }
    terms.push_back(given[i] ? *given[i] : SchemeTerm(key.key, key.fallback));
  }
  return Scheme(grammar->format, std::move(terms));
}

/// Parses, checks and completes a scheme in one step: resolve(Scheme::parse(text), grammars).
inline Scheme parse_scheme(std::string_view text, std::span<const SchemeGrammar> grammars) {
  return resolve(Scheme::parse(text), grammars);
}

/// Every scheme of a grammar: each kernel and parameter with each value that is written out.
/// A value that holds a placeholder is left out, so such a parameter stays at its fallback; a
/// required parameter (or kernel) with placeholders only has no schemes to list.
inline std::vector<Scheme> schemes_of(const SchemeGrammar& grammar) {
  const auto expand = [](const SchemeKey& key) {
    std::vector<SchemeTerm> terms;
    const auto fixed = [](const std::string& text) { return text.find('<') == std::string::npos; };
    if (key.values.empty() && fixed(key.key)) terms.emplace_back(key.key);
    bool lists_fallback = key.fallback.empty();
    for (const std::string& value : key.values) {
      if (fixed(key.key) && fixed(value)) terms.emplace_back(key.key, value);
      lists_fallback = lists_fallback || value == key.fallback;
    }
    if (!lists_fallback) terms.emplace_back(key.key, key.fallback);
    return terms;
  };
  std::vector<std::vector<SchemeTerm>> lists;
  if (grammar.kernels.empty()) {
    lists.emplace_back();
  }
  for (const SchemeKey& kernel : grammar.kernels) {
    for (const SchemeTerm& term : expand(kernel)) lists.push_back({term});
  }
  for (const SchemeKey& parameter : grammar.parameters) {
    std::vector<std::vector<SchemeTerm>> longer;
    for (const auto& list : lists) {
      for (const SchemeTerm& term : expand(parameter)) {
        longer.push_back(list);
        longer.back().push_back(term);
      }
    }
    lists = std::move(longer);
  }
  std::vector<Scheme> schemes;
  for (auto& list : lists) schemes.emplace_back(grammar.format, std::move(list));
  return schemes;
}

}  // namespace heddle
