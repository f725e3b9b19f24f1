// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle::bench {

/// Where a matrix comes from: a file, or a generator such as "grid2d:1000,5".
struct Source {
  std::string text;
  bool generated = false;
  /// Its rows and columns are put in: "" as they are, "rcm", "degree", "random".
  std::string order = "";

  /// For tables: a file without its folder and its usual endings, and its order.
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

}  // namespace heddle::bench
