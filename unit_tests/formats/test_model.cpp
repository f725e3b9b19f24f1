// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learned models: of products, of triangular solves, and of the lanes of csr/blocks; what they
// choose, and plans by them.
#include <cmath>
#include <set>
#include <sstream>

#include "../../formats/csr/inspect.hpp"
#include "../../formats/csr/parameters.hpp"
#include "../../formats/definitions.hpp"
#include "../../formats/inspect/definitions.hpp"
#include "../../formats/model/read.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/choose_csr.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Type = OnePlanType<SharedFormats>;
using Exec = Type::Exec;

/// The place of a name in a list, which must have it.
template <class Names>
int place_in(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  REQUIRE(found != names.end());
  return static_cast<int>(found - names.begin());
}

/// Features of a matrix of five diagonals.
Features features() {
  PatternFeatures all;
  all.rows = all.columns = 1'000'000;
  all.nonzeros = 5'000'000;
  all.shortest_row = all.longest_row = 5;
  all.slice_slots = all.nonzeros;
  all.group_slots = {all.nonzeros, all.nonzeros, all.nonzeros, all.nonzeros};
  all.lower_bandwidth = all.upper_bandwidth = 1000;
  all.diagonals = 5;
  return Features(all, [all] { return all; }, [](int, int) { return std::int64_t{2'000'000}; });
}

int place_of_input(std::string_view name) { return place_in(model_input_names, name); }

std::string inputs() {
  std::string text = "inputs";
  for (const std::string_view name : model_input_names) text += " " + std::string(name);
  return text + "\n";
}

/// The model gives csr/subwarp 1 / e of the time with eight lanes or fewer and e times it with
/// more, and dia e^3 times it.
std::string text_of_model() {
  return "heddle-model 3\ndevice a GPU\nscalar_bytes 8\nvectors 1\napart 1\nproducts\nshare "
         "1\nmargin "
         "0.03\n" +
         inputs() + "group csr/subwarp 2\ntree 3\n" + std::to_string(place_of_input("lanes_log")) +
         " 3.5 1 2\n-1 -1.5\n-1 0.5\ntree 1\n-1 0.5\ngroup dia 1\ntree 1\n-1 3\nend\n";
}

std::string repeated(const std::string& word, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += " " + word;
  return text;
}

/// The model gives scheme a its dep_dist - 0.5, and scheme b 2 - 2 x rows_log^2 / 100.
std::string text_of_triangles() {
  constexpr std::size_t terms = TriangleModel::terms;
  std::string text = "triangles 100 500\ninputs";
  for (const std::string_view name : triangle_input_names) text += " " + std::string(name);
  text += "\ncenter" + repeated("0", 8) + " 0.5" + repeated("0", terms - 9);
  text += "\nscale" + repeated("1", 10) + " 100" + repeated("1", terms - 11);
  text += "\nlayer 3\nneuron 0" + repeated("0", 8) + " 1" + repeated("0", terms - 9);
  text += "\nneuron 0" + repeated("0", 8) + " -1" + repeated("0", terms - 9);
  text += "\nneuron 0" + repeated("0", 10) + " 2" + repeated("0", terms - 11);
  text += "\nlayer 2\nneuron 0 1 -1 0\nneuron 2 0 0 -1\n";
  return text + "scheme sptrsv/level-set\nscheme sptrsv/self-scheduled,lanes=4,warps=8\nend\n";
}
/// A model of triangles alone.
std::string text_without_products() {
  const std::string all = text_of_model();
  return all.substr(0, all.find("products")) + text_of_triangles();
}
/// A model of products and of triangles.
std::string text_of_both() {
  const std::string all = text_of_model();
  return all.substr(0, all.find("end\n")) + text_of_triangles();
}

Model parsed(const std::string& text) {
  std::istringstream in(text);
  return read_model(in, "of a test");
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// Every part of a good text is an Error, and so is each of the wrong ones, with the reason beside
/// it.
void check_wrong(const std::string& good, std::size_t step,
                 const std::vector<std::pair<std::string, const char*>>& wrong) {
  CHECK_NOTHROW(parsed(good));
  for (std::size_t cut = 0; cut + 5 < good.size(); cut += step) {
    CAPTURE(cut);
    CHECK_THROWS_AS(parsed(good.substr(0, cut)), Error);
  }
  for (const auto& [text, why] : wrong) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(parsed(text), doctest::Contains(why), Error);
  }
}

}  // namespace

TEST_CASE("model: trees add up, each by its own inputs, for the schemes of a group") {
  const Model model = parsed(text_of_model());
  CHECK(model.margin == 0.03);
  ModelInputs inputs = matrix_inputs(features(), gpu(32), {});
  const auto factor = [&](const char* scheme) {
    set_scheme_inputs(inputs, scheme, 1e-5);
    return model.factor(scheme, inputs);
  };
  CHECK(factor("csr/scalar") == doctest::Approx(std::exp(-1.0)));
  CHECK(factor("csr/subwarp=8") == doctest::Approx(std::exp(-1.0)));
  CHECK(factor("csr/subwarp=16") == doctest::Approx(std::exp(1.0)));
  CHECK(factor("dia") == doctest::Approx(std::exp(3.0)));
  CHECK(factor("coo") == 1);
  Model half = model;
  half.share = 0.5;
  set_scheme_inputs(inputs, "dia", 1e-5);
  CHECK(half.factor("dia", inputs) == doctest::Approx(std::exp(1.5)));
}

TEST_CASE("model: of triangles, layers say of each scheme whether it is near the best") {
  for (const std::string& text : {text_without_products(), text_of_both()}) {
    std::istringstream in(text);
    const TriangleModel model = read_triangle_model(in, "of a test");
    CHECK(model.threads == 100);
    CHECK(model.applies == 500);
    REQUIRE(model.schemes ==
            std::vector<std::string>{"sptrsv/level-set", "sptrsv/self-scheduled,lanes=4,warps=8"});
    TriangleInputs inputs{};
    inputs[0] = 10, inputs[8] = 0.75;
    CHECK(model.scores(inputs) == std::vector<double>{0.25, 0});
    inputs[0] = 5, inputs[8] = 0;
    CHECK(model.scores(inputs) == std::vector<double>{-0.5, 1.5});
    CHECK(TriangleModel::likelihood(0) == 0.5);
    CHECK(model.is_for(gpu(32), 100, {}, 500));
    CHECK_FALSE(model.is_for(gpu(32), 99, {}, 500));
    CHECK_FALSE(model.is_for(gpu(32), 100, {}, 499));
    CHECK_FALSE(model.is_for(gpu(32), 100, {2}, 500));
    Device other = gpu(32);
    other.name = "another GPU";
    CHECK_FALSE(model.is_for(other, 100, {}, 500));
  }
  CHECK(parsed(text_of_both()).groups.size() == 2);
  CHECK_THROWS_WITH_AS(parsed(text_without_products()),
                       doctest::Contains("holds no model of products"), Error);
  std::istringstream products(text_of_model());
  CHECK_THROWS_WITH_AS(read_triangle_model(products, "of a test"),
                       doctest::Contains("holds no model of triangular solves"), Error);
  CHECK_THROWS_WITH_AS(read_triangle_model("no/such.model"), doctest::Contains("cannot be read"),
                       Error);
}

TEST_CASE("model: inputs are what their names say") {
  ModelInputs inputs = matrix_inputs(features(), gpu(32), {});
  const auto input = [&](const char* name) {
    return inputs[static_cast<std::size_t>(place_of_input(name))];
  };
  const std::pair<const char*, double> expected[] = {
      {"rows_log", std::log2(1e6)},
      {"mean_row_log", std::log2(5)},
      {"longest_over_mean_log", 0},
      {"slots_of_2", 1},
      {"slots_of_32", 1},
      {"x_over_cache_log", std::log2(8e6 / (60 << 20))},
      {"bandwidth_share", 2001.0 / 2e6},
      {"diagonals_log", std::log2(5)},
      {"sectors", 0.4}};
  for (const auto& [name, value] : expected) CHECK(input(name) == doctest::Approx(value));
  set_scheme_inputs(inputs, "blocked-ell/sigma=256,lanes=4", 4e-6);
  CHECK(input("lanes_log") == 2);
  CHECK(input("sigma_log") == 8);
  CHECK(input("predicted_log") == 2);
  set_scheme_inputs(inputs, "bcsr/3x3", 4e-6);
  CHECK(input("block") == 3);
  CHECK(input("lanes_log") == 0);
}

TEST_CASE("model: sectors are those of the rows that a warp takes together, 32 at least") {
  const PatternFeatures known = features().pattern();
  const Features all(
      known, [known] { return known; },
      [](int height, int width) { return std::int64_t{height * 100 + width}; });
  const auto place = static_cast<std::size_t>(place_of_input("sectors"));
  Device other = gpu(32);
  for (const auto& [lanes, height] : {std::pair{1, 32}, {32, 32}, {64, 64}}) {
    other.lanes = lanes;
    CHECK(matrix_inputs(all, other, {})[place] == doctest::Approx((height * 100 + 4) / 5e6));
  }
}

TEST_CASE("model: sectors of x are those of the rows that a warp or wavefront takes together") {
  const Exec exec;
  const Device device = backends::describe(exec);
  const std::int64_t rows = 300;
  const Pattern pattern =
      random_pattern("scattered", 5, rows, 700, [](std::int64_t i) { return i % 9; });
  const auto sectors_of_slices = [&](std::int64_t height) {
    std::int64_t sectors = 0;
    for (std::int64_t first = 0; first < rows; first += height) {
      std::set<std::int64_t> seen;
      for (std::int64_t row = first; row < std::min(rows, first + height); ++row) {
        for (const auto column : pattern.rows[static_cast<std::size_t>(row)]) {
          seen.insert(column / 4);
        }
      }
      sectors += static_cast<std::int64_t>(seen.size());
    }
    return static_cast<double>(sectors) / static_cast<double>(pattern.nonzeros());
  };
  REQUIRE(sectors_of_slices(64) < sectors_of_slices(32));
  const auto A = to_device<Type>(exec, pattern);
  const auto matrix = A.matrix();  // features refer to it
  const Features features = features_of(exec, matrix, row_features(exec, matrix));
  const ModelInputs inputs = matrix_inputs(features, device, {});
  CHECK(inputs[static_cast<std::size_t>(place_in(model_input_names, "sectors"))] ==
        doctest::Approx(sectors_of_slices(device.lanes == 64 ? 64 : 32)));
}

TEST_CASE("model: every input is a number for a matrix without rows") {
  const Features none(
      PatternFeatures{}, [] { return PatternFeatures{}; },
      [](int, int) { return std::int64_t{0}; });
  for (const double input : matrix_inputs(none, gpu(32), {})) CHECK(std::isfinite(input));
}

TEST_CASE("choose: a model decides on its device alone, and the pattern is looked at") {
  const auto model = std::make_shared<const Model>(parsed(text_of_model()));
  const Choice by_formula = choose<AllFormats>(features(), gpu(32));
  REQUIRE(by_formula.scheme.format() == "dia");
  ChooseOptions options;
  options.model = model;
  const Choice learned = choose<AllFormats>(features(), gpu(32), options);
  CHECK(model_group(learned.scheme) == "csr/subwarp");
  CHECK(learned.reason.ends_with("as learned on this device"));
  for (const RankedScheme& one : learned.ranking) CHECK_FALSE(one.prediction.lacks_pattern);

  Device other = gpu(32);
  other.name = "another GPU";
  CHECK(choose<AllFormats>(features(), other, options).scheme == by_formula.scheme);
  options.sizes.vectors = {8, true};
  const ChooseOptions eight{.sizes = options.sizes};
  CHECK(choose<AllFormats>(features(), gpu(32), options).scheme ==
        choose<AllFormats>(features(), gpu(32), eight).scheme);
}

TEST_CASE("choose: a format that is predicted to gain less than the margin is not taken") {
  Model model = parsed(text_of_model());
  model.groups.clear();
  const auto first = [&](double margin) {
    model.margin = margin;
    ChooseOptions options;
    options.model = std::make_shared<const Model>(model);
    return choose<AllFormats>(features(), gpu(32), options).scheme.format();
  };
  CHECK(first(0) == "dia");
  CHECK(first(10) == "csr");
}

TEST_CASE("model: what is cut, foreign, older or wrong is an Error that names the line") {
  const std::string good = text_of_model(), both = text_of_both();
  const auto in_triangles = [&](const std::string& from, const std::string& to) {
    std::string text = both;
    return text.replace(text.rfind(from), from.size(), to);
  };
  check_wrong(
      both, 7,
      {{"%%MatrixMarket matrix\n", "line 1: it is no model"},
       {"", "it is no model"},
       {changed(good, "heddle-model 3", "heddle-model 2"), "line 1: it is of another version"},
       {changed(good, "rows_log", "rows"), "line 9: it was learned from other inputs"},
       {changed(good, " 3.5 1 2", " 3.5 0 2"), "line 12: a child is wrong"},
       {changed(good, " 3.5 1 2", " 3.5 1 3"), "line 12: a child is wrong"},
       {changed(good, " 3.5 1 2", " nan 1 2"), "line 12: a number is missing"},
       {changed(good, "tree 3\n" + std::to_string(place_of_input("lanes_log")), "tree 3\n99"),
        "line 12: a tree reads an input"},
       {changed(good, "tree 1", "tree 0"), "a tree has no nodes"},
       {good.substr(0, good.find("products")) + "end\n", "it holds no model of products"},
       {in_triangles("dep_dist", "distance"), "it was learned from other inputs"},
       {in_triangles("scale 1", "scale 0"), "the scale of an input is not above zero"},
       {in_triangles("layer 3", "layer 0"), "a layer has no neurons"},
       {in_triangles("layer 2", "layer 9999"), "a layer has no neurons, or too many"},
       {in_triangles("neuron 0 1 -1 0", "neuron 0 1 -1"), "a number is missing"},
       {in_triangles("neuron 0 1 -1 0", "neuron 0 1 inf 0"), "a number is missing"},
       {in_triangles("scheme sptrsv/level-set\n", ""), "there is no \"scheme\""},
       {in_triangles("scheme sptrsv/level-set\n", "scheme ,,\n"), "it names no scheme"}});
  CHECK_THROWS_WITH_AS(read_model("no/such.model"), doctest::Contains("cannot be read"), Error);
}

namespace {
int place_of_lane_input(std::string_view name) { return place_in(lane_input_names, name); }

/// Four trees: the first predicts one lane if rows have three nonzeros or fewer in the mean,
/// else eight if their lengths differ and four if not; the others always predict four, two and
/// one.
std::string text_of_blocks(const std::string& device) {
  std::string text =
      "heddle-model 3\ndevice " + device + "\nscalar_bytes 8\nvectors 1\napart 1\nblocks 4\ninputs";
  for (const std::string_view name : lane_input_names) text += " " + std::string(name);
  return text + "\ntree 5\n" + std::to_string(place_of_lane_input("mean_row")) + " 3 1 2\n-1 0\n" +
         std::to_string(place_of_lane_input("row_variance")) +
         " 0 3 4\n-1 2\n-1 3\ntree 1\n-1 2\ntree 1\n-1 1\ntree 1\n-1 0\nend\n";
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
  const Model model = parsed(good);
  CHECK_FALSE(model.corrects);
  REQUIRE(model.lanes.trees.size() == 4);
  CHECK(model.lanes.trees[0].size() == 5);
  CHECK(model.lanes.trees[0][2].right == 4);
  CHECK(model.lanes.trees[1][0].value == 2);
  check_wrong(
      good, 1,
      {{changed(good, "heddle-model 3", "heddle-model 2"), "line 1: it is of another version"},
       {changed(good, "blocks 4", "blocks 0"), "line 6: there are no trees, or too many"},
       {changed(good, "blocks 4", "blocks 256"), "line 6: there are no trees, or too many"},
       {changed(good, "mean_row", "mean"), "line 7: it was learned from other inputs"},
       {changed(good, "tree 5\n6", "tree 5\n11"),
        "line 9: a tree reads an input that does not exist"},
       {changed(good, "3 1 2", "3 0 2"), "line 9: a child is wrong"},
       {changed(good, "-1 3", "-1 7"),
        "line 13: a leaf of the tree above names no number of lanes"},
       {changed(good, "-1 3", "-1 1.5"),
        "line 13: a leaf of the tree above names no number of lanes"},
       {changed(good, "-1 3", "-1 -1"),
        "line 13: a leaf of the tree above names no number of lanes"}});
}

TEST_CASE("learned lanes: inputs are what their names say") {
  // Rows of 2, 2 and 5 entries of a matrix with ten columns.
  const heddle::detail::csr::LaneInputs inputs =
      heddle::detail::csr::lane_inputs(3, 10, 9, 33, 2, 5);
  const std::pair<const char*, double> expected[] = {{"rows", 3},
                                                     {"columns", 10},
                                                     {"nonzeros", 9},
                                                     {"density", 0.3},
                                                     {"shortest_row", 2},
                                                     {"longest_row", 5},
                                                     {"mean_row", 3},
                                                     {"row_variance", 2},
                                                     {"longest_minus_mean", 2},
                                                     {"root_of_mean", std::sqrt(3.0)},
                                                     {"row_variation", std::sqrt(2.0) / 3}};
  for (const auto& [name, value] : expected) {
    CHECK(inputs.of[static_cast<std::size_t>(place_of_lane_input(name))] == doctest::Approx(value));
  }
  for (const double zero : heddle::detail::csr::lane_inputs(1, 0, 0, 0, 0, 0).of) {
    CHECK(std::isfinite(zero));
  }
}

TEST_CASE("learned lanes: each block gets those that most of the trees say, of its own rows") {
  const Exec exec;
  const Model model = parsed(text_of_blocks("a GPU"));
  for (const Pattern& pattern : test_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<Type>(exec, pattern);
    using O = Type::Ordinal;
    const heddle::detail::csr::RowBlocks<Exec, O, Type::Offset> blocks(exec, A.matrix(), 7, 40,
                                                                       true);
    const auto table = blocks.table();
    if (table.blocks == 0) continue;
    heddle::detail::csr::learn_lanes(exec, model.lanes, A.matrix().row_ptr().data(),
                                     A.matrix().columns(), table, blocks.lane_bits().data());
    const auto bits = to_host(blocks.lane_bits());
    const auto first = to_host(Kokkos::View<const O*, Type::Space, Kokkos::MemoryUnmanaged>(
        table.first, static_cast<std::size_t>(table.blocks + 1)));
    std::int64_t wrong = 0;
    for (std::size_t b = 0; b < bits.size(); ++b) {
      wrong += bits(b) != expected_bits(pattern, first(b), first(b + 1));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("learned lanes: plans of csr/blocks take them from a model that is for them") {
  const Exec exec;
  const auto model =
      std::make_shared<const Model>(parsed(text_of_blocks(backends::describe(exec).name)));
  const auto stranger = std::make_shared<const Model>(parsed(text_of_blocks("another GPU")));
  const auto printed = [&](const DeviceMatrix<Type>& A, const char* scheme,
                           const std::shared_ptr<const Model>& by) {
    SpmvOptions options{.scheme = Scheme::parse(scheme)};
    options.model = by;
    Type::Plan<> plan(exec, A.matrix(), options);
    CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
    return plan.scheme().to_string();
  };
  for (const char* name : {"power law", "dense 4 x 4 blocks", "1 x 1"}) {
    CAPTURE(name);
    const auto A = to_device<Type>(exec, pattern_named(name));
    const std::string plain = printed(A, "csr/blocks,rows=7,long=40", nullptr);
    CHECK(printed(A, "csr/blocks,rows=7,long=40", stranger) == plain);
    if constexpr (!backends::has_lanes<Exec>) {
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

TEST_CASE("learned lanes: a model of nothing else leaves the choice to the formulas") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  SpmvOptions options;
  const Type::Plan<> plain(exec, A.matrix(), options);
  options.model =
      std::make_shared<const Model>(parsed(text_of_blocks(backends::describe(exec).name)));
  const Type::Plan<> with_model(exec, A.matrix(), options);
  CHECK(with_model.scheme() == plain.scheme());
  CHECK(with_model.reason() == plain.reason());
}

}  // namespace heddle::test
