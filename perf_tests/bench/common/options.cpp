// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "../../../core/error.hpp"
#include "../../../testing/generate.hpp"

namespace heddle::bench {

void MatrixOptions::define(CLI::App& app) {
  app.add_option("--matrix", files,
                 "Matrix files: Matrix Market (.mtx, also .gz and .xz) or PETSc binary")
      ->type_name("FILE");
  app.add_option("--generate", generated, "Generated matrices; see below")->type_name("KIND:ARGS");
  app.add_option(
         "--set", sets,
         "Sets of matrices, by name (see below) or file. A line with a colon is a generator's "
         "text, any other a file")
      ->type_name("NAME");
  app.add_option("--folder", folder,
                 "Folder of the files of a set: GROUP/NAME is looked for as GROUP/NAME/NAME, "
                 "GROUP/NAME, NAME/NAME and NAME, as .mtx, .mtx.xz, .mtx.gz or .petsc")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--seed", seed,
                 "Seed of generated matrices, of vectors, and of values that a file lacks")
      ->capture_default_str();
  app.add_option(
         "--order", orders,
         "Orders of rows and columns, one run for each: own, rcm (reverse Cuthill-McKee), degree, "
         "random. Matrices that are not square are left out of all but own")
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

std::string timing_help() {
  return "times:\n" +
         help_line("unsteady:", "marks times that spread by over 25 %: do not compare them") +
         help_line("HEDDLE_BENCH_ARRAY_MB", "of the environment: the MB of each of triad's arrays");
}

std::string check_seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0';
  return number && std::isfinite(value) && value > 0
             ? ""
             : "\"" + text + "\" is no number of seconds above 0";
}

void RunOptions::define(CLI::App& app) {
  matrices.define(app);
  app.add_option("--repeat", repetitions, "Maximal number of repetitions; the median is reported")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--precision", precision,
                 "Repeat until the median has this relative precision with 95 % confidence")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option(
         "--budget", budget_seconds,
         "Seconds after which a contestant is not repeated further (at least 10 repetitions)")
      ->check(CLI::Validator(check_seconds, "SECONDS"))
      ->capture_default_str();
  app.add_flag("--flush", flush, "Overwrite the caches before every repetition");
  app.add_flag("--no-verify", no_verify, "Do not check the results");
  app.add_option(
         "--json", json_path,
         "Also write the results here. Rewritten after every matrix; a pipe is written once, "
         "at the end")
      ->type_name("FILE");
  app.add_option("--csv", csv_path,
                 "Also write the results here, one line for each contestant. Rewritten after every "
                 "matrix; a pipe is written once, at the end")
      ->type_name("FILE");
  app.add_option("--commit", commit, "Commit to name in the results")->type_name("HASH");
}

void ContestOptions::define_contest(CLI::App& app, const std::string& about_schemes) {
  app.add_option("--scheme", schemes, about_schemes)->type_name("SCHEME")->capture_default_str();
  app.add_option("--baseline", baselines,
                 "Libraries to compare with, by name or family (kk, cusparse, cusparse-bsr, ...), "
                 "or \"all\" or "
                 "\"none\"")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--scalar", scalar, "float, double, cfloat or cdouble")->capture_default_str();
  app.add_option("--offset", offset_bits, "Bits of a row pointer's entry: 32 or 64")
      ->capture_default_str();
}

void ContestOptions::define_columns(CLI::App& app, const std::string& vectors) {
  app.add_option("--columns", columns, "Columns of " + vectors)
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option(
         "--layout", layout,
         "Layout of several columns: left (a column's entries side by side) or right (a row's)")
      ->check(CLI::IsMember({"left", "right"}))
      ->capture_default_str();
}

void ChoiceOptions::define_choice(CLI::App& app, const std::string& about_model,
                                  const std::string& about_measure) {
  app.add_option("--model", model_path, about_model)->envname("HEDDLE_MODEL");
  app.add_option("--measure", measure_seconds, about_measure)->check(CLI::NonNegativeNumber);
  app.add_option("--cache", cache, "File that keeps the results of --measure")
      ->envname("HEDDLE_CACHE");
  app.add_flag("--explain", explain, "Print why \"auto\" selects its scheme");
}

}  // namespace heddle::bench
