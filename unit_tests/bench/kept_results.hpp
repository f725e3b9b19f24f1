// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kept results, and the times of choices over the best that was measured.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../backends/memory_speed.hpp"
#include "../../core/device.hpp"
#include "../../core/features.hpp"
#include "../../core/scheme.hpp"
#include "../../perf_tests/bench/common/json.hpp"
#include "../../perf_tests/bench/common/table.hpp"

namespace heddle::test {

using Line = std::map<std::string, std::string>;

inline std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file, path);
  return file;
}
inline std::string kept_results(const std::string& name) {
  return std::string(HEDDLE_KEPT_RESULTS) + "/" + name + ".csv";
}
/// Features of the matrices of the kept results: unit_tests/data/README.md.
inline std::string kept_features(const std::string& name) {
  return std::string(HEDDLE_TEST_DATA) + "/" + name + ".csv";
}

/// Lines of a table, by their first column.
inline std::map<std::string, Line> lines_by_matrix(const std::string& path) {
  std::ifstream file = opened(path);
  std::map<std::string, Line> all;
  for (Line& line : bench::csv_lines(file)) all.emplace(line.at("matrix"), std::move(line));
  return all;
}
inline std::int64_t integer(const Line& line, const char* column) {
  return std::stoll(line.at(column));
}
inline double number(const Line& line, const char* column) { return std::stod(line.at(column)); }

/// A matrix of a run, and the times of each scheme that was measured.
struct MatrixTimes {
  struct Times {
    double apply = 0;
    double setup = 0;
  };
  std::string name;
  std::map<std::string, Times> schemes = {};

  /// Seconds of an apply and its share of the set-up; 0 for a scheme that was not measured.
  double of(const Scheme& scheme, std::int64_t applies) const {
    const auto found = schemes.find(scheme.to_string());
    return found == schemes.end() ? 0 : seconds(found->second, applies);
  }
  /// The lowest time of all schemes.
  double best(std::int64_t applies) const {
    double least = 0;
    for (const auto& [scheme, times] : schemes) {
      const double own = seconds(times, applies);
      if (least == 0 || own < least) least = own;
    }
    return least;
  }

 private:
  static double seconds(const Times& times, std::int64_t applies) {
    return times.apply + times.setup / static_cast<double>(applies);
  }
};

struct KeptRun {
  bench::Json about;  ///< machine and settings
  std::vector<MatrixTimes> matrices;
};

/// Schemes are listed by the names that were requested, and by those that ran. Times with a spread
/// that heddle-bench calls unsteady are left out, as in the report.
inline KeptRun kept_run(const std::string& name) {
  std::ifstream file = opened(kept_results(name));
  std::string text;
  REQUIRE(std::getline(file, text));
  KeptRun run{bench::Json::parse(text.substr(1)), {}};
  for (Line& line : bench::csv_lines(file)) {
    if (line["kind"] == "matrix") run.matrices.push_back({line["matrix"]});
    const bool measured = line["verdict"] == "ok" || line["verdict"] == "unverified";
    if (line["kind"] != "scheme" || !measured || line["time_us"].empty()) continue;
    if (!line["time_spread"].empty() && number(line, "time_spread") > bench::spread_limit) continue;
    const auto seconds = [&](const char* column) {
      return line[column].empty() ? 0 : std::stod(line[column]) * 1e-6;
    };
    const MatrixTimes::Times times{seconds("time_us"), seconds("setup_us")};
    for (const std::string& scheme : {line["name"], line["scheme"]}) {
      const bool names_one = !scheme.empty() && scheme != "=" && scheme != "auto";
      if (names_one) run.matrices.back().schemes.emplace(scheme, times);
    }
  }
  return run;
}

inline Device device_of(const bench::Json& machine) {
  Device device;
  device.name = machine.at("device");
  device.backend = machine.at("backend") == "Cuda" ? BackendKind::cuda : BackendKind::host;
  device.lanes = machine.at("lanes");
  device.waits_make_progress = true;
  device.multiprocessors = machine.at("multiprocessors");
  device.threads_per_multiprocessor = machine.at("concurrency").get<int>() / device.multiprocessors;
  device.cache_bytes = machine.at("cache_bytes");
  if (device.has_lanes()) device.bytes_per_second = backends::copy_bytes_per_second(device.name);
  return device;
}

/// The factors by which choices are slower than the best.
class Regret {
 public:
  /// Adds a matrix: its choice, that one's seconds (0: not measured), and those of the best.
  void add(const std::string& matrix, const Scheme& chosen, double seconds, double best) {
    if (seconds == 0) {
      ++not_measured_;
      not_measured_list_ += " " + matrix + ": " + chosen.to_string() + ";";
      return;
    }
    const double factor = seconds / std::min(seconds, best);
    logarithms_ += std::log(factor);
    ++measured_;
    if (factor <= worst_) return;
    worst_ = factor;
    worst_matrix_ = matrix + ": " + chosen.to_string();
  }

  /// The geometric mean; 1 means that every choice was the best.
  double mean() const { return std::exp(logarithms_ / std::max(measured_, 1)); }
  double worst() const { return worst_; }
  int measured() const { return measured_; }

  std::string to_string() const {
    return "mean " + std::to_string(mean()) + ", worst " + std::to_string(worst_) + " of " +
           worst_matrix_ + "; " + std::to_string(measured_) + " choices were measured, " +
           std::to_string(not_measured_) + " not:" + not_measured_list_;
  }

 private:
  double logarithms_ = 0;
  double worst_ = 0;
  std::string worst_matrix_;
  int measured_ = 0;
  int not_measured_ = 0;
  std::string not_measured_list_;
};

/// Bounds of a regret: its values when the bounds were set, rounded up. Nothing here is random, so
/// a model that chooses worse exceeds them.
struct RegretBounds {
  const char* results;
  double mean;
  double worst;
  int at_least;  ///< matrices whose choice was measured
};
inline void check(const RegretBounds& bounds, const Regret& regret) {
  INFO(std::string(bounds.results), ": ", regret.to_string());
  CHECK(regret.mean() <= bounds.mean);
  CHECK(regret.worst() <= bounds.worst);
  CHECK(regret.measured() >= bounds.at_least);
}

}  // namespace heddle::test
