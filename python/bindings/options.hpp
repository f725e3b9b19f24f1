// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <heddle/error.hpp>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../core/features.hpp"
#include "../../core/fields.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../../core/scheme_grammar.hpp"
#include "../../core/types.hpp"
#include "../../core/words.hpp"
#include "../../formats/common/prediction.hpp"

/// Options as Python has them: of each type of a field its name for type checkers (type_of), its
/// value from Python (take), and its value in Python (shown).
namespace heddle::python {

namespace nb = nanobind;

/// The value that a function of heddle/_arguments.py returns; it throws for a wrong type.
template <class... More>
nb::object argument(const char* function, const char* name, nb::handle value, const More&... more) {
  return nb::module_::import_("heddle._arguments").attr(function)(name, value, more...);
}
/// The value itself if Python's type is known.
template <class Known>
nb::object known_or(const char* function, const char* name, nb::handle value) {
  return nb::isinstance<Known>(value) ? nb::borrow(value) : argument(function, name, value);
}
inline std::string word_of(const char* name, nb::handle value) {
  return nb::cast<std::string>(known_or<nb::str>("word", name, value));
}

/// Whether Python has fields of this type: not models, callbacks, bounds and Views, which calls
/// have in other forms.
template <class T>
inline constexpr bool in_python =
    std::is_arithmetic_v<T> || detail::HasWords<T> || std::same_as<T, std::string> ||
    std::same_as<T, Scheme> || std::same_as<T, ExpectedVectors> || std::same_as<T, Promises> ||
    std::same_as<T, std::vector<int>>;
template <class T>
inline constexpr bool in_python<std::optional<T>> = in_python<T>;
template <detail::HasWords E>
inline constexpr bool in_python<std::vector<E>> = true;

/// Whether a number is a bound that is none, which is None in Python.
template <class T>
bool unbounded(const T& number) {
  if constexpr (std::same_as<T, std::size_t>) return number == no_bound;
  if constexpr (std::floating_point<T>) return std::isinf(number);
  return false;
}

template <class T>
  requires std::is_arithmetic_v<T>
std::string type_of(const T& now) {
  const std::string type = std::same_as<T, bool> ? "bool" : std::integral<T> ? "int" : "float";
  return unbounded(now) ? type + " | None" : type;
}
template <class T>
  requires std::is_arithmetic_v<T>
nb::object shown(const T& value) {
  return unbounded(value) ? nb::none() : nb::cast(value);
}
template <std::integral T>
void take(const char* name, const detail::Range& range, nb::handle value, T& to) {
  if constexpr (std::same_as<T, bool>) {
    to = nb::cast<bool>(known_or<nb::bool_>("flag", name, value));
  } else if (value.is_none() && unbounded(to)) {
    return;
  } else {
    if (T number; nb::isinstance<nb::int_>(value) && nb::try_cast(value, number) &&
                  range.has(static_cast<double>(number))) {
      to = number;
      return;
    }
    using Limits = std::numeric_limits<T>;
    const auto bound = [](double of_range, T of_type) {
      const bool tighter = of_type > 0 ? of_range < static_cast<double>(of_type)
                                       : of_range > static_cast<double>(of_type);
      return tighter ? static_cast<T>(of_range) : of_type;
    };
    to = nb::cast<T>(argument("count", name, value, bound(range.least, Limits::min()),
                              bound(range.most, Limits::max())));
  }
}
inline void take(const char* name, const detail::Range&, nb::handle value, double& to) {
  if (value.is_none() && unbounded(to)) return;
  to = nb::cast<double>(known_or<nb::float_>("number", name, value));
}
inline std::string literal(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "'" : ", '") + word + "'";
  return "Literal[" + text + "]";
}

template <detail::HasWords E>
std::string type_of(const E&) {
  return literal(detail::word_list<E>());
}
template <detail::HasWords E>
void take(const char* name, const detail::Range&, nb::handle value, E& to) {
  to = detail::value_of<E>((std::string("options.") + name).c_str(), word_of(name, value));
}
template <detail::HasWords E>
nb::object shown(const E& value) {
  return nb::str(heddle::name(value));
}

/// A list of words; that of ops is another.
template <detail::HasWords E>
std::string type_of(const std::vector<E>&) {
  return "Sequence[" + literal(detail::word_list<E>()) + "]";
}
template <detail::HasWords E>
void take(const char* name, const detail::Range&, nb::handle value, std::vector<E>& to) {
  const nb::object given = argument("words", name, value, detail::word_list<E>());
  to.clear();
  for (const auto& word : nb::cast<std::vector<std::string>>(given)) {
    to.push_back(detail::value_of<E>(name, word));
  }
}
template <detail::HasWords E>
nb::object shown(const std::vector<E>& value) {
  nb::list words;
  for (const E one : value) words.append(heddle::name(one));
  return nb::steal(PyList_AsTuple(words.ptr()));
}

inline std::string type_of(const std::string&) { return "str"; }
inline void take(const char* name, const detail::Range&, nb::handle value, std::string& to) {
  to = word_of(name, value);
}
inline nb::object shown(const std::string& value) { return nb::str(value.c_str()); }

inline std::string type_of(const Scheme&) { return "str"; }
inline void take(const char* name, const detail::Range&, nb::handle value, Scheme& to) {
  to = Scheme(word_of(name, value));
}
inline nb::object shown(const Scheme& value) { return nb::str(value.to_string().c_str()); }

/// Their number alone: arrays of NumPy and CuPy are row-major.
inline std::string type_of(const ExpectedVectors& now) { return type_of(now.count); }
inline void take(const char* name, const detail::Range& range, nb::handle value,
                 ExpectedVectors& to) {
  take(name, range, value, to.count);
}
inline nb::object shown(const ExpectedVectors& value) { return nb::cast(value.count); }

/// The promises that are made, by name.
inline constexpr std::pair<const char*, bool Promises::*> promises[] = {
    {"in_range", &Promises::in_range}, {"sorted", &Promises::sorted}};
inline std::string type_of(const Promises&) {
  return "Collection[" + literal({promises[0].first, promises[1].first}) + "]";
}
inline void take(const char* name, const detail::Range&, nb::handle value, Promises& to) {
  nb::list known;
  for (const auto& [word, member] : promises) known.append(word);
  const auto given = nb::cast<std::vector<std::string>>(argument("words", name, value, known));
  for (const auto& [word, member] : promises) to.*member = std::ranges::count(given, word) > 0;
}
inline nb::object shown(const Promises& value) {
  nb::list made;
  for (const auto& [word, member] : promises) {
    if (value.*member) made.append(word);
  }
  return nb::steal(PyList_AsTuple(made.ptr()));
}

/// Whether the transposes are prepared: the plan's scalar says which (with_ops).
inline std::string type_of(const std::vector<Op>&) { return "bool"; }
inline void take(const char* name, const detail::Range&, nb::handle value, std::vector<Op>& to) {
  bool transposed = false;
  take(name, {}, value, transposed);
  to.assign(transposed ? 1 : 0, Op::transpose);
}
inline nb::object shown(const std::vector<Op>& value) { return nb::bool_(!value.empty()); }

inline std::string type_of(const std::vector<int>&) { return "ArrayLike | None"; }
inline void take(const char* name, const detail::Range&, nb::handle value, std::vector<int>& to) {
  if (!value.is_none()) to = nb::cast<std::vector<int>>(argument("numbers", name, value));
}
inline nb::object shown(const std::vector<int>& value) {
  return value.empty() ? nb::none() : nb::cast(value);
}

template <class T>
std::string type_of(const std::optional<T>&) {
  return type_of(T()) + " | None";
}
template <class T>
void take(const char* name, const detail::Range& range, nb::handle value, std::optional<T>& to) {
  if (value.is_none()) return to.reset();
  take(name, range, value, to.emplace());
}
template <class T>
nb::object shown(const std::optional<T>& value) {
  return value ? shown(*value) : nb::none();
}

/// Calls visit(name, field) for each field that Python has, by the name that it has there.
template <class Options, class Visit>
void for_each_in_python(const Visit& visit) {
  detail::for_each_field<Options>([&]<class T>(const detail::Field<Options, T>& field) {
    if constexpr (std::same_as<T, std::vector<Op>>) {
      visit("transpose", field);
    } else if constexpr (in_python<T>) {
      visit(field.name, field);
    }
  });
}

template <class Options>
Options default_options() {
  Options options;
  if constexpr (requires { options.vectors.apart; }) options.vectors.apart = false;
  return options;
}

/// The options of keyword arguments. Throws TypeError for a keyword that is none of them.
template <class Options>
Options options_of(const nb::kwargs& given) {
  Options options = default_options<Options>();
  for (const auto& item : given) {
    const auto word = nb::cast<std::string>(item.first);
    bool known = false;
    for_each_in_python<Options>([&](const char* name, const auto& field) {
      if (word != name) return;
      take(name, field.range, item.second, options.*field.member);
      known = true;
    });
    if (known) continue;
    std::vector<std::string> names;
    for_each_in_python<Options>([&](const char* name, const auto&) { names.emplace_back(name); });
    std::string text =
        "there is no option '" + word + "'; " + detail::did_you_mean(word, names) + "give one of: ";
    for (const std::string& name : names) text += (&name == &names[0] ? "" : ", ") + name;
    throw nb::type_error(text.c_str());
  }
  return options;
}

/// (name, value) of each option that has another value than its default.
template <class Options>
nb::list changed(const Options& options) {
  nb::list all;
  const Options defaults = default_options<Options>();
  for_each_in_python<Options>([&](const char* name, const auto& field) {
    nb::object value = shown(options.*field.member);
    if (!value.equal(shown(defaults.*field.member))) all.append(nb::make_tuple(name, value));
  });
  return all;
}

/// (name, type, default, sentence) of each option.
template <class Options>
nb::list listed() {
  nb::list all;
  const Options defaults = default_options<Options>();
  for_each_in_python<Options>([&]<class T>(const char* name,
                                           const detail::Field<Options, T>& field) {
    const bool ops = std::same_as<T, std::vector<Op>>;
    all.append(nb::make_tuple(name, type_of(defaults.*field.member), shown(defaults.*field.member),
                              ops ? "prepare the transpose with the plan" : field.sentence));
  });
  return all;
}

}  // namespace heddle::python
