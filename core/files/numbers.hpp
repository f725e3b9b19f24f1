// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "../types.hpp"
#include "text.hpp"

namespace heddle::files {

/// A problem in a text and its place. The caller, which knows the whole text, turns it into an
/// Error with a line number.
struct Fault {
  const char* at;
  std::string problem;
  std::string remedy;
};

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

inline bool at_line_end(const char* at, const char* end) { return at == end || *at == '\n'; }

inline bool at_token_end(const char* at, const char* end) {
  return at_line_end(at, end) || is_blank(*at);
}

/// The characters up to the next blank or line end.
inline std::string_view token_at(const char* at, const char* end) {
  const char* stop = at;
  while (!at_token_end(stop, end)) ++stop;
  return {at, static_cast<std::size_t>(stop - at)};
}

[[noreturn]] inline void fault_in_number(const char* at, const char* end, const char* kind) {
  if (at_line_end(at, end)) {
    throw Fault{at, std::string("the line ends where a ") + kind + " belongs",
                "write each entry complete on one line"};
  }
  throw Fault{at, "'" + printable(token_at(at, end)) + "' is not a " + kind,
              "correct the line or write the file again"};
}

[[noreturn]] inline void fault_too_large(const char* at, const char* end, const char* type,
                                         const char* remedy) {
  throw Fault{at, "'" + printable(token_at(at, end)) + "' does not fit into " + type, remedy};
}

/// Reads a decimal integer at `at`, and moves `at` past it.
inline std::int64_t parse_integer(const char*& at, const char* end, const char* kind) {
  constexpr std::ptrdiff_t always_fits = 18;
  const char* digit = at;
  std::int64_t value = 0;
  while (digit != end && is_digit(*digit) && digit - at < always_fits) {
    value = value * 10 + (*digit - '0');
    ++digit;
  }
  if (digit == at || !at_token_end(digit, end)) {
    const auto [stop, status] = std::from_chars(at, end, value);
    if (status == std::errc::invalid_argument || !at_token_end(stop, end)) {
      fault_in_number(at, end, kind);
    }
    if (status == std::errc::result_out_of_range) {
      fault_too_large(at, end, "64 bits", "no matrix has such a size or index; correct the line");
    }
    digit = stop;
  }
  at = digit;
  return value;
}

/// Whether a decimal number that is out of range is too small rather than too large.
inline bool is_tiny(std::string_view number) {
  std::int64_t digits_before_point = 0, zeros_after_point = 0;
  bool after_point = false, nonzero = false;
  std::size_t i = number.starts_with('-') ? 1 : 0;
  for (; i < number.size() && (is_digit(number[i]) || number[i] == '.'); ++i) {
    if (number[i] == '.') {
      after_point = true;
    } else if (nonzero || number[i] != '0') {
      nonzero = true;
      if (after_point) break;
      ++digits_before_point;
    } else if (after_point) {
      ++zeros_after_point;
    }
  }
  const std::size_t exponent_at = number.find_first_of("eE");
  std::int64_t exponent = 0;
  if (exponent_at != std::string_view::npos) {
    const char* first = number.data() + exponent_at + 1;
    const bool negative = *first == '-';
    if (*first == '+') ++first;
    const auto status = std::from_chars(first, number.data() + number.size(), exponent).ec;
    if (status == std::errc::result_out_of_range) return negative;
  }
  return exponent < zeros_after_point - digits_before_point;
}

/// Converts a Fortran number to C's notation. Its exponent has a D, or a sign without a letter
/// (1.5D+03, 1.5+03).
inline std::string with_exponent_letter(std::string_view token) {
  std::string number(token);
  const std::size_t letter = number.find_first_of("dD");
  if (letter != std::string::npos) {
    number[letter] = 'e';
    return number;
  }
  const std::size_t sign = number.find_first_of("+-", 1);
  if (sign == std::string::npos) return number;
  const char before = number[sign - 1];
  if (is_digit(before) || before == '.') number.insert(sign, 1, 'e');
  return number;
}

/// Reads numbers that std::from_chars rejects: Fortran exponents, and numbers out of range. A
/// number that is too small becomes zero; one that is too large is a fault.
template <class Real>
const char* parse_unusual_real(const char* at, const char* end, Real& value) {
  const std::string_view token = token_at(at, end);
  const std::string number = with_exponent_letter(token);
  const char* const last = number.data() + number.size();
  const auto [stop, status] = std::from_chars(number.data(), last, value);
  if (status == std::errc::invalid_argument || stop != last) fault_in_number(at, end, "number");
  if (status == std::errc::result_out_of_range) {
    if (!is_tiny(number)) {
      constexpr bool single = std::is_same_v<Real, float>;
      fault_too_large(at, end, single ? "float" : "double",
                      single ? "read the matrix with double"
                             : "no scalar type is wider; correct the line or scale the matrix");
    }
    value = number.starts_with('-') ? -Real(0) : Real(0);
  }
  return at + token.size();
}

/// Skips a plus sign before a number, which std::from_chars does not accept.
inline const char* skip_plus(const char* at, const char* end) {
  const bool plus = at != end && *at == '+' && !at_token_end(at + 1, end) && at[1] != '-';
  return plus ? at + 1 : at;
}

/// Reads a decimal number, inf or nan at `at`, rounded to the nearest Real, and moves `at` past it.
template <class Real>
Real parse_real(const char*& at, const char* end) {
  Real value;
  const char* const first = skip_plus(at, end);
  const auto [stop, status] = std::from_chars(first, end, value);
  at = status == std::errc() && at_token_end(stop, end) ? stop
                                                        : parse_unusual_real(first, end, value);
  return value;
}

/// Reads an integer of any length, rounded to the nearest Real, and moves `at` past it.
template <class Real>
Real parse_whole(const char*& at, const char* end) {
  const char* const first = skip_plus(at, end);
  std::int64_t value;
  const auto [stop, status] = std::from_chars(first, end, value);
  if (status == std::errc() && at_token_end(stop, end)) {
    at = stop;
    return static_cast<Real>(value);
  }
  const std::string_view token = token_at(at, end);
  if (token.find_first_not_of("+-0123456789") != std::string_view::npos ||
      token.find_first_of("+-", 1) != std::string_view::npos) {
    fault_in_number(at, end, "whole number");
  }
  return parse_real<Real>(at, end);
}

}  // namespace heddle::files
