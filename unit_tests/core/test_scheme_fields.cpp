// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/scheme_grammar.hpp"

using heddle::Device;
using heddle::Scheme;
using heddle::SchemeFields;
using heddle::SchemeNumbers;

namespace {

enum class Sweep { two, atomics };
enum class Loop { row, four };

struct OfFormat {
  std::optional<int> beta;
  std::optional<std::int64_t> sigma;
  std::optional<Sweep> sweep;

  void list(SchemeFields& fields, const Device& device) {
    fields.add(beta, {.key = "beta", .numbers = {256, 1024, true}});
    fields.add(sigma, {.key = "sigma",
                       .words = {"none"},
                       .numbers = {1, 4096},
                       .fallback = "none",
                       .examples = {"64"}});
    if (!device.has_lanes()) fields.add(sweep, {.key = "sweep", .words = {"two", "atomics"}});
  }
};

struct OfKernels {
  std::optional<int> lanes;
  std::optional<bool> sorted;
  std::optional<Loop> loop;
  std::optional<std::int64_t> rows;
  bool blocks = false;

  void list(SchemeFields& fields, const Device&) {
    fields.add(sorted, {.key = "sorted", .words = {"no", "yes"}});
    fields.kernel(lanes, {.key = "subwarp", .numbers = {2, 8, true}, .fallback = ""});
    fields.add(loop, {.key = "loop", .words = {"row", "four"}});
    blocks = fields.kernel("<1..8>x<1..8>", {"2x2"});
    fields.add(rows, {.key = "rows", .numbers = {1, SchemeNumbers::any}, .examples = {"7"}});
    fields.add(loop, {.key = "loop", .words = {"row", "four"}});
  }
};

Device gpu() {
  Device device;
  device.lanes = 32;
  return device;
}

}  // namespace

TEST_CASE("fields: one list is the grammar, reads a scheme and prints it") {
  const auto grammar = heddle::grammar_from<OfFormat>("csb", Device());
  CHECK(grammar.usage() == "csb/[beta=256|512|1024],[sigma=none|<1..4096>],[sweep=two|atomics]");
  CHECK(heddle::grammar_from<OfFormat>("csb", gpu()).usage() ==
        "csb/[beta=256|512|1024],[sigma=none|<1..4096>]");
  CHECK(grammar.parameters[1].examples == std::vector<std::string>{"64"});

  for (const Scheme& scheme : heddle::variants_of(grammar)) {
    CAPTURE(scheme.to_string());
    const auto read = heddle::parameters_of<OfFormat>(scheme, Device());
    CHECK(heddle::scheme_with(scheme, read, Device()) == scheme);
  }
  auto read = heddle::parameters_of<OfFormat>("csb/sigma=none,sweep=atomics,beta=auto", Device());
  CHECK(!read.beta);
  CHECK(read.sigma == 0);
  CHECK(read.sweep == Sweep::atomics);
  CHECK(!heddle::parameters_of<OfFormat>("csb/sweep=atomics", gpu()).sweep);
  read.beta = 512;
  read.sigma = 1000;
  CHECK(heddle::scheme_with("csb/sigma=none,sweep=atomics", read, Device()).to_string() ==
        "csb/beta=512,sigma=1000,sweep=atomics");
  CHECK_THROWS_WITH_AS(heddle::parameters_of<OfFormat>("csb/beta=many", Device()),
                       doctest::Contains("beta is not an integer"), heddle::Error);
}

TEST_CASE("fields: what follows a kernel is its own") {
  const auto grammar = heddle::grammar_from<OfKernels>("csr", Device());
  CHECK(grammar.usage() ==
        "csr/subwarp=2|4|8,[sorted=no|yes],[loop=row|four], "
        "csr/<1..8>x<1..8>,[sorted=no|yes],[rows=<n>],[loop=row|four]");
  for (const Scheme& scheme : heddle::variants_of(grammar)) {
    CAPTURE(scheme.to_string());
    const auto read = heddle::parameters_of<OfKernels>(scheme, Device());
    CHECK(read.blocks == (scheme.kernel() == "2x2"));
    CHECK(read.lanes.has_value() == scheme.has("subwarp"));
    CHECK(heddle::scheme_with(scheme, read, Device()) == scheme);
  }
  // Parameters in any order are printed in the grammar's; other kernels' are ignored.
  auto read = heddle::parameters_of<OfKernels>("csr/loop=four,sorted=yes,subwarp=4", Device());
  CHECK(read.lanes == 4);
  CHECK(read.sorted == true);
  CHECK(read.loop == Loop::four);
  read.rows = 9;
  CHECK(heddle::scheme_with("csr/loop=four,sorted=yes,subwarp=4", read, Device()).to_string() ==
        "csr/subwarp=4,sorted=yes,loop=four");
}
