// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contest_options.hpp"

#include <CLI/CLI.hpp>

namespace heddle::bench {

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

}  // namespace heddle::bench
