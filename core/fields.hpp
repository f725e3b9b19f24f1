// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "error.hpp"

namespace heddle::detail {

/// The numbers that an option may be, from `least` to `most`.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool open = false;  ///< whether `least` and a finite `most` themselves are excluded

  /// False for NaN, unless every number is allowed.
  constexpr bool has(double value) const {
    if (*this == Range()) return true;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!open) return value >= least && value <= most;
    return value > least && (value < most || most == infinity);
  }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

constexpr Range at_least(double least) { return {.least = least}; }
constexpr Range above(double least) { return {.least = least, .open = true}; }
constexpr Range within(double least, double most) { return {.least = least, .most = most}; }
constexpr Range between(double least, double most) {
  return {.least = least, .most = most, .open = true};
}
constexpr Range finite_from(double least) {
  return within(least, std::numeric_limits<double>::max());
}

// A name, since nvcc puts parentheses around a pointer to a member, of which gcc then warns.
template <class Options, class T>
using MemberOf = T Options::*;

/// A field of a struct of options.
template <class Options, class T>
struct Field {
  const char* name;
  MemberOf<Options, T> member;
  const char* sentence;  ///< its meaning, as pages and Python have it
  Range range = {};      ///< for numbers, and for the count of ExpectedVectors
};

template <class Options, class T>
constexpr Field<Options, T> field(const char* name, T Options::* member, const char* sentence,
                                  Range range = {}) {
  return {name, member, sentence, range};
}

/// The fields of a struct of options, all of them and in their order: a std::tuple of Field,
/// specialized in the header fields.hpp beside that of the struct. Names, defaults and sentences of
/// the tables in docs/ and of Python, and the checks of single fields, come from here.
template <class Options>
inline constexpr std::nullptr_t fields{};

/// Whether the fields are all fields of the aggregate, by their types: it can be initialized by so
/// many values, and not by one more.
template <class Options, class... Types>
constexpr bool are_all_fields(const std::tuple<Field<Options, Types>...>&) {
  return requires { Options{std::declval<Types>()...}; } &&
         !requires { Options{std::declval<Types>()..., {}}; };
}
template <class Options>
inline constexpr bool lists_all_fields = are_all_fields(fields<Options>);

/// Calls visit(field) for each field, in their order.
template <class Options, class Visit>
constexpr void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, fields<Options>);
}

/// A number as text, in as few digits as say it.
[[gnu::cold]] inline std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", number);
  return text;
}
[[gnu::cold]] inline std::string text_of(std::integral auto number) {
  return std::to_string(number);
}

/// The remedy for a number out of the range.
[[gnu::cold]] inline std::string remedy_of(const Range& range) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::string least = text_of(range.least);
  if (range.open && range.most == infinity) return "give a number above " + least;
  if (range.open) {
    return "give a number of more than " + least + " and less than " + text_of(range.most);
  }
  if (range.most == infinity) return "give " + least + " or more";
  if (range.most == std::numeric_limits<double>::max()) {
    return "give a finite number, " + least + " or more";
  }
  return "give " + least + " to " + text_of(range.most);
}

template <class T>
void check_number(const char* name, const char* sentence, const Range& range, const T& value) {
  if (range.has(static_cast<double>(value))) return;
  throw Error(std::string("options.") + name + " is " + text_of(value),
              remedy_of(range) + ": " + sentence);
}

/// Throws Error, which names the field and says what to give, for a number out of its range.
template <class Options, class T>
void check_field(const Field<Options, T>& field, const Options& options) {
  const T& value = options.*field.member;
  if constexpr (std::is_arithmetic_v<T>) {
    check_number(field.name, field.sentence, field.range, value);
  } else if constexpr (requires { value.has_value() && *value < 1; }) {
    if (value) check_number(field.name, field.sentence, field.range, *value);
  } else if constexpr (requires { value.several_apart(); }) {
    const std::string name = std::string(field.name) + ".count";
    check_number(name.c_str(), field.sentence, field.range, value.count);
  }
}

/// Throws Error for the first field that is out of its range.
template <class Options>
void check_fields(const Options& options) {
  for_each_field<Options>([&](const auto& field) { check_field(field, options); });
}

}  // namespace heddle::detail
