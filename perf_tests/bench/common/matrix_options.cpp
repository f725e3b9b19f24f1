// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "../../../core/error.hpp"
#include "../../../testing/generate.hpp"
#include "matrix_set.hpp"

namespace heddle::bench {

void MatrixOptions::define(CLI::App& app) {
  app.add_option("--matrix", files,
                 "Matrix files: Matrix Market (.mtx, also .gz and .xz) or PETSc binary")
      ->type_name("FILE");
  app.add_option("--generate", generated, "Generated matrices; see below")->type_name("KIND:ARGS");
  app.add_option("--set", sets, "Sets of matrices, by name (see below) or file")->type_name("NAME");
  app.add_option("--folder", folder, "Folder of the files of a set")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--seed", seed,
                 "Seed of generated matrices, of vectors, and of values that a file lacks")
      ->capture_default_str();
  app.add_option(
         "--order", orders,
         "Orders of rows and columns, one run for each: own, rcm (reverse Cuthill-McKee), degree, "
         "random")
      ->check(CLI::IsMember({"own", "rcm", "degree", "random"}))
      ->capture_default_str();
}

std::vector<Source> MatrixOptions::sources() const {
  std::vector<Source> all;
  for (const Source& source : matrices()) {
    for (const std::string& order : orders) {
      all.push_back({source.text, source.generated, order == "own" ? "" : order});
    }
  }
  return all;
}

std::vector<Source> MatrixOptions::matrices() const {
  std::vector<Source> all;
  for (const auto& text : files) all.push_back({text, false});
  for (const auto& text : generated) all.push_back({text, true});
  for (const auto& name : sets) {
    const MatrixSet set = read_set(name, folder);
    all.insert(all.end(), set.sources.begin(), set.sources.end());
    if (set.missing.empty()) continue;
    std::cerr << "set " << name << ": " << set.missing.size() << " not found in " << folder << ":";
    for (const auto& matrix : set.missing) std::cerr << ' ' << matrix;
    std::cerr << '\n';
  }
  if (all.empty()) {
    throw Error("no matrix is given",
                "give --matrix FILE or --generate KIND:ARGS or --set NAME --folder DIR");
  }
  return all;
}

namespace {

std::string help_line(std::string left, const std::string& right) {
  left.resize(std::max<std::size_t>(left.size() + 1, 34), ' ');
  return "  " + left + right + "\n";
}

}  // namespace

std::string matrix_help() {
  std::string text = "generators:\n";
  for (const auto& g : test::generators()) {
    text += help_line(g.name + ":" + g.arguments, g.description);
  }
  text += "\nsets:\n";
  for (const auto& set : known_sets()) text += help_line(set.name, set.description);
  return text;
}

}  // namespace heddle::bench
