// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "../../core/error.hpp"

namespace heddle::test {

/// The error that a call throws; the test fails if it throws none.
template <class E = Error, class Call>
E error_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error;
  }
  FAIL("no error was thrown");
  return E("", "");
}

/// Whether a text has a part.
inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline bool mentions(const Error& error, const std::string& part) {
  return mentions(std::string(error.what()), part);
}

}  // namespace heddle::test
