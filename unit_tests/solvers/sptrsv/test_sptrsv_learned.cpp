// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves whose scheme a model chooses.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../backends/device.hpp"
#include "../../../formats/model/triangles.hpp"
#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../solvers/sptrsv/select/candidates.hpp"
#include "../../../solvers/sptrsv/select/choose.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

using Type = OneTriangleType;
using Exec = Type::Exec;

Device here() { return backends::describe(Exec{}); }

/// A model that gives every triangle these scores.
std::shared_ptr<TriangleModel> model_of(const std::vector<std::pair<std::string, double>>& scores) {
  auto model = std::make_shared<TriangleModel>();
  model->device = here().name;
  model->threads = here().multiprocessors;
  model->scale.fill(1);
  TriangleModel::Layer layer{TriangleModel::terms, {}, {}};
  for (const auto& [scheme, score] : scores) {
    model->schemes.push_back(scheme);
    layer.bias.push_back(score);
  }
  layer.weights.resize(scores.size() * layer.inputs);
  model->layers.push_back(layer);
  return model;
}

bool is_learned(const RankedSolve& one) { return one.likelihood > 0; }

}  // namespace

TEST_CASE("a model's inputs are finite for every triangle, and what they are called") {
  const Exec exec;
  for (const Pattern& pattern : triangle_patterns()) {
    const auto A = triangle_on_device<Type>(exec, pattern);
    const TriangleFeatures features = Type::Plan<>(exec, A.matrix()).features(exec);
    const TriangleInputs inputs = heddle::triangle_inputs(features);
    for (const double input : inputs) CHECK(std::isfinite(input));
    const auto input = [&](std::string_view name) {
      const auto at = std::find(triangle_input_names.begin(), triangle_input_names.end(), name);
      REQUIRE(at != triangle_input_names.end());
      return inputs[static_cast<std::size_t>(at - triangle_input_names.begin())];
    };
    const auto log = [](auto count) { return std::log2(1 + static_cast<double>(count)); };
    CHECK(input("rows_log") == log(features.rows));
    CHECK(input("entries_log") == log(features.entries));
    CHECK(input("max_row_log") == log(features.row_entries.max));
    CHECK(input("cv_row") == features.row_entries.variation);
    CHECK(input("mean_level_rows_log") == log(features.level_rows.mean));
    CHECK(input("cv_level_rows") == features.level_rows.variation);
    CHECK(input("dep_dist") == features.dep_dist);
    CHECK(input("levels_log") == log(features.levels));
  }
}

TEST_CASE("a plan takes what a model takes for the likeliest, if it is likely and legal") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("grid"));
  const Type::Plan<> by_rules(exec, A.matrix());
  const auto plan_with = [&](std::shared_ptr<const TriangleModel> model,
                             std::int64_t applies = 1000) {
    return Type::Plan<>(exec, A.matrix(), {.expected_applies = applies, .model = std::move(model)});
  };
  const auto schemes = heddle::detail::sptrsv::candidates(2500, 4900, 99, here());
  REQUIRE(schemes.size() > 1);
  for (std::size_t i = 0; i < schemes.size(); i += emulated ? 12 : 1) {
    const Scheme& scheme = schemes[i];
    CAPTURE(scheme.to_string());
    const auto model = model_of({{schemes[scheme == schemes[0] ? 1 : 0].to_string(), 1},
                                 {"sptrsv/of-another-version", 9},
                                 {scheme.to_string(), 2}});
    const auto plan = plan_with(model);
    const Type::Plan<> pinned(exec, A.matrix(), {.scheme = scheme});
    CHECK(plan.scheme() == pinned.scheme());
    CHECK(plan.reason().starts_with("as learned on this device"));
    REQUIRE(is_learned(plan.ranking().front()));
    CHECK(plan.ranking().front().likelihood == doctest::Approx(0.880797));
    CHECK(plan.explain().find("levels of 1 to 9 rows") != std::string::npos);
    CHECK(plan.features(exec).levels == 99);
  }
  const Scheme other = by_rules.scheme() == schemes[0] ? schemes[1] : schemes[0];
  const auto rules_decide = [&](const std::shared_ptr<const TriangleModel>& model,
                                std::int64_t applies = 1000) {
    const auto plan = plan_with(model, applies);
    return plan.scheme() == by_rules.scheme() && !is_learned(plan.ranking().front());
  };
  CHECK(rules_decide(model_of({{other.to_string(), -0.1}})));
  CHECK(rules_decide(model_of({{"sptrsv/of-another-version", 9}})));
  CHECK(rules_decide(model_of({})));
  const auto changed = [&](auto change) {
    const auto model = model_of({{other.to_string(), 1}});
    change(*model);
    return model;
  };
  CHECK_FALSE(rules_decide(changed([](TriangleModel&) {})));
  CHECK(rules_decide(changed([](TriangleModel& model) { model.device += " 2"; })));
  CHECK(rules_decide(changed([](TriangleModel& model) { model.scalar_bytes = 4; })));
  CHECK(rules_decide(changed([](TriangleModel& model) { model.vectors = 2; })));
  CHECK(rules_decide(changed([](TriangleModel& model) { ++model.threads; })));
  CHECK(rules_decide(changed([](TriangleModel& model) { model.applies = 1001; })));
}

TEST_CASE("a model's schemes come first in the ranking, each once") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const TriangleFeatures features = Type::Plan<>(exec, A.matrix()).features(exec);
  const auto schemes = heddle::detail::sptrsv::candidates(
      features.rows, features.entries - features.rows, static_cast<int>(features.levels), here());
  std::vector<std::pair<std::string, double>> scores;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    scores.emplace_back(schemes[i].to_string(), static_cast<double>(i) - 1);
  }
  const auto ranking = choose(features, {.model = model_of(scores)}, here());
  const auto learned =
      static_cast<std::size_t>(std::count_if(ranking.begin(), ranking.end(), is_learned));
  CHECK(learned == schemes.size() - 2);  // not scores -1 and 0
  for (std::size_t i = 0; i < learned; ++i) {
    CHECK(ranking[i].scheme == schemes[schemes.size() - 1 - i]);
  }
  for (const RankedSolve& one : ranking) {
    CHECK(std::count_if(ranking.begin(), ranking.end(),
                        [&](const RankedSolve& same) { return same.scheme == one.scheme; }) == 1);
  }
}

}  // namespace heddle::test
