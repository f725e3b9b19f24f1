// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "../../formats/all_formats.hpp"
#include "../../formats/choose.hpp"
#include "../../formats/definitions.hpp"
#include "../../formats/model/read.hpp"
#include "../support/place_in.hpp"

namespace heddle::test {

namespace {

Device device() {
  Device gpu;
  gpu.name = "a GPU";
  gpu.backend = BackendKind::cuda;
  gpu.lanes = 32;
  gpu.multiprocessors = 100;
  gpu.threads_per_multiprocessor = 2048;
  gpu.bytes_per_second = 3e12;
  gpu.cache_bytes = 50'000'000;
  return gpu;
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

}  // namespace

TEST_CASE("model: trees add up, each by its own inputs, for the schemes of a group") {
  const Model model = parsed(text_of_model());
  CHECK(model.margin == 0.03);
  ModelInputs inputs = matrix_inputs(features(), device(), {});
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
    CHECK(model.is_for(device(), 100, {}, 500));
    CHECK_FALSE(model.is_for(device(), 99, {}, 500));
    CHECK_FALSE(model.is_for(device(), 100, {}, 499));
    CHECK_FALSE(model.is_for(device(), 100, {2}, 500));
    Device other = device();
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
  ModelInputs inputs = matrix_inputs(features(), device(), {});
  const auto input = [&](const char* name) {
    return inputs[static_cast<std::size_t>(place_of_input(name))];
  };
  CHECK(input("rows_log") == doctest::Approx(std::log2(1e6)));
  CHECK(input("mean_row_log") == doctest::Approx(std::log2(5)));
  CHECK(input("longest_over_mean_log") == 0);
  CHECK(input("slots_of_2") == 1);
  CHECK(input("slots_of_32") == 1);
  CHECK(input("x_over_cache_log") == doctest::Approx(std::log2(8e6 / 5e7)));
  CHECK(input("bandwidth_share") == doctest::Approx(2001.0 / 2e6));
  CHECK(input("diagonals_log") == doctest::Approx(std::log2(5)));
  CHECK(input("sectors") == doctest::Approx(0.4));
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
  Device other = device();
  for (const auto& [lanes, height] : {std::pair{1, 32}, {32, 32}, {64, 64}}) {
    other.lanes = lanes;
    CHECK(matrix_inputs(all, other, {})[place] == doctest::Approx((height * 100 + 4) / 5e6));
  }
}

TEST_CASE("model: every input is a number for a matrix without rows") {
  const Features none(
      PatternFeatures{}, [] { return PatternFeatures{}; },
      [](int, int) { return std::int64_t{0}; });
  for (const double input : matrix_inputs(none, device(), {})) CHECK(std::isfinite(input));
}

TEST_CASE("choose: a model decides on its device alone, and the pattern is looked at") {
  const auto model = std::make_shared<const Model>(parsed(text_of_model()));
  const Choice by_formula = choose<AllFormats>(features(), device());
  REQUIRE(by_formula.scheme.format() == "dia");
  ChooseOptions options;
  options.model = model;
  const Choice learned = choose<AllFormats>(features(), device(), options);
  CHECK(model_group(learned.scheme) == "csr/subwarp");
  CHECK(learned.reason.ends_with("as learned on this device"));
  for (const RankedScheme& one : learned.ranking) CHECK_FALSE(one.prediction.lacks_pattern);

  Device other = device();
  other.name = "another GPU";
  CHECK(choose<AllFormats>(features(), other, options).scheme == by_formula.scheme);
  options.sizes.vectors = {8, true};
  const ChooseOptions eight{.sizes = options.sizes};
  CHECK(choose<AllFormats>(features(), device(), options).scheme ==
        choose<AllFormats>(features(), device(), eight).scheme);
}

TEST_CASE("choose: a format that is predicted to gain less than the margin is not taken") {
  Model model = parsed(text_of_model());
  model.groups.clear();
  const auto first = [&](double margin) {
    model.margin = margin;
    ChooseOptions options;
    options.model = std::make_shared<const Model>(model);
    return choose<AllFormats>(features(), device(), options).scheme.format();
  };
  CHECK(first(0) == "dia");
  CHECK(first(10) == "csr");
}

TEST_CASE("model: what is cut, foreign, older or wrong is an Error that names the line") {
  const std::string good = text_of_model(), both = text_of_both();
  CHECK_NOTHROW(parsed(good));
  for (std::size_t cut = 0; cut + 5 < both.size(); cut += 7) {
    CAPTURE(cut);
    CHECK_THROWS_AS(parsed(both.substr(0, cut)), Error);
  }
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto in_triangles = [&](const std::string& from, const std::string& to) {
    std::string text = both;
    return text.replace(text.rfind(from), from.size(), to);
  };
  const std::pair<std::string, const char*> wrong[] = {
      {"%%MatrixMarket matrix\n", "line 1: it is no model"},
      {"", "it is no model"},
      {changed("heddle-model 3", "heddle-model 2"), "line 1: it is of another version"},
      {changed("rows_log", "rows"), "line 9: it was learned from other inputs"},
      {changed(" 3.5 1 2", " 3.5 0 2"), "line 12: a child is wrong"},
      {changed(" 3.5 1 2", " 3.5 1 3"), "line 12: a child is wrong"},
      {changed(" 3.5 1 2", " nan 1 2"), "line 12: a number is missing"},
      {changed("tree 3\n" + std::to_string(place_of_input("lanes_log")), "tree 3\n99"),
       "line 12: a tree reads an input"},
      {changed("tree 1", "tree 0"), "a tree has no nodes"},
      {good.substr(0, good.find("products")) + "end\n", "it holds no model of products"},
      {in_triangles("dep_dist", "distance"), "it was learned from other inputs"},
      {in_triangles("scale 1", "scale 0"), "the scale of an input is not above zero"},
      {in_triangles("layer 3", "layer 0"), "a layer has no neurons"},
      {in_triangles("layer 2", "layer 9999"), "a layer has no neurons, or too many"},
      {in_triangles("neuron 0 1 -1 0", "neuron 0 1 -1"), "a number is missing"},
      {in_triangles("neuron 0 1 -1 0", "neuron 0 1 inf 0"), "a number is missing"},
      {in_triangles("scheme sptrsv/level-set\n", ""), "there is no \"scheme\""},
      {in_triangles("scheme sptrsv/level-set\n", "scheme ,,\n"), "it names no scheme"}};
  for (const auto& [text, why] : wrong) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(parsed(text), doctest::Contains(why), Error);
  }
  CHECK_THROWS_WITH_AS(read_model("no/such.model"), doctest::Contains("cannot be read"), Error);
}

}  // namespace heddle::test
