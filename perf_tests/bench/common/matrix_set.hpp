// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::bench {

/// The source of a matrix: a file, or a generator such as "grid2d:1000,5".
struct Source {
  std::string text;
  bool generated = false;
  /// Order of its rows and columns: "" for its own, "rcm", "degree", "random".
  std::string order = "";

  /// Name in tables: a file's without its folder and usual endings, and the order.
  std::string short_name() const { return stem() + (order.empty() ? "" : " in " + order); }

 private:
  std::string stem() const {
    if (generated) return text;
    std::string name = text.substr(text.find_last_of('/') + 1);
    for (const std::string_view ending : {".xz", ".gz", ".mtx", ".petsc", ".bin"}) {
      if (name.size() > ending.size() && name.ends_with(ending)) {
        name.resize(name.size() - ending.size());
      }
    }
    return name;
  }
};

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

/// The path of this program.
std::filesystem::path this_program();

/// A folder that the program ships, such as "sets": in share/heddle if it is installed, next to the
/// program in a build. It may be missing.
std::filesystem::path shipped_folder(const std::string& name);

}  // namespace heddle::bench
