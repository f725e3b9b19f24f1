// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "error.hpp"

namespace heddle::detail {

/// An enumerator, and the word or sentence that it is printed as.
template <class E>
struct Word {
  E value;
  const char* word;
};

/// The words of all enumerators of E, in their order: specialized beside each enum.
template <class E>
inline constexpr std::nullptr_t words{};

template <class E>
concept HasWords =
    std::is_enum_v<E> && std::is_array_v<std::remove_reference_t<decltype(words<E>)>>;

/// The words of E.
template <HasWords E>
[[gnu::cold]] std::vector<std::string> word_list() {
  std::vector<std::string> list;
  for (const auto& [value, word] : words<E>) list.emplace_back(word);
  return list;
}

/// The words of E as a remedy names them: 'lower' or 'upper'.
template <HasWords E>
[[gnu::cold]] std::string known_words(const char* quote = "'") {
  std::string text;
  constexpr std::size_t count = std::size(words<E>);
  for (std::size_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : i + 1 == count ? " or " : ", ";
    text += std::string(quote) + words<E>[i].word + quote;
  }
  return text;
}

/// The enumerator of a word. Throws Error for an unknown word, which names the option and lists the
/// words that there are.
template <HasWords E>
E value_of(const char* option, std::string_view word) {
  for (const auto& [value, known] : words<E>) {
    if (word == known) return value;
  }
  throw Error(std::string(option) + " is '" + std::string(word) + "'", "give " + known_words<E>());
}

}  // namespace heddle::detail

namespace heddle {

/// The word or sentence that an enumerator is printed as.
template <detail::HasWords E>
constexpr const char* name(E value) {
  for (const auto& [known, word] : detail::words<E>) {
    if (value == known) return word;
  }
  return "?";
}

}  // namespace heddle
