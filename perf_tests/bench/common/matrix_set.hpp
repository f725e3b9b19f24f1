// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "source.hpp"

namespace heddle::bench {

/// Matrices that are run together: perf_tests/sets/NAME.txt, or any file like those.
struct MatrixSet {
  std::vector<Source> sources;
  /// Files that the set names and the folder lacks.
  std::vector<std::string> missing;
};

/// Reads a set: one matrix a line; "#" begins a comment. A text with a colon is a generator's; any
/// other names a file in `folder` by its SuiteSparse name, GROUP/NAME or NAME, which is searched as
/// GROUP/NAME/NAME, GROUP/NAME, NAME/NAME and NAME, each with the ending .mtx, .mtx.xz, .mtx.gz or
/// .petsc, or as it is. `name` is a set that the program ships, or a file. Throws heddle::Error if
/// there is no such set.
MatrixSet read_set(const std::string& name, const std::string& folder);

struct KnownSet {
  std::string name, description;
};

/// The sets that the program ships: names, and the first line of each; empty if they are missing.
std::vector<KnownSet> known_sets();

}  // namespace heddle::bench
