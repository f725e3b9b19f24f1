// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.hpp"

namespace heddle {

/// One term of a scheme: a key, or a key with a value. A key alone has an empty value.
struct SchemeTerm {
  std::string key;
  std::string value;

  SchemeTerm(std::string term_key) : key(std::move(term_key)) {}
  SchemeTerm(const char* term_key) : key(term_key) {}
  SchemeTerm(std::string term_key, std::string term_value)
      : key(std::move(term_key)), value(std::move(term_value)) {}
  template <std::integral Integer>
  SchemeTerm(std::string term_key, Integer term_value)
      : SchemeTerm(std::move(term_key), std::to_string(term_value)) {}

  std::string to_string() const { return value.empty() ? key : key + "=" + value; }

  friend bool operator==(const SchemeTerm&, const SchemeTerm&) = default;
  friend auto operator<=>(const SchemeTerm&, const SchemeTerm&) = default;
};

/// The name of one way to run: a format and ordered terms. A plain value: it can be printed,
/// parsed, compared and hashed, and its printed form parses to an equal scheme.
///
///     scheme = format [ "/" term { "," term } ]      csr/subwarp=8
///     term   = key [ "=" value ]                     blocked-ell/rows=64,sigma=256
///
/// Names and values consist of letters, digits and - _ . : + and are case-sensitive. A Scheme can
/// have any text of that syntax; resolve() and parse_scheme() of core/scheme_grammar.hpp check
/// whether a format accepts it.
class Scheme {
 public:
  Scheme() = default;

  /// Calls parse(), so that a scheme can be pinned by its name: {.scheme = "csr/merge"}.
  Scheme(std::string_view text) : Scheme(parse(text)) {}
  Scheme(const std::string& text) : Scheme(parse(text)) {}
  Scheme(const char* text) : Scheme(parse(text)) {}

  /// Makes a scheme from parts: Scheme("csr", {{"subwarp", 8}}). Throws Error for a name that
  /// parse() would reject, and for a key given twice.
  explicit Scheme(std::string format, std::vector<SchemeTerm> terms)
      : format_(std::move(format)), terms_(std::move(terms)) {
    check();
  }

  /// Parses a text, checking the syntax only. Throws an Error that shows the syntax.
  [[gnu::cold]] static Scheme parse(std::string_view text) {
    Scheme scheme;
    const std::size_t slash = text.find('/');
    scheme.format_ = text.substr(0, slash);
    std::string_view rest;
    if (slash != std::string_view::npos) {
      rest = text.substr(slash + 1);
      for (bool more = true; more;) {
        const std::size_t comma = rest.find(',');
        const std::string_view term = rest.substr(0, comma);
        const std::size_t equals = term.find('=');
        scheme.terms_.emplace_back(std::string(term.substr(0, equals)));
        if (equals != std::string_view::npos) {
          if (equals + 1 == term.size()) fail(text, "'" + std::string(term) + "' lacks a value");
          scheme.terms_.back().value = term.substr(equals + 1);
        }
        more = comma != std::string_view::npos;
        if (more) rest.remove_prefix(comma + 1);
      }
    }
    scheme.check();
    return scheme;
  }

  const std::string& format() const { return format_; }
  const std::vector<SchemeTerm>& terms() const { return terms_; }

  /// The first key, which names the kernel in formats with several kernels; empty without terms.
  const std::string& kernel() const {
    static const std::string none;
    return terms_.empty() ? none : terms_.front().key;
  }

  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// The value of a key. Throws Error if the scheme has no such key or the key has no value.
  const std::string& value(std::string_view key) const {
    const SchemeTerm* term = find(key);
    if (!term || term->value.empty()) {
      throw Error("scheme '" + to_string() + "' has no value for '" + std::string(key) + "'",
                  "ask has() first, or resolve() the scheme, which fills in defaults");
    }
    return term->value;
  }

  /// The value of a key as an integer. Throws Error if it is not an integer.
  std::int64_t integer(std::string_view key) const {
    const std::string& text = value(key);
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, number);
    if (status != std::errc() || stop != end) {
      throw Error("scheme '" + to_string() + "': " + std::string(key) + " is not an integer",
                  "read it with value()");
    }
    return number;
  }

  [[gnu::cold]] std::string to_string() const {
    std::string text = format_;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      text += (i == 0 ? "/" : ",") + terms_[i].to_string();
    }
    return text;
  }

  friend bool operator==(const Scheme&, const Scheme&) = default;
  friend auto operator<=>(const Scheme&, const Scheme&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
    return out << scheme.to_string();
  }

 private:
  const SchemeTerm* find(std::string_view key) const {
    for (const SchemeTerm& term : terms_) {
      if (term.key == key) return &term;
    }
    return nullptr;
  }

  [[gnu::cold]] void check() const {
    check_name(format_, "a format");
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      check_name(terms_[i].key, "a key");
      if (!terms_[i].value.empty()) check_name(terms_[i].value, "a value");
      for (std::size_t j = 0; j < i; ++j) {
        if (terms_[j].key == terms_[i].key) {
          fail(to_string(), "'" + terms_[i].key + "' is given twice");
        }
      }
    }
  }

  [[gnu::cold]] void check_name(const std::string& name, const char* what) const {
    if (name.empty()) fail(to_string(), std::string(what) + " is empty");
    for (const char c : name) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool digit = c >= '0' && c <= '9';
      if (!letter && !digit && std::string_view("-_.:+").find(c) == std::string_view::npos) {
        fail(to_string(), std::string("'") + c + "' cannot be part of " + what);
      }
    }
  }

  [[noreturn, gnu::cold]] static void fail(std::string_view text, const std::string& problem) {
    throw Error("scheme '" + std::string(text) + "': " + problem,
                "write format/key or format/key=value,key=value, as in csr/subwarp=8");
  }

  std::string format_;
  std::vector<SchemeTerm> terms_;
};

}  // namespace heddle

template <>
struct std::hash<heddle::Scheme> {
  std::size_t operator()(const heddle::Scheme& scheme) const {
    return std::hash<std::string>()(scheme.to_string());
  }
};
