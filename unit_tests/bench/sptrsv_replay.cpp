// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of a triangular solve on a GPU, replayed over kept results, as choose_replay.cpp
// replays products. CPUs need the levels of every row, which are not kept.
#include <heddle/sptrsv.hpp>

#include "kept_results.hpp"

namespace heddle::test {

namespace {

TriangleFeatures triangle_of(const Line& kept) {
  const auto spread = [&](const std::string& of) {
    return Spread{number(kept, ("mean_" + of).c_str()), integer(kept, ("max_" + of).c_str()),
                  number(kept, ("cv_" + of).c_str())};
  };
  TriangleFeatures features;
  features.rows = integer(kept, "rows");
  features.entries = integer(kept, "entries");
  features.row_entries = spread("row");
  features.levels = integer(kept, "levels");
  features.level_rows = spread("level_rows");
  features.level_entries = spread("level_entries");
  features.wide_levels = integer(kept, "wide_levels");
  features.dep_dist = number(kept, "dep_dist");
  return features;
}

Regret regret_of(const std::string& results, const std::map<std::string, Line>& kept) {
  const KeptRun run = kept_run(results);
  const bench::Json& settings = run.about.at("settings");
  const Device device = device_of(run.about.at("machine"));
  SptrsvOptions options;
  options.vectors.count = settings.value("columns", 1);
  options.expected_applies = settings.value("expected_applies", std::int64_t{1000});
  Regret regret;
  for (const MatrixTimes& matrix : run.matrices) {
    const TriangleFeatures features = triangle_of(kept.at(matrix.name));
    const Scheme scheme = choose(features, options, device).front().scheme;
    regret.add(matrix.name, scheme, matrix.of(scheme, options.expected_applies),
               matrix.best(options.expected_applies));
  }
  return regret;
}

}  // namespace

TEST_CASE("choose: over kept results of triangles, choices are seldom far from the best") {
  // A comment after each line names its worst matrix.
  const RegretBounds all[] = {
      {"h200-sptrsv-double-lower", 1.0222, 1.632, 39},       // rmat
      {"h200-sptrsv-double-upper", 1.0145, 1.127, 39},       // ckt11752_dc_1
      {"h200-sptrsv-double-8-columns", 1.0106, 1.072, 39},   // bayer10
      {"h200-sptrsv-double-candidates", 1.1055, 1.650, 12},  // rmat
  };
  const auto kept = lines_by_matrix(kept_features("triangles"));
  for (const RegretBounds& bounds : all) check(bounds, regret_of(bounds.results, kept));
}

}  // namespace heddle::test
