// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The features of a triangle, against counts of the host, and the schemes that rules, candidates, a
// model and presets make of them.
#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <sstream>

#include "../../../formats/model/triangles.hpp"
#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../solvers/sptrsv/select/choose.hpp"
#include "../../../testing/events.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

using Type = OneTriangleType;
using Exec = Type::Exec;

Spread spread_of(const std::vector<std::int64_t>& counts) {
  if (counts.empty()) return {};
  const auto n = static_cast<double>(counts.size());
  Spread spread;
  for (const std::int64_t count : counts) {
    spread.mean += static_cast<double>(count) / n;
    spread.max = std::max(spread.max, count);
  }
  double variance = 0;
  for (const std::int64_t count : counts) {
    variance += std::pow(static_cast<double>(count) - spread.mean, 2) / n;
  }
  spread.variation = std::sqrt(variance) / spread.mean;
  return spread;
}

/// The columns of a row below the diagonal, in their order.
std::vector<std::int64_t> below(const Pattern& pattern, std::int64_t i) {
  const auto row = pattern.rows[static_cast<std::size_t>(i)];
  std::vector<std::int64_t> columns(row.begin(), row.end());
  std::erase_if(columns, [&](std::int64_t j) { return j >= i; });
  return columns;
}

/// The features of the lower triangle of a pattern, row by row.
TriangleFeatures count_features(const Pattern& pattern) {
  TriangleFeatures features;
  const auto n = static_cast<std::int64_t>(pattern.rows.size());
  std::vector<std::int64_t> entries, level, level_rows, level_entries;
  std::set<std::int64_t> with_hubs;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t count = 1, above = 0, nearest = 0;
    for (const std::int64_t j : pattern.rows[static_cast<std::size_t>(i)]) {
      if (j >= i) continue;
      ++count;
      above = std::max(above, level[static_cast<std::size_t>(j)] + 1);
      nearest = nearest ? std::min(nearest, i - j) : i - j;
    }
    entries.push_back(count);
    level.push_back(above);
    const auto l = static_cast<std::size_t>(above);
    if (l == level_rows.size()) {
      level_rows.push_back(0);
      level_entries.push_back(0);
    }
    ++level_rows[l];
    level_entries[l] += count;
    if (count >= 100) {
      ++features.hub_rows;
      features.hub_entries += count;
      with_hubs.insert(above);
    }
    if (nearest) features.dep_dist += 1 / static_cast<double>(nearest) / static_cast<double>(n);
    // A row shares its columns if it needs the row before it, once, and the columns of that one.
    std::vector<std::int64_t> row = below(pattern, i);
    if (std::count(row.begin(), row.end(), i - 1) != 1) continue;
    row.erase(std::find(row.begin(), row.end(), i - 1));
    features.shared_rows += row == below(pattern, i - 1) ? 1 : 0;
  }
  features.rows = n;
  features.entries = std::accumulate(entries.begin(), entries.end(), std::int64_t{0});
  features.row_entries = spread_of(entries);
  features.levels = static_cast<std::int64_t>(level_rows.size());
  features.level_rows = spread_of(level_rows);
  features.level_entries = spread_of(level_entries);
  features.hub_levels = static_cast<std::int64_t>(with_hubs.size());
  std::int64_t chain = 0;
  for (const std::int64_t rows : level_rows) {
    features.wide_levels += rows >= 1000 ? 1 : 0;
    const auto digits = std::to_string(rows).size();
    ++features.levels_by_width[std::min<std::size_t>(digits, 5) - 1];
    features.chain_levels += rows == 1 ? 1 : 0;
    chain = rows == 1 ? chain + 1 : 0;
    features.longest_chain = std::max(features.longest_chain, chain);
  }
  return features;
}

Pattern transposed(const Pattern& pattern) {
  std::vector<std::vector<std::int64_t>> rows(pattern.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::int64_t j : pattern.rows[i]) {
      rows[static_cast<std::size_t>(j)].push_back(static_cast<std::int64_t>(i));
    }
  }
  Pattern result{pattern.name + ", transposed", pattern.columns, {}};
  for (const auto& row : rows) result.rows.push_back(row);
  return result;
}

/// Compares features of a plan on a device; only CPUs search for rows that share their columns.
template <class Exec>
void check_same(const Exec&, const TriangleFeatures& is, const TriangleFeatures& should) {
  const auto about = [](double value) { return doctest::Approx(value).epsilon(1e-8); };
  const auto check_spread = [&](const Spread& a, const Spread& b) {
    CHECK(a.mean == about(b.mean));
    CHECK(a.max == b.max);
    CHECK(a.variation == about(b.variation));
  };
  CHECK(is.rows == should.rows);
  CHECK(is.entries == should.entries);
  CHECK(is.levels == should.levels);
  check_spread(is.row_entries, should.row_entries);
  check_spread(is.level_rows, should.level_rows);
  check_spread(is.level_entries, should.level_entries);
  CHECK(is.wide_levels == should.wide_levels);
  CHECK(is.levels_by_width == should.levels_by_width);
  CHECK(is.chain_levels == should.chain_levels);
  CHECK(is.longest_chain == should.longest_chain);
  CHECK(is.hub_rows == should.hub_rows);
  CHECK(is.hub_entries == should.hub_entries);
  CHECK(is.hub_levels == should.hub_levels);
  CHECK(is.dep_dist == about(should.dep_dist));
  CHECK(is.shared_rows == (heddle::detail::ordered::on_threads<Exec> ? should.shared_rows : 0));
}

std::string printed(const TriangleFeatures& features) {
  std::ostringstream text;
  text.precision(17);
  text << features;
  return text.str();
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("triangle features agree with a serial count", T, serial_count) {
  const typename T::Exec exec;
  for (const Pattern& lower : triangle_patterns()) {
    const Pattern upper = reversed(lower);
    const TriangleFeatures expected = count_features(lower);
    // Features of the transpose: of a lower triangle it is an upper one, in reverse order.
    const TriangleFeatures expected_transposed = count_features(reversed(transposed(lower)));
    for (const bool is_upper : {false, true}) {
      const auto A = triangle_on_device<T>(exec, is_upper ? upper : lower);
      CAPTURE(A.name);
      const Triangle triangle = is_upper ? Triangle::upper : Triangle::lower;
      const typename T::template Plan<> plan(exec, A.matrix(), {.triangle = triangle});
      check_same(exec, plan.features(exec), expected);
      check_same(exec, plan.features(exec, Op::conjugate), expected);
      check_same(exec, plan.features(exec, Op::transpose), expected_transposed);
      CHECK(printed(plan.features(exec)) == printed(plan.features(exec)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(serial_count, TriangleTypes);

TEST_CASE("triangle features: what is outside of the triangle does not count") {
  const Exec exec;
  const Pattern lower = triangle_named("grid");
  Pattern both{"both", lower.columns, {}};
  for (std::size_t i = 0; i < lower.rows.size(); ++i) {
    const auto from = lower.rows[i];
    std::vector<std::int64_t> row(from.begin(), from.end());
    for (std::int64_t j = static_cast<std::int64_t>(i) + 1; j < lower.columns; j += 700) {
      row.push_back(j);
    }
    both.rows.push_back(row);
  }
  const auto A = triangle_on_device<Type>(exec, both);
  const Type::Plan<> plan(exec, A.matrix(), {.ignore_outside = true});
  check_same(exec, plan.features(exec), count_features(lower));
}

TEST_CASE("triangle features: neighbours of a grid need each other, those of a shuffled one not") {
  const Exec exec;
  const std::int64_t side = 200, n = side * side;
  const auto features = [&](const Pattern& pattern) {
    const auto A = triangle_on_device<Type>(exec, pattern);
    return Type::Plan<>(exec, A.matrix()).features(exec);
  };
  const auto neighbours = [&](std::int64_t i) {
    std::vector<std::int64_t> near;
    if (i >= side) near.push_back(i - side);
    if (i % side > 0) near.push_back(i - 1);
    if (i % side < side - 1) near.push_back(i + 1);
    if (i + side < n) near.push_back(i + side);
    return near;
  };
  const auto grid = lower_pattern("grid", n, [&](std::int64_t i) {
    auto row = neighbours(i);
    std::erase_if(row, [&](std::int64_t j) { return j > i; });
    return row;
  });
  const TriangleFeatures of_grid = features(grid);
  CHECK(of_grid.dep_dist > 0.99);
  CHECK(of_grid.dep_dist < 1);
  CHECK(of_grid.levels == 2 * side - 1);

  std::vector<std::int64_t> place(static_cast<std::size_t>(n)), point(place.size());
  std::iota(place.begin(), place.end(), std::int64_t{0});
  Random random(3);
  for (std::size_t i = 1; i < place.size(); ++i) {
    std::swap(place[i],
              place[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
  }
  for (std::size_t i = 0; i < place.size(); ++i) {
    point[static_cast<std::size_t>(place[i])] = static_cast<std::int64_t>(i);
  }
  const auto shuffled = lower_pattern("shuffled", n, [&](std::int64_t i) {
    std::vector<std::int64_t> row;
    for (const std::int64_t near : neighbours(point[static_cast<std::size_t>(i)])) {
      const std::int64_t j = place[static_cast<std::size_t>(near)];
      if (j < i) row.push_back(j);
    }
    return row;
  });
  const TriangleFeatures of_shuffled = features(shuffled);
  CHECK(of_shuffled.dep_dist > 0);
  CHECK(of_shuffled.dep_dist < 0.01);
  CHECK(of_shuffled.levels < 60);
}

TEST_CASE("triangle features: widths of levels by decades, and chains") {
  TriangleFeatures features;
  const std::int64_t rows[] = {1, 1, 9, 10, 99, 100, 999, 1, 1, 1, 1000, 9999, 10000, 123456789, 1};
  heddle::detail::sptrsv::count_widths(features, rows);
  CHECK(features.levels_by_width == std::array<std::int64_t, 5>{7, 2, 2, 2, 2});
  CHECK(features.wide_levels == 4);
  CHECK(features.chain_levels == 6);
  CHECK(features.longest_chain == 3);
}

TEST_CASE("triangle features: everything is labelled, and one copy comes back") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const Type::Plan<> plan(exec, A.matrix());
  const Recording recording;
  plan.features(exec);
  CHECK(strangers(recording.seen()) == "");
  CHECK(count(recording.seen(), Event::copy) <= 1);
}

namespace {

using heddle::detail::sptrsv::candidates;
using heddle::detail::sptrsv::expanded;
using heddle::detail::sptrsv::Preset;
using heddle::detail::sptrsv::presets;

Device gpu_that_waits() {
  Device device;
  device.backend = BackendKind::cuda;
  device.lanes = 32;
  device.waits_make_progress = true;
  return device;
}

}  // namespace

TEST_CASE("candidates are concrete, legal and different, and at most 60") {
  Device cpu;
  cpu.backend = BackendKind::host;
  cpu.multiprocessors = 4;
  Device portable = gpu_that_waits();
  portable.waits_make_progress = false;
  for (const Device& device : {gpu_that_waits(), cpu, portable}) {
    const SchemeGrammar legal = heddle::detail::sptrsv::grammar(device);
    for (const auto& [rows, entries, levels] :
         {std::tuple(0, 0, 0), std::tuple(1, 0, 1), std::tuple(1000, 999, 1000),
          std::tuple(1000000, 2000000, 1999), std::tuple(100000, 5000000, 50),
          std::tuple(4000000, 1000, 2)}) {
      const auto found = candidates(rows, entries, levels, device);
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

namespace {

/// Features of levels with these numbers of rows; the longest row has `longest` entries.
TriangleFeatures features_of(const std::vector<std::int64_t>& levels, std::int64_t off_diagonal,
                             std::int64_t longest = 0, double dep_dist = 1) {
  TriangleFeatures features;
  for (const std::int64_t rows : levels) {
    features.rows += rows;
    features.wide_levels += rows >= TriangleFeatures::wide_level ? 1 : 0;
  }
  features.levels = static_cast<std::int64_t>(levels.size());
  features.entries = features.rows + off_diagonal;
  features.row_entries.max = longest;
  features.dep_dist = dep_dist;
  return features;
}

}  // namespace

TEST_CASE("a GPU's choice is a value of features and options") {
  using Kernels = std::vector<std::string>;
  struct Choice {
    const char* why;
    TriangleFeatures features;
    SptrsvOptions options;
    Kernels first;  ///< the first kernels of the ranking
  };
  const SptrsvOptions one{}, four{.vectors = {.count = 4}}, five{.vectors = {.count = 5}},
      eight{.vectors = {.count = 8}}, once{.expected_applies = 1}, seldom{.expected_applies = 34},
      often{.expected_applies = 49}, always{.expected_applies = 1000000};
  const auto equal = [](std::size_t levels, std::int64_t rows) {
    return std::vector<std::int64_t>(levels, rows);
  };
  const std::vector<std::int64_t> few{2000, 2000, 1000}, one_wide{9000, 10, 10};
  const Kernels unmerged{"self-scheduled"}, merged{"blocks"}, in_order{"in-order"};
  std::vector<Choice> choices = {
      {"wide levels and short rows are not merged",
       features_of(equal(10, 1000), 40000),
       one,
       {"self-scheduled", "blocks", "in-order", "level-set"}},
      {"nor for four vectors", features_of(equal(10, 1000), 40000), four, unmerged},
      {"they are for five", features_of(equal(10, 1000), 40000), five, merged},
      {"short of a hub", features_of(equal(10, 1000), 40000, 2047), one, unmerged},
      {"a hub", features_of(equal(10, 1000), 40000, 2048), one, merged},
      {"few levels",
       features_of(few, 20000),
       one,
       {"in-order", "self-scheduled", "blocks", "level-set"}},
      {"few levels, five vectors", features_of(few, 20000), five, in_order},
      {"few levels, short of a hub", features_of(few, 20000, 2047), one, in_order},
      {"few levels, a hub", features_of(few, 20000, 2048), one, in_order},
      {"wide in the mean: one level has nearly all rows", features_of(one_wide, 9020), one,
       in_order},
      {"one wide level, few applies", features_of(one_wide, 9020), often, unmerged},
      {"narrow levels", features_of(equal(1600, 10), 64000), often, merged},
      {"too few applies to merge", features_of(equal(1600, 10), 64000), seldom, unmerged},
      {"rows far above are needed: the user's order",
       features_of(equal(100, 500), 50000, 9, 0.0049),
       one,
       {"in-order", "blocks", "self-scheduled", "level-set"}},
      {"also once", features_of(equal(100, 500), 50000, 9, 0.0049), once, in_order},
      {"not for five vectors", features_of(equal(100, 500), 50000, 9, 0.0049), five, merged},
      {"not if rows are nearer", features_of(equal(100, 500), 50000, 9, 0.005), one, merged},
      {"not if rows are longer", features_of(equal(100, 500), 50000, 10, 0.0049), one, merged}};
  // Nothing is merged if that makes no path shorter.
  for (const SptrsvOptions& options : {one, always, eight}) {
    choices.push_back({"no rows", features_of({}, 0), options, in_order});
    choices.push_back({"one row", features_of({1}, 0), options, in_order});
    choices.push_back({"one level", features_of({500}, 0), options, in_order});
    choices.push_back({"chains", features_of(equal(40, 10), 390), options, merged});
    choices.push_back({"wide chains", features_of(equal(40, 1000), 39000), options, unmerged});
    choices.push_back({"a wide head", features_of({2000, 20, 20}, 1000), options, merged});
  }
  const Device device = gpu_that_waits();
  const SchemeGrammar legal = heddle::detail::sptrsv::grammar(device);
  for (const Choice& choice : choices) {
    CAPTURE(choice.why);
    Kernels kernels;  // each once, concrete and with a reason
    for (const RankedSolve& ranked : choose(choice.features, choice.options, device)) {
      CAPTURE(ranked.scheme.to_string());
      CHECK_NOTHROW(resolve(ranked.scheme, std::span(&legal, 1)));
      for (const SchemeTerm& term : ranked.scheme.terms()) CHECK(term.value != scheme_auto);
      CHECK(ranked.scheme.terms().size() > 1);
      CHECK(!ranked.reason.empty());
      kernels.push_back(ranked.scheme.terms().front().key);
    }
    CHECK(std::set<std::string>(kernels.begin(), kernels.end()).size() == 4);
    REQUIRE(kernels.size() >= choice.first.size());
    kernels.resize(choice.first.size());
    CHECK(kernels == choice.first);
  }
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

TEST_CASE("sptrsv: presets expand to full schemes of a GPU, and other schemes to themselves") {
  const SchemeGrammar gpu = heddle::detail::sptrsv::grammar(gpu_that_waits());
  const auto parsed = [&](const std::string& text) {
    return expanded(parse_scheme(text, std::span(&gpu, 1)));
  };
  CHECK(parsed("sptrsv/sync-free").to_string() == "sptrsv/in-order,sw_rnnz=0,warps=64");
  CHECK(parsed("sptrsv/capellini").to_string() == "sptrsv/in-order,sw_rnnz=inf,warps=64");
  CHECK(parsed("sptrsv/yy").to_string() == "sptrsv/in-order,sw_rnnz=8,warps=64");
  for (const Preset& preset : presets) {
    const Scheme full = expanded(Scheme("sptrsv", {{preset.name}}));
    CHECK(resolve(full, std::span(&gpu, 1)) == full);
    CHECK_THROWS_AS(parsed(std::string("sptrsv/") + preset.name + ",warps=8"), Error);
  }
  for (const Scheme& scheme : variants_of(gpu)) {
    const bool is_preset =
        std::any_of(std::begin(presets), std::end(presets),
                    [&](const Preset& preset) { return scheme.has(preset.name); });
    CHECK((expanded(scheme) != scheme) == is_preset);
  }
  const SchemeGrammar cpu = heddle::detail::sptrsv::grammar(Device());
  CHECK_THROWS_AS(parse_scheme("sptrsv/yy", std::span(&cpu, 1)), Error);
}

TEST_CASE("sptrsv: a plan prints what a preset stands for") {
  const Exec exec;
  if (!heddle::detail::sptrsv::waits_on_lanes(backends::describe(exec))) return;
  const auto A = triangle_on_device<Type>(exec, triangle_named("grid"));
  for (const Preset& preset : presets) {
    const Type::Plan<> plan(exec, A.matrix(), {.scheme = Scheme("sptrsv", {{preset.name}})});
    CHECK(plan.scheme().to_string() == preset.scheme);
    CHECK(plan.levels() == 0);
  }
}

namespace {

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
  const auto schemes = candidates(2500, 4900, 99, here());
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
  const auto schemes = candidates(features.rows, features.entries - features.rows,
                                  static_cast<int>(features.levels), here());
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
