// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "source.hpp"

namespace heddle::bench {

/// Matrices that are run together: perf_tests/sets/NAME.txt, or any file like those.
struct MatrixSet {
  std::vector<Source> sources;
  /// What the set names and the folder lacks.
  std::vector<std::string> missing;
};

/// Reads a set: a matrix a line, "#" and what follows it left out. What has a colon is a
/// generator's text; anything else names a file, which is looked for in `folder` by the name of
/// SuiteSparse, GROUP/NAME or NAME: as GROUP/NAME/NAME, GROUP/NAME, NAME/NAME and NAME, each with
/// the ending .mtx, .mtx.xz, .mtx.gz or .petsc, or as it is. `name` is that of a set that
/// came with the program, or a file. Throws heddle::Error where there is no such set.
MatrixSet read_set(const std::string& name, const std::string& folder);

struct KnownSet {
  std::string name, description;
};

/// The sets that came with the program, by name, with the first line of each; none where they are
/// gone.
std::vector<KnownSet> known_sets();

}  // namespace heddle::bench
