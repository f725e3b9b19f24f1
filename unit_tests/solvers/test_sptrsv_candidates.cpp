// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <set>

#include "../../solvers/sptrsv/select/candidates.hpp"
#include "../../solvers/sptrsv/select/choose.hpp"

namespace heddle::test {
namespace {

using heddle::detail::sptrsv::candidates;

Device gpu_that_waits() {
  Device device;
  device.backend = BackendKind::cuda;
  device.lanes = 32;
  device.waits_make_progress = true;
  return device;
}

struct Shape {
  std::int64_t rows, entries;
  int levels;
};

constexpr Shape shapes[] = {{0, 0, 0},
                            {1, 0, 1},
                            {1000, 999, 1000},
                            {1000000, 2000000, 1999},
                            {100000, 5000000, 50},
                            {4000000, 1000, 2}};

TEST_CASE("candidates are concrete, legal and different, and at most 60") {
  Device cpu;
  cpu.backend = BackendKind::host;
  cpu.multiprocessors = 4;
  Device portable = gpu_that_waits();
  portable.waits_make_progress = false;
  for (const Device& device : {gpu_that_waits(), cpu, portable}) {
    const SchemeGrammar legal = heddle::detail::sptrsv::grammar(device);
    for (const Shape& shape : shapes) {
      const auto found = candidates(shape.rows, shape.entries, shape.levels, device);
      CHECK(!found.empty());
      CHECK(found.size() <= 60);
      CHECK(std::set<Scheme>(found.begin(), found.end()).size() == found.size());
      for (const Scheme& scheme : found) {
        CAPTURE(scheme.to_string());
        CHECK_NOTHROW(parse_scheme(scheme.to_string(), std::span(&legal, 1)));
        for (const SchemeTerm& term : scheme.terms()) CHECK(term.value != scheme_auto);
      }
    }
  }
}

TEST_CASE("candidates have every kernel of a GPU, and what differs from blocks in one parameter") {
  const auto found = candidates(100000, 700000, 900, gpu_that_waits());
  std::set<std::string> kernels;
  for (const Scheme& scheme : found) kernels.insert(scheme.terms().front().key);
  CHECK(kernels == std::set<std::string>{"blocks", "self-scheduled", "level-set", "in-order"});
  const Scheme& base = found.front();
  CHECK(base.terms().front().key == "blocks");
  std::set<std::string> alphas;
  for (const Scheme& scheme : found) {
    if (!scheme.has("alpha") ||
        heddle::detail::sptrsv::with(scheme, "alpha", base.value("alpha")) != base)
      continue;
    alphas.insert(scheme.value("alpha"));
  }
  CHECK(alphas == std::set<std::string>{"0", "2", "4", "8", "inf"});
}

TEST_CASE("rows are not merged where most levels are wide and rows short") {
  using heddle::detail::sptrsv::choose_by_levels;
  const Scheme blocks("sptrsv", {{"blocks"}}), alone("sptrsv", {{"self-scheduled"}});
  std::vector<std::int64_t> wide{0};
  for (int level = 1; level <= 10; ++level) wide.push_back(level * 1000);
  const std::vector<std::int64_t> few{0, 2000, 4000, 5000}, one_wide{0, 9000, 9010, 9020};
  CHECK(choose_by_levels(blocks, wide, 40000, 1) == alone);
  CHECK(choose_by_levels(blocks, wide, 50000, 1) == blocks);
  CHECK(choose_by_levels(blocks, wide, 40000, 2) == blocks);
  CHECK(choose_by_levels(blocks, few, 20000, 1) == Scheme("sptrsv", {{"in-order"}}));
  CHECK(choose_by_levels(blocks, one_wide, 9020, 1) == blocks);
  CHECK(choose_by_levels(blocks, {0}, 0, 1) == blocks);
  CHECK(choose_by_levels(alone, one_wide, 9020, 1) == alone);
}

}  // namespace
}  // namespace heddle::test
