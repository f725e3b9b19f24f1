// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <heddle/sptrsv.hpp>
#include <set>

#include "../../../solvers/sptrsv/select/candidates.hpp"

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

/// Features of levels with these numbers of rows.
TriangleFeatures features_of(const std::vector<std::int64_t>& levels, std::int64_t off_diagonal) {
  TriangleFeatures features;
  features.dep_dist = 1;
  for (const std::int64_t rows : levels) {
    features.rows += rows;
    features.wide_levels += rows >= TriangleFeatures::wide_level ? 1 : 0;
  }
  features.levels = static_cast<std::int64_t>(levels.size());
  features.entries = features.rows + off_diagonal;
  return features;
}

/// The kernels by rank. Each must occur once, concrete and with a reason.
std::vector<std::string> ranks(const TriangleFeatures& features,
                               const SptrsvOptions& options = {}) {
  const Device device = gpu_that_waits();
  const SchemeGrammar legal = heddle::detail::sptrsv::grammar(device);
  std::vector<std::string> kernels;
  for (const RankedSolve& ranked : choose(features, options, device)) {
    CAPTURE(ranked.scheme.to_string());
    CHECK_NOTHROW(resolve(ranked.scheme, std::span(&legal, 1)));
    for (const SchemeTerm& term : ranked.scheme.terms()) CHECK(term.value != scheme_auto);
    CHECK(ranked.scheme.terms().size() > 1);
    CHECK(!ranked.reason.empty());
    kernels.push_back(ranked.scheme.terms().front().key);
  }
  CHECK(std::set<std::string>(kernels.begin(), kernels.end()).size() == 4);
  return kernels;
}

TEST_CASE(
    "a GPU's choice is a value: rows are not merged where most levels are wide, and rows short or "
    "levels full") {
  const std::vector<std::int64_t> wide(10, 1000), few{2000, 2000, 1000}, one_wide{9000, 10, 10};
  SptrsvOptions four, five, seldom;
  four.vectors = ExpectedVectors{4};
  five.vectors = ExpectedVectors{5};
  seldom.expected_applies = 49;
  CHECK(ranks(features_of(wide, 40000)) ==
        std::vector<std::string>{"self-scheduled", "blocks", "in-order", "level-set"});
  CHECK(ranks(features_of(wide, 40000), four).front() == "self-scheduled");
  CHECK(ranks(features_of(wide, 40000), five).front() == "blocks");
  CHECK(ranks(features_of(few, 20000), five).front() == "in-order");
  for (const std::int64_t longest : {2047, 2048}) {
    TriangleFeatures hub = features_of(wide, 40000), in_few = features_of(few, 20000);
    hub.row_entries.max = in_few.row_entries.max = longest;
    CHECK(ranks(hub).front() == (longest < 2048 ? "self-scheduled" : "blocks"));
    CHECK(ranks(in_few).front() == "in-order");
  }
  CHECK(ranks(features_of(few, 20000)) ==
        std::vector<std::string>{"in-order", "self-scheduled", "blocks", "level-set"});
  CHECK(ranks(features_of(one_wide, 9020), seldom).front() == "self-scheduled");
  const std::vector<std::int64_t> narrow(1600, 10);
  CHECK(ranks(features_of(narrow, 64000), seldom).front() == "blocks");
  seldom.expected_applies = 34;
  CHECK(ranks(features_of(narrow, 64000), seldom).front() == "self-scheduled");
}

TEST_CASE("a GPU's choice is a value: nothing is merged where that makes no path shorter") {
  SptrsvOptions many, eight;
  many.expected_applies = 1000000;
  eight.vectors = ExpectedVectors{8};
  for (const SptrsvOptions& options : {SptrsvOptions(), many, eight}) {
    CHECK(ranks(features_of({}, 0), options).front() == "in-order");
    CHECK(ranks(features_of({1}, 0), options).front() == "in-order");
    CHECK(ranks(features_of({500}, 0), options).front() == "in-order");
    const std::vector<std::int64_t> levels(40, 10), wide(40, 1000);
    CHECK(ranks(features_of(levels, 390), options).front() == "blocks");
    CHECK(ranks(features_of(wide, 39000), options).front() == "self-scheduled");
    CHECK(ranks(features_of({2000, 20, 20}, 1000), options).front() == "blocks");
  }
  // Wide in the mean: one level has nearly all rows.
  CHECK(ranks(features_of({9000, 10, 10}, 9020)).front() == "in-order");
}

TEST_CASE("a GPU's choice is a value: rows in the user's order where they need rows far above") {
  SptrsvOptions five, seldom;
  five.vectors = ExpectedVectors{5};
  seldom.expected_applies = 1;
  const std::vector<std::int64_t> narrow(100, 500);
  const auto far = [&](double dep_dist, std::int64_t longest) {
    TriangleFeatures features = features_of(narrow, 50000);
    features.dep_dist = dep_dist;
    features.row_entries.max = longest;
    return features;
  };
  CHECK(ranks(far(0.0049, 9)) ==
        std::vector<std::string>{"in-order", "blocks", "self-scheduled", "level-set"});
  CHECK(ranks(far(0.0049, 9), seldom).front() == "in-order");
  CHECK(ranks(far(0.0049, 9), five).front() == "blocks");
  CHECK(ranks(far(0.005, 9)).front() == "blocks");
  CHECK(ranks(far(0.0049, 10)).front() == "blocks");
}

TEST_CASE("a CPU's choice is a value: threads where a second one may have work") {
  Device cpu;
  cpu.backend = BackendKind::host;
  cpu.multiprocessors = 4;
  TriangleFeatures large, small;
  large.rows = 20000, large.entries = 60000;
  small.rows = 10000, small.entries = 20000;
  const auto first = [&](const TriangleFeatures& features, int threads) {
    SptrsvOptions options;
    options.threads = threads;
    return choose(features, options, cpu).front().scheme.to_string();
  };
  CHECK(first(large, 0) == "sptrsv/point-to-point");
  CHECK(first(large, 1) == "sptrsv/sequential");
  CHECK(first(small, 0) == "sptrsv/sequential");
  cpu.multiprocessors = 1;
  CHECK(first(large, 0) == "sptrsv/sequential");
  CHECK(first(large, 2) == "sptrsv/point-to-point");
  large.shared_rows = 10001, small.shared_rows = 5001;
  CHECK(first(large, 2) == "sptrsv/supernodes");
  CHECK(first(large, 1) == "sptrsv/supernodes,schedule=sequential");
  CHECK(first(small, 2) == "sptrsv/supernodes,schedule=sequential");
  large.shared_rows = 10000;
  CHECK(first(large, 2) == "sptrsv/point-to-point");
  Device portable = gpu_that_waits();
  portable.waits_make_progress = false;
  CHECK(choose(large, {}, portable).front().scheme == Scheme("sptrsv", {{"level-set"}}));
}

}  // namespace
}  // namespace heddle::test
