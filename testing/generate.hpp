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

/// The generators that `generate` knows, for help texts.
const std::vector<Generator>& generators();

/// Generates the pattern that a text like "grid3d:100,27" names, with ascending columns in each
/// row; the same everywhere for the same seed. Throws heddle::Error if the text names none.
Pattern generate(const std::string& text, std::uint64_t seed);
/// Generates a pattern as `generate`, with values if the text names a system that has its own.
Assembled generate_system(const std::string& text, std::uint64_t seed);

}  // namespace heddle::test
