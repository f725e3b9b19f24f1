// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "table.hpp"

// Names of an operation's own schemes, which are not schemes of plans but have descriptions.
namespace heddle::bench {

/// Throws Error if a name that is asked for is neither known nor one of the words.
template <class Known>
void check_names(const std::vector<std::string>& asked, const std::string& what,
                 const std::vector<std::string>& words, const std::vector<Known>& known) {
  std::vector<std::string> names = words;
  for (const Known& one : known) names.push_back(one.name);
  for (const std::string& name : asked) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string list;
    for (const std::string& one : names) list += (list.empty() ? "" : ", ") + one;
    throw Error("\"" + name + "\" is no " + what, "use one of " + list);
  }
}

/// Prints names and descriptions for `heddle-bench list`.
template <class Known>
void list_names(std::ostream& out, const std::string& title, const std::vector<Known>& known) {
  out << title << ":\n";
  for (const Known& one : known) {
    out << format("  %-20s%s\n", one.name.c_str(), one.description.c_str());
  }
  out << '\n';
}

}  // namespace heddle::bench
