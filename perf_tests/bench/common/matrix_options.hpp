// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source.hpp"

namespace CLI {
class App;
}

namespace heddle::bench {

/// Options of every operation that runs over matrices.
struct MatrixOptions {
  std::vector<std::string> files, generated;
  std::uint64_t seed = 1;

  void define(CLI::App& app);
  /// Throws heddle::Error where there are none.
  std::vector<Source> sources() const;
};

/// The generators and their arguments, a line each.
std::string generator_help();

}  // namespace heddle::bench
