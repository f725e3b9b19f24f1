// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

namespace heddle::test {

/// The place of a name in a list, which must have it.
template <class Names>
int place_in(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  REQUIRE(found != names.end());
  return static_cast<int>(found - names.begin());
}

}  // namespace heddle::test
