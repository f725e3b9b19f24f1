// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace heddle {

/// An input of a model: its name in files and runs, and the function that computes it.
template <class Of>
struct ModelInput {
  std::string_view name;
  double (*of)(const Of&);
};

/// The names in some tables, one table after the other.
template <class... Tables>
constexpr auto names_of(const Tables&... tables) {
  std::array<std::string_view, (std::tuple_size_v<Tables> + ...)> names;
  std::size_t at = 0;
  const auto add = [&](const auto& table) {
    for (const auto& input : table) names[at++] = input.name;
  };
  (add(tables), ...);
  return names;
}

template <class Of, std::size_t n>
std::array<double, n> inputs_of(const std::array<ModelInput<Of>, n>& table, const Of& of) {
  std::array<double, n> inputs;
  for (std::size_t i = 0; i < n; ++i) inputs[i] = table[i].of(of);
  return inputs;
}

namespace detail {

template <class Number>
double log2_of(Number number) {
  const auto value = static_cast<double>(number);
  return std::log2(value > 1e-6 ? value : 1e-6);
}
template <class Number>
double log2_of_one_more(Number count) {
  return std::log2(1 + static_cast<double>(count));
}

}  // namespace detail

}  // namespace heddle
