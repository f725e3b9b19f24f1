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
  std::vector<std::string> files, generated, sets;
  /// Where the files that a set names are looked for.
  std::string folder = ".";
  std::uint64_t seed = 1;
  /// Orders that every square matrix is run in, beside each other.
  std::vector<std::string> orders{"own"};

  void define(CLI::App& app);
  /// Says on standard error which files a set names and the folder lacks: they are left out. Throws
  /// heddle::Error where nothing is left to run, and where there is no such set.
  std::vector<Source> sources() const;

 private:
  std::vector<Source> matrices() const;
};

/// The generators and their arguments and the sets, a line each.
std::string matrix_help();

}  // namespace heddle::bench
