// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes of csr/blocks as trees predict them: reading of models, the choice for each block, and
// plans.
#include <sstream>

#include "../../formats/csr/inspect.hpp"
#include "../../formats/csr/parameters.hpp"
#include "../../formats/model/read.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../../testing/format_suite/vectors.hpp"
#include "../support/place_in.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

using LanesType = OnePlanType<SharedFormats>;
using LanesExec = LanesType::Exec;
using LanesPlan = LanesType::Plan<>;

namespace {

int place_of_lane_input(std::string_view name) { return place_in(lane_input_names, name); }

/// Four trees: the first predicts one lane if rows have three nonzeros or fewer in the mean, else
/// eight if their lengths differ and four if not; the others always predict four, two and one.
std::string text_of_blocks(const std::string& device) {
  std::string text =
      "heddle-model 3\ndevice " + device + "\nscalar_bytes 8\nvectors 1\napart 1\nblocks 4\ninputs";
  for (const std::string_view name : lane_input_names) text += " " + std::string(name);
  return text + "\ntree 5\n" + std::to_string(place_of_lane_input("mean_row")) + " 3 1 2\n-1 0\n" +
         std::to_string(place_of_lane_input("row_variance")) +
         " 0 3 4\n-1 2\n-1 3\ntree 1\n-1 2\ntree 1\n-1 1\ntree 1\n-1 0\nend\n";
}
Model model_of(const std::string& text) {
  std::istringstream in(text);
  return read_model(in, "of a test");
}

/// The lanes' code by the trees above: that with most votes, the lowest one of several.
int expected_bits(const Pattern& pattern, std::int64_t first, std::int64_t last) {
  const auto length = [&](std::int64_t row) {
    return pattern.rows[static_cast<std::size_t>(row)].size();
  };
  std::size_t nonzeros = 0;
  bool differ = false;
  for (std::int64_t row = first; row < last; ++row) {
    nonzeros += length(row);
    differ = differ || length(row) != length(first);
  }
  if (nonzeros <= static_cast<std::size_t>(3 * (last - first))) return 0;
  return differ ? 0 : 2;  // votes 3, 2, 1, 0: the lowest; votes 2, 2, 1, 0: 2, which has two
}

}  // namespace

TEST_CASE("learned lanes: trees are read, and what is wrong with them is an Error with its line") {
  const std::string good = text_of_blocks("a GPU");
  const Model model = model_of(good);
  CHECK_FALSE(model.corrects);
  REQUIRE(model.lanes.trees.size() == 4);
  CHECK(model.lanes.trees[0].size() == 5);
  CHECK(model.lanes.trees[0][2].right == 4);
  CHECK(model.lanes.trees[1][0].value == 2);
  for (std::size_t cut = 0; cut + 5 < good.size(); ++cut) {
    CAPTURE(cut);
    CHECK_THROWS_AS(model_of(good.substr(0, cut)), Error);
  }
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::pair<std::string, const char*> wrong[] = {
      {changed("heddle-model 3", "heddle-model 2"), "line 1: it is of another version"},
      {changed("blocks 4", "blocks 0"), "line 6: there are no trees, or too many"},
      {changed("blocks 4", "blocks 256"), "line 6: there are no trees, or too many"},
      {changed("mean_row", "mean"), "line 7: it was learned from other inputs"},
      {changed("tree 5\n6", "tree 5\n11"), "line 9: a tree reads an input that does not exist"},
      {changed("3 1 2", "3 0 2"), "line 9: a child is wrong"},
      {changed("-1 3", "-1 7"), "line 13: a leaf of the tree above names no number of lanes"},
      {changed("-1 3", "-1 1.5"), "line 13: a leaf of the tree above names no number of lanes"},
      {changed("-1 3", "-1 -1"), "line 13: a leaf of the tree above names no number of lanes"}};
  for (const auto& [text, why] : wrong) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(model_of(text), doctest::Contains(why), Error);
  }
}

TEST_CASE("learned lanes: inputs are what their names say") {
  // Rows of 2, 2 and 5 entries of a matrix with ten columns.
  const heddle::detail::csr::LaneInputs inputs =
      heddle::detail::csr::lane_inputs(3, 10, 9, 33, 2, 5);
  const auto input = [&](const char* name) {
    return inputs.of[static_cast<std::size_t>(place_of_lane_input(name))];
  };
  CHECK(input("rows") == 3);
  CHECK(input("columns") == 10);
  CHECK(input("nonzeros") == 9);
  CHECK(input("density") == doctest::Approx(0.3));
  CHECK(input("shortest_row") == 2);
  CHECK(input("longest_row") == 5);
  CHECK(input("mean_row") == 3);
  CHECK(input("row_variance") == doctest::Approx(2));
  CHECK(input("longest_minus_mean") == 2);
  CHECK(input("root_of_mean") == doctest::Approx(std::sqrt(3.0)));
  CHECK(input("row_variation") == doctest::Approx(std::sqrt(2.0) / 3));
  for (const double zero : heddle::detail::csr::lane_inputs(1, 0, 0, 0, 0, 0).of) {
    CHECK(std::isfinite(zero));
  }
}

TEST_CASE("learned lanes: each block gets those that most of the trees say, of its own rows") {
  const LanesExec exec;
  const Model model = model_of(text_of_blocks("a GPU"));
  for (const Pattern& pattern : test_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<LanesType>(exec, pattern);
    using O = LanesType::Ordinal;
    const heddle::detail::csr::RowBlocks<LanesExec, O, LanesType::Offset> blocks(exec, A.matrix(),
                                                                                 7, 40, true);
    const auto table = blocks.table();
    if (table.blocks == 0) continue;
    heddle::detail::csr::learn_lanes(exec, model.lanes, A.matrix().row_ptr().data(),
                                     A.matrix().columns(), table, blocks.lane_bits().data());
    const auto bits = to_host(blocks.lane_bits());
    const auto first = to_host(Kokkos::View<const O*, LanesType::Space, Kokkos::MemoryUnmanaged>(
        table.first, static_cast<std::size_t>(table.blocks + 1)));
    std::int64_t wrong = 0;
    for (std::size_t b = 0; b < bits.size(); ++b) {
      wrong += bits(b) != expected_bits(pattern, first(b), first(b + 1));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("learned lanes: plans of csr/blocks take them from a model that is for them") {
  const LanesExec exec;
  const auto model =
      std::make_shared<const Model>(model_of(text_of_blocks(backends::describe(exec).name)));
  const auto stranger = std::make_shared<const Model>(model_of(text_of_blocks("another GPU")));
  const auto printed = [&](const DeviceMatrix<LanesType>& A, const char* scheme,
                           const std::shared_ptr<const Model>& by) {
    SpmvOptions options{.scheme = Scheme::parse(scheme)};
    options.model = by;
    LanesPlan plan(exec, A.matrix(), options);
    CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
    return plan.scheme().to_string();
  };
  for (const char* name : {"power law", "dense 4 x 4 blocks", "1 x 1"}) {
    CAPTURE(name);
    const auto A = to_device<LanesType>(exec, pattern_named(name));
    const std::string plain = printed(A, "csr/blocks,rows=7,long=40", nullptr);
    CHECK(printed(A, "csr/blocks,rows=7,long=40", stranger) == plain);
    if constexpr (!backends::has_lanes<LanesExec>) {
      CHECK(printed(A, "csr/blocks,rows=7,long=40", model) == plain);
      continue;
    }
    const std::string learned = printed(A, "csr/blocks,rows=7,long=40", model);
    CHECK(learned == "csr/blocks,rows=7,long=40,learned=yes");
    CHECK(printed(A, learned.c_str(), model) == learned);
    CHECK(printed(A, "csr/blocks,rows=7,long=40,learned=no", model) ==
          "csr/blocks,rows=7,long=40,learned=no");
    CHECK(printed(A, "csr/blocks,rows=7,long=40,lanes=2", model) ==
          "csr/blocks,rows=7,long=40,lanes=2");
    for (const auto& none : {std::shared_ptr<const Model>(), stranger}) {
      CHECK_THROWS_WITH_AS(printed(A, learned.c_str(), none),
                           doctest::Contains("needs a model of the lanes of blocks"), Refusal);
    }
    CHECK_THROWS_WITH_AS(printed(A, "csr/blocks,lanes=4,learned=yes", model),
                         doctest::Contains("leave one of them out"), Refusal);
  }
}

TEST_CASE("csr/blocks: lanes that are pinned add up the same, of any number of vectors") {
  const LanesExec exec;
  if (!backends::has_lanes<LanesExec>) return;
  PlanMaker<LanesType> make(exec);
  for (const char* name : {"power law", "dense 4 x 4 blocks", "1 x 1"}) {
    CAPTURE(name);
    const auto A = to_device<LanesType>(exec, pattern_named(name));
    std::vector<Scheme> schemes;
    for (int lanes = 1; lanes <= backends::describe(exec).lanes; lanes *= 2) {
      schemes.push_back(Scheme::parse("csr/blocks,rows=7,long=40,lanes=" + std::to_string(lanes)));
    }
    for (const int count : {1, 3, 33}) {
      vectors_agree(make, A, schemes, {count, {}, true, true});
      vectors_agree(make, A, schemes, {count, {}, false, false});
    }
  }
}

TEST_CASE("learned lanes: a model of nothing else leaves the choice to the formulas") {
  const LanesExec exec;
  const auto A = to_device<LanesType>(exec, pattern_named("power law"));
  SpmvOptions options;
  const LanesPlan plain(exec, A.matrix(), options);
  options.model =
      std::make_shared<const Model>(model_of(text_of_blocks(backends::describe(exec).name)));
  const LanesPlan with_model(exec, A.matrix(), options);
  CHECK(with_model.scheme() == plain.scheme());
  CHECK(with_model.reason() == plain.reason());
}

}  // namespace heddle::test
