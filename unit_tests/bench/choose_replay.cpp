// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose, replayed over kept results: how much longer an apply takes by what it chooses today than
// by the fastest that was measured. The results tell of a matrix what its rows are, not its
// pattern, so the choice is among CSR's schemes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../../backends/memory_speed.hpp"
#include "../../formats/choose.hpp"
#include "../../formats/csr/format.hpp"
#include "../../perf_tests/bench/common/csv.hpp"

namespace heddle::test {

namespace {

using bench::Json;

std::ifstream kept_file(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_KEPT_RESULTS) + "/" + name + ".csv");
  REQUIRE_MESSAGE(file, name);
  return file;
}

/// A matrix of a run, and the seconds of an apply by each scheme that was verified.
struct MatrixTimes {
  std::string name;
  std::map<std::string, double> seconds;

  /// 0 if it was not measured.
  double of(const Scheme& scheme) const {
    const auto found = seconds.find(scheme.to_string());
    return found == seconds.end() ? 0 : found->second;
  }
};

struct Run {
  Json about;  ///< machine and settings
  std::vector<MatrixTimes> matrices;
};

Run kept_run(const std::string& name) {
  std::ifstream file = kept_file(name);
  std::string text;
  REQUIRE(std::getline(file, text));
  Run run{Json::parse(text.substr(1)), {}};
  for (auto& line : bench::csv_lines(file)) {
    if (line["kind"] == "matrix") run.matrices.push_back({line["matrix"], {}});
    if (line["kind"] != "scheme" || line["verdict"] != "ok" || line["time_us"].empty()) continue;
    run.matrices.back().seconds.emplace(line["name"], std::stod(line["time_us"]) * 1e-6);
  }
  return run;
}

Device device_of(const Json& machine) {
  Device device;
  device.name = machine.at("device");
  device.backend = machine.at("backend") == "Cuda" ? BackendKind::cuda : BackendKind::host;
  device.lanes = machine.at("lanes");
  device.multiprocessors = machine.at("multiprocessors");
  device.threads_per_multiprocessor = machine.at("concurrency").get<int>() / device.multiprocessors;
  device.cache_bytes = machine.at("cache_bytes");
  if (device.has_lanes()) device.bytes_per_second = backends::copy_bytes_per_second(device.name);
  return device;
}

std::map<std::string, RowFeatures> features_by_matrix() {
  std::ifstream file = kept_file("matrices");
  std::map<std::string, RowFeatures> all;
  for (auto& kept : bench::csv_lines(file)) {
    RowFeatures& rows = all[kept["matrix"]];
    rows.rows = std::stoll(kept["rows"]);
    rows.columns = std::stoll(kept["columns"]);
    rows.nonzeros = std::stoll(kept["nonzeros"]);
    rows.empty_rows = std::stoll(kept["empty_rows"]);
    rows.shortest_row = std::stoll(kept["min_row"]);
    rows.longest_row = std::stoll(kept["max_row"]);
    const double deviation = std::stod(kept["variation"]) * rows.mean_row();
    rows.row_variance = deviation * deviation;
  }
  return all;
}

/// The factors by which the choices are slower than the best.
struct Regret {
  double mean = 0;  ///< geometric
  double worst = 0;
  std::string worst_matrix;
  int matrices = 0;
  int not_measured = 0;  ///< whose choice was not
};

Regret regret_of(const std::string& name, const std::map<std::string, RowFeatures>& features) {
  const Run run = kept_run(name);
  const Json& settings = run.about.at("settings");
  const Device device = device_of(run.about.at("machine"));
  ChooseOptions options;
  options.expected_applies = settings.value("expected_applies", std::int64_t{1000});
  options.sizes.vectors = {settings.value("columns", 1),
                           settings.value("layout", "left") == "left"};
  Regret regret;
  double logarithms = 0;
  for (const MatrixTimes& matrix : run.matrices) {
    const Choice choice = choose<Formats<CsrFormat>>(features.at(matrix.name), device, options);
    const double chosen = matrix.of(choice.scheme);
    if (chosen == 0) {
      ++regret.not_measured;
      continue;
    }
    double best = chosen;
    for (const RankedScheme& other : choice.ranking) {
      const double seconds = matrix.of(other.scheme);
      if (seconds > 0) best = std::min(best, seconds);
    }
    const double factor = chosen / best;
    logarithms += std::log(factor);
    ++regret.matrices;
    if (factor <= regret.worst) continue;
    regret.worst = factor;
    regret.worst_matrix = matrix.name + ": " + choice.scheme.to_string();
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
  const auto features = features_by_matrix();
  for (const Bounds& bounds : all) {
    const Regret regret = regret_of(bounds.results, features);
    INFO(std::string(bounds.results), ": mean ", regret.mean, ", worst ", regret.worst, " of ",
         regret.worst_matrix, "; ", regret.matrices, " choices were measured, ",
         regret.not_measured, " not");
    CHECK(regret.mean <= bounds.mean);
    CHECK(regret.worst <= bounds.worst);
    CHECK(regret.matrices >= bounds.at_least);
  }
}

TEST_CASE("choose: an H200's ranking is the same by its memory's speed as by its multiprocessors") {
  Device by_name = device_of(kept_run("h200-spmv-double").about.at("machine"));
  REQUIRE(by_name.bytes_per_second > 0);
  Device by_size = by_name;
  by_size.bytes_per_second = 0;
  for (const auto& [matrix, features] : features_by_matrix()) {
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
