// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace heddle::test {

/// The path of a tuning cache without a file, which is removed at the end.
struct CacheFile {
  std::string path;
  explicit CacheFile(std::string name) : path(std::move(name)) { std::remove(path.c_str()); }
  ~CacheFile() { std::remove(path.c_str()); }
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  std::string text() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  auto lines() const {
    const std::string all = text();
    return std::count(all.begin(), all.end(), '\n');
  }
  /// The key of its only line.
  std::string key() const {
    REQUIRE(lines() == 1);
    const std::string line = text();
    const std::size_t begin = line.find('\t', line.find('\t') + 1) + 1;
    return line.substr(begin, line.find('\t', begin) - begin);
  }
};

/// Whether a plan's explanation has these words.
template <class Plan, class... Of>
bool says(const Plan& plan, const std::string& words, const Of&... of) {
  INFO(plan.explain(of...));
  return plan.explain(of...).find(words) != std::string::npos;
}

}  // namespace heddle::test
