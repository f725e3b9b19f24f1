// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose, replayed over kept results: how much longer an apply takes by what it chooses today than
// by the fastest that was measured. The results tell of a matrix what its rows are, not its
// pattern, so the choice is among CSR's schemes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "../../formats/choose.hpp"
#include "../../formats/csr/format.hpp"

namespace heddle::test {

namespace {

using Json = nlohmann::json;

Json kept_results(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_KEPT_RESULTS) + "/" + name + ".json");
  REQUIRE_MESSAGE(file, name);
  return Json::parse(file);
}

Device device_of(const Json& results) {
  const Json& machine = results.at("machine");
  Device device;
  device.name = machine.at("device");
  device.backend = machine.at("backend") == "Cuda" ? BackendKind::cuda : BackendKind::host;
  device.lanes = machine.at("lanes");
  device.multiprocessors = machine.at("multiprocessors");
  device.threads_per_multiprocessor = machine.at("concurrency").get<int>() / device.multiprocessors;
  device.cache_bytes = machine.at("cache_bytes");
  return device;
}

RowFeatures rows_of(const Json& matrix) {
  const Json& kept = matrix.at("features");
  RowFeatures rows;
  rows.rows = kept.at("rows");
  rows.columns = kept.at("columns");
  rows.nonzeros = kept.at("nonzeros");
  rows.empty_rows = kept.at("empty_rows");
  rows.shortest_row = kept.at("min_row");
  rows.longest_row = kept.at("max_row");
  const double deviation = kept.at("variation").get<double>() * rows.mean_row();
  rows.row_variance = deviation * deviation;
  return rows;
}

/// Seconds of an apply by a scheme, whose parameters that are not named may be any; 0 if it was not
/// measured.
double seconds_of(const Json& matrix, const std::string& scheme) {
  for (const Json& contestant : matrix.at("contestants")) {
    if (contestant.at("name") == scheme && contestant.at("verdict") == "ok") {
      return contestant.at("time_seconds").at("median");
    }
  }
  return 0;
}

/// The factors by which the choices are slower than the best.
struct Regret {
  double mean = 0;  ///< geometric
  double worst = 0;
  std::string worst_matrix;
  int matrices = 0;
  int not_measured = 0;  ///< whose choice was not
};

Regret regret_of(const std::string& name) {
  const Json results = kept_results(name);
  const Json& settings = results.at("settings");
  const Device device = device_of(results);
  ChooseOptions options;
  options.expected_applies = settings.value("expected_applies", std::int64_t{1000});
  options.sizes.vectors = {settings.value("columns", 1),
                           settings.value("layout", "left") == "left"};
  Regret regret;
  double logarithms = 0;
  for (const Json& matrix : results.at("matrices")) {
    const Choice choice = choose<Formats<CsrFormat>>(rows_of(matrix), device, options);
    const double chosen = seconds_of(matrix, choice.scheme.to_string());
    if (chosen == 0) {
      ++regret.not_measured;
      continue;
    }
    double best = chosen;
    for (const RankedScheme& other : choice.ranking) {
      const double seconds = seconds_of(matrix, other.scheme.to_string());
      if (seconds > 0) best = std::min(best, seconds);
    }
    const double factor = chosen / best;
    logarithms += std::log(factor);
    ++regret.matrices;
    if (factor <= regret.worst) continue;
    regret.worst = factor;
    regret.worst_matrix = matrix.at("name").get<std::string>() + ": " + choice.scheme.to_string();
  }
  regret.mean = std::exp(logarithms / std::max(regret.matrices, 1));
  return regret;
}

struct Bounds {
  const char* results;
  double mean;  ///< 1.00 is never wrong
  double worst;
  int at_least;  ///< of its matrices, that the choice was measured for
};

}  // namespace

TEST_CASE("choose: over kept results its choices are seldom far from the best") {
  // Somewhat above what was measured when the bounds were set, which stands behind each.
  const Bounds all[] = {
      {"h200-spmv-double", 1.02, 1.22, 44},                    // 1.013, 1.165: Andrews
      {"h200-spmv-double-generated", 1.025, 1.2, 138},         // 1.017, 1.147: random:100000,16
      {"h200-spmv-double-8-columns-left", 1.03, 1.27, 44},     // 1.020, 1.214: sherman3
      {"h200-spmv-double-8-columns-right", 1.045, 1.45, 44},   // 1.033, 1.387: chain
      {"h200-spmv-double-32-columns-left", 1.025, 1.28, 44},   // 1.016, 1.221: grid3d-27
      {"h200-spmv-double-32-columns-right", 1.015, 1.17, 44},  // 1.008, 1.116: BentPipe2D100
      {"h200-spmv-double-all-formats", 1.02, 1.17, 35},        // 1.013, 1.111: Andrews
      {"epyc-2-threads-spmv-double", 1.015, 1.14, 44},         // 1.009, 1.088: copter2
      {"xeon-2-threads-spmv-double", 1.01, 1.09, 44},          // 1.005, 1.042: NotreDame_www
      {"xeon-16-threads-spmv-double", 1.025, 1.16, 44},        // 1.016, 1.104: rectangular
  };
  for (const Bounds& bounds : all) {
    const Regret regret = regret_of(bounds.results);
    INFO(std::string(bounds.results), ": mean ", regret.mean, ", worst ", regret.worst, " of ",
         regret.worst_matrix, "; ", regret.matrices, " choices were measured, ",
         regret.not_measured, " not");
    CHECK(regret.mean <= bounds.mean);
    CHECK(regret.worst <= bounds.worst);
    CHECK(regret.matrices >= bounds.at_least);
  }
}

}  // namespace heddle::test
