// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, ConvertRequest& r) {
  r.define_contest(app,
                   "Schemes to make plans of, or \"all\" (candidates for the matrix, blocks of "
                   "--block, and transpose), or \"transpose\"");
  app.add_option("--block", r.block, "Rows and columns of the blocks that libraries convert to")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  app.add_flag("--check", r.check, "Plans look for columns out of range, too");
  r.define(app);
}

int run(const ConvertRequest& request, const std::vector<std::string>& words) {
  Json settings;
  settings["block"] = request.block;
  settings["check"] = request.check;
  return run_contest("convert", request, settings, print_conversions, words);
}

void list(std::ostream& out) { list_baselines<ConvertRequest>(out, "convert"); }

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench convert --generate grid2d:1000\n"
    "  heddle-bench convert --set real-judge --folder DIR --scheme transpose bcsr/2x2 --block "
    "2\n\n";

}  // namespace

Operation convert_operation() {
  return contest_operation<ConvertRequest>(
      "convert", "From CSR into every format, beside the conversions of other libraries", define,
      run, conversions_help() + examples, list);
}

}  // namespace heddle::bench
