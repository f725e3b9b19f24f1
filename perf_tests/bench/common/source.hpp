// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

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

}  // namespace heddle::bench
