// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::detail {

/// A hash of a row pointer and of columns in their order; nothing where patterns are not compared.
using PatternKey = std::optional<std::uint64_t>;

}  // namespace heddle::detail
