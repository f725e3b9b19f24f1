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
  /// Folder of the files that a set names.
  std::string folder = ".";
  std::uint64_t seed = 1;
  /// Orders in which every square matrix is run.
  std::vector<std::string> orders{"own"};

  void define(CLI::App& app);
  /// Prints on standard error the files that a set names and the folder lacks: they are left out.
  /// Throws heddle::Error if nothing is left to run, or if a set does not exist.
  std::vector<Source> sources() const;

 private:
  std::vector<Source> matrices() const;
};

/// Help for the generators with their arguments and for the sets, one line each.
std::string matrix_help();

}  // namespace heddle::bench
