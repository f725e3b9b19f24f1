// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/systems.hpp"

namespace heddle::test {

struct Generator {
  std::string name, arguments, description;
};

/// What `generate` knows, for help texts.
const std::vector<Generator>& generators();

/// The pattern that a text like "grid3d:100,27" names, the columns of a row ascending; the same for
/// the same seed everywhere. Throws heddle::Error where the text names none.
Pattern generate(const std::string& text, std::uint64_t seed);
/// The same with values, if the text names a system that has its own.
Assembled generate_system(const std::string& text, std::uint64_t seed);

}  // namespace heddle::test
