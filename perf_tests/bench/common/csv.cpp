// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csv.hpp"

#include <array>

#include "table.hpp"

namespace heddle::bench {

namespace {

/// Columns of every operation; solves add "iterations", and "unsteady" is the last one.
constexpr std::array columns = {"matrix",        "kind",        "name",          "chosen",
                                "verdict",       "scheme",      "note",          "error_over_bound",
                                "time_us",       "time_min_us", "time_max_us",   "time_spread",
                                "setup_us",      "queued_us",   "allocation_us", "update_us",
                                "setup_rest_us", "bytes",       "moved_bytes"};

using Line = std::vector<std::string>;

std::string microseconds(const Json& seconds) {
  if (!seconds.is_number()) return "";
  const double value = 1e6 * seconds.get<double>();
  return value >= 1e6 ? format("%.0f", value) : format("%.6g", value);
}

const Json& get(const Json& json, const char* key) {
  static const Json none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::string median(const Json& json, const char* key) {
  const Json& samples = get(json, key);
  return samples.is_object() ? microseconds(get(samples, "median")) : "";
}

std::string count(const Json& number) { return number.is_number() ? number.dump() : ""; }

std::string share(const Json& number, const char* digits) {
  return number.is_number() ? format(digits, number.get<double>()) : "";
}

void add_times(Line& line, const Json& samples) {
  for (const char* key : {"median", "min", "max"}) {
    line.push_back(samples.is_object() ? microseconds(get(samples, key)) : "");
  }
  line.push_back(samples.is_object() ? share(get(samples, "spread"), "%.3g") : "");
}

Line of_matrix(const Json& matrix, const std::string& key, bool solves) {
  Line line = {key, "matrix", matrix["chosen_scheme"], "", "", "", matrix["choice_reason"], ""};
  add_times(line, get(get(matrix, "steadiness"), "reference_seconds"));
  line.push_back(microseconds(matrix["prepare_seconds"]));
  line.resize(columns.size());
  line.back() = count(matrix["apply_bytes"]);
  line.resize(columns.size() + (solves ? 2 : 1));
  return line;
}

Line of_contestant(const Json& c, const std::string& key, bool solves) {
  const std::string name = c["name"];
  const std::string scheme = c["scheme"].is_string() ? c["scheme"].get<std::string>() : "";
  const std::string note = c["note"];
  Line line = {key,
               c["kind"],
               name,
               c["chosen"].get<bool>() ? "1" : "",
               c["verdict"],
               !scheme.empty() && scheme == name ? "=" : scheme,
               !scheme.empty() && note == scheme ? "=" : note,
               share(c["error_over_bound"], "%.2g")};
  add_times(line, c["time_seconds"]);
  for (const char* samples :
       {"setup_seconds", "queued_seconds", "allocation_seconds", "update_seconds"}) {
    line.push_back(median(c, samples));
  }
  line.push_back(microseconds(get(c, "setup_rest_seconds")));
  line.push_back(count(c["bytes"]));
  line.push_back(count(c["moved_bytes"]));
  if (solves) line.push_back(count(get(c, "iterations")));
  const Json& unsteady = get(c, "unsteady");
  line.push_back(unsteady.is_string() ? unsteady.get<std::string>() : "");
  return line;
}

/// Replaces quotes by apostrophes and line breaks by blanks, so that readers need no escapes.
std::string field(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text.find(',') == std::string::npos ? text : '"' + text + '"';
}

void append(std::string& text, const Line& line) {
  for (std::size_t i = 0; i < line.size(); ++i) text += (i > 0 ? "," : "") + field(line[i]);
  text += '\n';
}

}  // namespace

std::string csv_text(const Json& run) {
  Json head = run;
  head.erase("matrices");
  const Json& settings = run["settings"];
  const std::string part =
      run["operation"] == "sptrsv" ? "/" + settings["triangle"].get<std::string>() : "";
  const bool solves = run["operation"] == "solve" || run["operation"] == "multigrid";
  std::string text;
  Line names(columns.begin(), columns.end());
  if (solves) names.emplace_back("iterations");
  names.emplace_back("unsteady");
  append(text, names);
  for (const Json& matrix : run["matrices"]) {
    const Json& steadiness = get(matrix, "steadiness");
    if (steadiness.is_object()) head["spread_limit"] = steadiness["spread_limit"];
    const std::string key = matrix["name"].get<std::string>() + part;
    append(text, of_matrix(matrix, key, solves));
    for (const Json& c : matrix["contestants"]) append(text, of_contestant(c, key, solves));
  }
  return "# " + json_text(head, -1) + text;
}

std::vector<std::string> csv_fields(std::string_view line) {
  Line fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<std::map<std::string, std::string>> csv_lines(std::istream& file) {
  std::string text;
  std::getline(file, text);
  const Line names = csv_fields(text);
  std::vector<std::map<std::string, std::string>> lines;
  while (std::getline(file, text)) {
    Line fields = csv_fields(text);
    auto& line = lines.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) line[names.at(i)] = std::move(fields[i]);
  }
  return lines;
}

}  // namespace heddle::bench
