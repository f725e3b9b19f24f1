// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose, replayed over kept results: the time of an apply by today's choice over that of the
// fastest that was measured. It chooses from all formats, by patterns, if all were measured;
// otherwise from CSR's schemes, by the rows.
#include "../../formats/all_formats.hpp"
#include "../../formats/choose.hpp"
#include "../../formats/csr/format.hpp"
#include "kept_results.hpp"

namespace heddle::test {

namespace {

std::map<std::string, RowFeatures> rows_by_matrix() {
  std::map<std::string, RowFeatures> all;
  for (const auto& [matrix, kept] : lines_by_matrix(kept_results("matrices"))) {
    RowFeatures& rows = all[matrix];
    rows.rows = integer(kept, "rows");
    rows.columns = integer(kept, "columns");
    rows.nonzeros = integer(kept, "nonzeros");
    rows.empty_rows = integer(kept, "empty_rows");
    rows.shortest_row = integer(kept, "min_row");
    rows.longest_row = integer(kept, "max_row");
    const double deviation = number(kept, "variation") * rows.mean_row();
    rows.row_variance = deviation * deviation;
  }
  return all;
}

PatternFeatures pattern_of(const Line& kept) {
  PatternFeatures all;
  all.rows = integer(kept, "rows");
  all.columns = integer(kept, "columns");
  all.nonzeros = integer(kept, "nonzeros");
  all.empty_rows = integer(kept, "empty_rows");
  all.shortest_row = integer(kept, "shortest_row");
  all.longest_row = integer(kept, "longest_row");
  all.row_variance = number(kept, "row_variance");
  all.slice_slots = integer(kept, "slice_slots");
  int group = 2;
  for (std::int64_t& slots : all.group_slots) {
    slots = integer(kept, ("slots_of_" + std::to_string(group) + "_rows").c_str());
    group *= 2;
  }
  all.lower_bandwidth = integer(kept, "lower_bandwidth");
  all.upper_bandwidth = integer(kept, "upper_bandwidth");
  all.diagonals = integer(kept, "diagonals");
  all.sorted = integer(kept, "sorted") != 0;
  const auto slices = static_cast<double>((all.rows + all.slice_rows - 1) / all.slice_rows);
  all.narrow_slices = std::llround(number(kept, "narrow_slice_share") * slices);
  return all;
}

/// Features with the pattern and the square blocks that were counted.
Features features_with_pattern(const Line& kept) {
  const PatternFeatures pattern = pattern_of(kept);
  return Features(
      pattern, [pattern] { return pattern; },
      [kept](int rows, int columns) {
        REQUIRE(rows == columns);
        return integer(kept, ("blocks_of_" + std::to_string(rows)).c_str());
      });
}

/// The options of choose for a run's settings.
ChooseOptions options_of(const bench::Json& settings) {
  ChooseOptions options;
  options.expected_applies = settings.value("expected_applies", std::int64_t{1000});
  options.sizes.vectors = {settings.value("columns", 1),
                           settings.value("layout", "left") == "left"};
  return options;
}

/// features_of(matrix) returns the features of a matrix, or null to leave it out.
template <class List, class FeaturesOf>
Regret regret_of(const std::string& results, const FeaturesOf& features_of) {
  const KeptRun run = kept_run(results);
  const Device device = device_of(run.about.at("machine"));
  const ChooseOptions options = options_of(run.about.at("settings"));
  const std::int64_t applies = options.expected_applies;
  Regret regret;
  for (const MatrixTimes& matrix : run.matrices) {
    const std::optional<Features> features = features_of(matrix.name);
    if (!features) continue;
    const Choice choice = choose<List>(*features, device, options);
    double best = matrix.best(applies);
    if constexpr (std::is_same_v<List, Formats<CsrFormat>>) {
      best = matrix.of(choice.scheme, applies);  // other formats had no alternative
      for (const RankedScheme& other : choice.ranking) {
        const double seconds = matrix.of(other.scheme, applies);
        if (seconds > 0) best = std::min(best, seconds);
      }
    }
    regret.add(matrix.name, choice.scheme, matrix.of(choice.scheme, applies), best);
  }
  return regret;
}

}  // namespace

TEST_CASE("choose: over kept results, of CSR's schemes, choices are seldom far from the best") {
  // A comment after each line names its worst matrix.
  const RegretBounds all[] = {
      {"h200-spmv-double", 1.0127, 1.165, 44},                   // Andrews
      {"h200-spmv-double-generated", 1.0168, 1.147, 138},        // random:100000,16
      {"h200-spmv-double-8-columns-left", 1.0200, 1.214, 44},    // sherman3
      {"h200-spmv-double-8-columns-right", 1.0331, 1.382, 44},   // chain
      {"h200-spmv-double-32-columns-left", 1.0161, 1.221, 44},   // grid3d-27
      {"h200-spmv-double-32-columns-right", 1.0079, 1.116, 44},  // BentPipe2D100
      {"h200-spmv-double-all-formats", 1.0133, 1.107, 37},       // Andrews
      {"epyc-2-threads-spmv-double", 1.0094, 1.090, 44},         // copter2
      {"xeon-2-threads-spmv-double", 1.0056, 1.044, 44},         // NotreDame_www
      {"xeon-16-threads-spmv-double", 1.0173, 1.104, 44},        // rectangular
  };
  const auto rows = rows_by_matrix();
  for (const RegretBounds& bounds : all) {
    check(bounds, regret_of<Formats<CsrFormat>>(bounds.results, [&](const std::string& matrix) {
            return std::optional<Features>(rows.at(matrix));
          }));
  }
}

TEST_CASE("choose: over kept results, of all formats, choices are seldom far from the best") {
  // A comment after each line names its worst matrix.
  const RegretBounds all[] = {
      {"h200-spmv-double-all-formats", 1.0199, 1.162, 44},                   // chain
      {"h200-spmv-double-all-formats-2-columns-right", 1.0684, 1.362, 10},   // elasticity
      {"h200-spmv-double-all-formats-3-columns-left", 1.0878, 1.505, 10},    // elasticity
      {"h200-spmv-double-all-formats-4-columns-right", 1.0229, 1.204, 10},   // elasticity
      {"h200-spmv-double-all-formats-8-columns-left", 1.0993, 2.285, 44},    // Andrews
      {"h200-spmv-double-all-formats-8-columns-right", 1.0318, 1.169, 44},   // memplus
      {"h200-spmv-double-all-formats-32-columns-left", 1.0869, 1.589, 44},   // grid3d-27
      {"h200-spmv-double-all-formats-32-columns-right", 1.0160, 1.130, 44},  // BentPipe2D100
      {"xeon-16-threads-spmv-double-all-formats", 1.0460, 1.364, 39},        // circuit
  };
  const auto kept = lines_by_matrix(kept_features("matrices"));
  for (const RegretBounds& bounds : all) {
    check(bounds, regret_of<AllFormats>(bounds.results, [&](const std::string& matrix) {
            const auto found = kept.find(matrix);
            return found == kept.end() ? std::nullopt
                                       : std::optional(features_with_pattern(found->second));
          }));
  }
}

TEST_CASE("choose: an H200's ranking is the same by its memory's speed as by its multiprocessors") {
  Device by_name = device_of(kept_run("h200-spmv-double").about.at("machine"));
  REQUIRE(by_name.bytes_per_second > 0);
  Device by_size = by_name;
  by_size.bytes_per_second = 0;
  for (const auto& [matrix, features] : rows_by_matrix()) {
    CAPTURE(matrix);
    const Choice now = choose<Formats<CsrFormat>>(features, by_name, {});
    const Choice before = choose<Formats<CsrFormat>>(features, by_size, {});
    REQUIRE(now.ranking.size() == before.ranking.size());
    for (std::size_t i = 0; i < now.ranking.size(); ++i) {
      CHECK(now.ranking[i].scheme == before.ranking[i].scheme);
      CHECK(now.ranking[i].prediction.seconds == before.ranking[i].prediction.seconds);
    }
  }
}

}  // namespace heddle::test
