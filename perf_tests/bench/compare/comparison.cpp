// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include "../../../core/error.hpp"
#include "../common/json.hpp"
#include "../common/table.hpp"

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
  // Runs of before the option have none.
  if (settings.value("auto", false)) run.settings += ", auto";
  if (const int busy = settings.value("busy", 0)) {
    run.settings += ", busy " + std::to_string(busy);
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

using Times = std::map<std::string, const KeptTime*>;

std::map<std::string, Times> by_name(const KeptRun& run, const std::vector<std::string>& names) {
  std::map<std::string, Times> found;
  for (const KeptMatrix& matrix : run.matrices) {
    Times& times = found[matrix.name];
    for (const KeptTime& time : matrix.times) {
      const bool wanted =
          names.empty() || std::find(names.begin(), names.end(), time.name) != names.end();
      if (wanted) times.emplace(time.name, &time);
    }
  }
  return found;
}

/// Names that `run` has and `other` lacks; for a missing matrix only its own name.
std::vector<std::string> missing(const std::map<std::string, Times>& run,
                                 const std::map<std::string, Times>& other) {
  std::vector<std::string> names;
  for (const auto& [matrix, times] : run) {
    const auto found = other.find(matrix);
    if (found == other.end()) {
      names.push_back(matrix);
      continue;
    }
    for (const auto& [name, time] : times) {
      if (!found->second.contains(name)) names.push_back(matrix + ": " + name);
    }
  }
  return names;
}

struct Sum {
  int matrices = 0, slower = 0, faster = 0;
  double log_ratio = 0, worst = 0;
};

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

const char* verdict(const Change& change) {
  return change.slower() ? "slower" : change.faster() ? "faster" : "";
}

void print_names(std::ostream& out, const char* what, const std::vector<std::string>& names) {
  constexpr std::size_t most = 6;  // keeps the text on one line
  if (names.empty()) return;
  out << what;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    out << (i > 0 ? ", " : " ") << names[i];
  }
  if (names.size() > most) out << " and " << names.size() - most << " others";
  out << '\n';
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

bool Comparison::any_slower() const {
  return std::any_of(changes.begin(), changes.end(), [](const Change& c) { return c.slower(); });
}

Comparison compare(const KeptRun& before, const KeptRun& after,
                   const std::vector<std::string>& names, double least) {
  const auto first = by_name(before, names), second = by_name(after, names);
  Comparison found;
  found.lost = missing(first, second);
  found.added = missing(second, first);
  for (const KeptMatrix& matrix : before.matrices) {
    const auto other = second.find(matrix.name);
    if (other == second.end()) continue;
    for (const KeptTime& time : matrix.times) {
      const auto same = other->second.find(time.name);
      if (same == other->second.end() || time.seconds <= 0) continue;
      found.changes.push_back({matrix.name, time.name, time.seconds, same->second->seconds,
                               std::max({least, time.spread, same->second->spread})});
    }
  }
  return found;
}

void print(std::ostream& out, const Comparison& comparison, bool all) {
  std::size_t matrix_width = 6, name_width = 10;
  std::map<std::string, Sum> sums;
  for (const Change& change : comparison.changes) {
    matrix_width = std::max(matrix_width, change.matrix.size());
    name_width = std::max(name_width, change.name.size());
    Sum& sum = sums[change.name];
    ++sum.matrices;
    sum.slower += change.slower();
    sum.faster += change.faster();
    sum.log_ratio += std::log(change.ratio());
    sum.worst = std::max(sum.worst, change.ratio());
  }
  out << padded("matrix", matrix_width) << "  " << padded("contestant", name_width)
      << "      before       after  after/before  margin\n";
  for (const Change& change : comparison.changes) {
    if (!all && !change.slower() && !change.faster()) continue;
    out << padded(change.matrix, matrix_width) << "  " << padded(change.name, name_width)
        << format("  %10s  %10s  %12.3f  %5.1f%%  %s\n", duration(change.before_seconds).c_str(),
                  duration(change.after_seconds).c_str(), change.ratio(), 100 * change.margin,
                  verdict(change));
  }
  out << '\n'
      << padded("contestant", name_width) << "  matrices  slower  faster  geometric mean  worst\n";
  for (const auto& [name, sum] : sums) {
    out << padded(name, name_width)
        << format("  %8d  %6d  %6d  %14.3f  %5.3f\n", sum.matrices, sum.slower, sum.faster,
                  std::exp(sum.log_ratio / sum.matrices), sum.worst);
  }
  print_names(out, "only before:", comparison.lost);
  print_names(out, "only after:", comparison.added);
}

}  // namespace heddle::bench
