// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept_run.hpp"

#include <cstdlib>
#include <fstream>
#include <optional>

#include "../../../core/error.hpp"
#include "../common/csv.hpp"

namespace heddle::bench {

namespace {

bool is_right(const std::string& verdict) { return verdict == "ok" || verdict == "unverified"; }

KeptTime kept_time(const std::string& name, double median, double min, double max,
                   const std::optional<double>& spread) {
  return {name, median, spread.value_or(median > 0 ? 0.5 * (max - min) / median : 0)};
}

KeptRun head_of(const Json& json) {
  KeptRun run;
  run.operation = json.value("operation", "spmv");
  run.device = json.at("machine").at("device");
  run.commit = json.at("commit");
  run.date = json.at("date");
  const Json& settings = json.at("settings");
  for (const char* key :
       {"scalar", "offset_bits", "columns", "layout", "triangle", "diagonal", "op", "flush"}) {
    if (!settings.contains(key)) continue;
    run.settings +=
        (run.settings.empty() ? "" : ", ") + std::string(key) + " " +
        (settings[key].is_string() ? settings[key].get<std::string>() : settings[key].dump());
  }
  return run;
}

KeptRun from_json(std::istream& file) {
  const Json json = Json::parse(file);
  KeptRun run = head_of(json);
  const std::string part =
      run.operation == "sptrsv" ? "/" + json["settings"]["triangle"].get<std::string>() : "";
  for (const Json& matrix : json.at("matrices")) {
    KeptMatrix kept{matrix.at("name").get<std::string>() + part, {}};
    for (const Json& c : matrix.at("contestants")) {
      const Json& time = c.at("time_seconds");
      if (!time.is_object() || !is_right(c.at("verdict"))) continue;
      const auto spread =
          time.contains("spread") ? time["spread"].get<double>() : std::optional<double>();
      kept.times.push_back(
          kept_time(c.at("name"), time.at("median"), time.at("min"), time.at("max"), spread));
    }
    run.matrices.push_back(std::move(kept));
  }
  return run;
}

/// A number in units of `unit`; empty for an empty field.
std::optional<double> number(const std::string& text, double unit) {
  if (text.empty()) return {};
  return unit * std::strtod(text.c_str(), nullptr);
}

KeptRun from_csv(std::istream& file) {
  std::string line;
  std::getline(file, line);
  if (!line.starts_with("# ")) throw Error("the first line is no header", "");
  KeptRun run = head_of(Json::parse(line.substr(2)));
  for (const auto& fields : csv_lines(file)) {
    const auto at = [&](const char* column) -> const std::string& { return fields.at(column); };
    if (at("kind") == "matrix") {
      run.matrices.push_back({at("matrix"), {}});
      continue;
    }
    const auto median = number(at("time_us"), 1e-6);
    if (!median || !is_right(at("verdict"))) continue;
    run.matrices.back().times.push_back(
        kept_time(at("name"), *median, number(at("time_min_us"), 1e-6).value_or(*median),
                  number(at("time_max_us"), 1e-6).value_or(*median), number(at("time_spread"), 1)));
  }
  return run;
}

}  // namespace

KeptRun read_run(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path + ": the file cannot be read", "give results of heddle-bench");
  try {
    return path.ends_with(".csv") ? from_csv(file) : from_json(file);
  } catch (const std::exception& error) {
    throw Error(path + " holds no results of heddle-bench: " + error.what(),
                "give what --json or --csv wrote");
  }
}

}  // namespace heddle::bench
