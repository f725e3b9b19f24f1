// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format_under_test.hpp"

#include <cstdio>

namespace heddle::test {

bool FormatUnderTest::take(int argc, char** argv) {
  const std::string option = "--format=";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind(option, 0) == 0) word_ = argument.substr(option.size());
  }
  std::string words;
  bool found = false;
  TestedFormats::for_each([&](auto format) {
    const std::string word = tested_as<decltype(format)>();
    words += " " + word;
    if (word != word_) return;
    name = format.name;
    found = true;
  });
  if (!found) std::fprintf(stderr, "--format= takes one of:%s\n", words.c_str());
  return found;
}

SchemeGrammar FormatUnderTest::grammar(const Device& device) {
  SchemeGrammar grammar(name, {}, {});
  use([&](auto format) { grammar = format.grammar(device); });
  return grammar;
}

std::vector<Scheme> FormatUnderTest::candidates(const Features& features, const Device& device) {
  std::vector<Scheme> schemes;
  use([&](auto format) { schemes = format.candidates(features, device); });
  return schemes;
}

std::vector<Scheme> FormatUnderTest::in_place_candidates(const Features& features,
                                                         const Device& device) {
  std::vector<Scheme> schemes;
  use([&](auto format) {
    schemes = Formats<decltype(format)>::in_place_candidates(features, device);
  });
  return schemes;
}

Prediction FormatUnderTest::predict(const Scheme& scheme, const Features& features,
                                    const Device& device, const Sizes& sizes) {
  Prediction prediction;
  use([&](auto format) {
    prediction = Formats<decltype(format)>::predict(scheme, features, device, sizes);
  });
  return prediction;
}

bool FormatUnderTest::applies(Op op, const Scheme& scheme) {
  bool applies = false;
  use([&](auto format) { applies = format.applies(op, scheme); });
  return applies;
}

}  // namespace heddle::test
