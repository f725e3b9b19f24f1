// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "table.hpp"
#include "timing.hpp"

namespace heddle::bench {

namespace {

std::string without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// The command line without folders, which may identify a person; "csr/merge" is not a path.
Json command_line(const std::vector<std::string>& words, const RunOptions& options) {
  const auto is_file = [&](const std::string& word) {
    const auto& [files, generated, sets, folder, seed, orders] = options.matrices;
    const auto within = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    return word == options.json_path || word == options.csv_path || word == folder ||
           within(files) || within(sets) || within(options.other_paths);
  };
  Json json = Json::array();
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos;
    const std::size_t value = equals == std::string::npos ? 0 : equals + 1;
    const bool path = &word == &words.front() || is_file(word.substr(value));
    json.push_back(path ? word.substr(0, value) + without_folder(word.substr(value)) : word);
  }
  return json;
}

Json samples(const Samples& s) {
  if (s.empty()) return nullptr;
  return {{"median", s.median()},
          {"min", s.min()},
          {"max", s.max()},
          {"spread", s.spread()},
          {"repetitions", s.seconds.size()}};
}

Json named(const NamedNumbers& numbers) {
  Json json = Json::object();
  for (const auto& [name, value] : numbers) json[name] = value;
  return json;
}

Json contestant(const MatrixResult& result, const ContestantResult& c,
                const DeviceFigures& figures) {
  Json json = {{"name", c.name},     {"kind", c.is_scheme ? "scheme" : "baseline"},
               {"chosen", c.chosen}, {"verdict", name(c.verdict)},
               {"note", c.note},     {"scheme", c.scheme.empty() ? Json(nullptr) : Json(c.scheme)}};
  const bool finite = std::isfinite(c.error_over_bound);
  const bool verified = c.verdict == Verdict::ok || c.verdict == Verdict::wrong;
  json["error_over_bound"] = verified && finite ? Json(c.error_over_bound) : Json(nullptr);
  json["first_setup_seconds"] = c.timed() ? Json(c.first_setup_seconds) : Json(nullptr);
  json["setup_seconds"] = samples(c.setup);
  json["time_seconds"] = samples(c.time);
  json["queued_seconds"] = samples(c.queued);
  json["latency_seconds"] = samples(c.latency);
  json["bytes"] = c.bytes;
  json["moved_bytes"] = c.moved_bytes ? Json(c.moved_bytes) : Json(nullptr);
  json["gbytes_per_second"] = c.timed() ? Json(result.gbytes_per_second(c)) : Json(nullptr);
  if (c.timed() && !unsteadiness(c).empty()) json["unsteady"] = unsteadiness(c);
  if (const auto& allocations = c.allocations) {
    json["allocations"] = allocations->count;
    json["allocated_bytes"] = allocations->bytes;
    json["allocation_seconds"] = samples(allocations->time);
    json["waits"] = allocations->waits;
  }
  if (const auto rest = c.setup_rest(figures.readback_seconds)) json["setup_rest_seconds"] = *rest;
  if (c.predicted_seconds) {
    json["predicted_seconds"] = *c.predicted_seconds;
    json["model_group"] = c.model_group;
    json["model_inputs"] = named(c.model_inputs);
  }
  if (c.iterations) json["iterations"] = *c.iterations;
  for (const LevelResult& level : c.levels) {
    json["levels"].push_back({{"rows", level.rows},
                              {"entries", level.entries},
                              {"scheme", level.scheme},
                              {"smoother", level.smoother},
                              {"bytes", level.bytes},
                              {"seconds", level.seconds}});
  }
  if (result.triangle || c.iterations) json["update_seconds"] = samples(c.update);
  if (const auto& triangle = result.triangle) {
    const bool known = c.timed() && triangle->levels > 0;
    json["level_seconds"] =
        known ? Json(c.time.median() / static_cast<double>(triangle->levels)) : Json(nullptr);
  }
  return json;
}

Json searched(const SearchResult& search) {
  Json list = Json::array();
  for (const SearchedScheme& one : search.schemes) {
    const auto& seconds = one.time.seconds;
    list.push_back({{"scheme", one.scheme.to_string()},
                    {"seconds", seconds ? Json(*seconds) : Json(nullptr)},
                    {"stopped_early", one.time.stopped_early},
                    {"setup_seconds", seconds ? Json(one.setup_seconds) : Json(nullptr)},
                    {"note", one.note}});
  }
  return list;
}

Json triangle(const TriangleFacts& facts, std::int64_t rows) {
  return {{"features", named(facts.features)},
          {"entries", facts.entries},
          {"levels", facts.levels},
          {"rows_per_level", detail::share(static_cast<double>(rows), facts.levels)},
          {"diagonal_set", facts.diagonal_set},
          {"overflows", facts.overflows}};
}

Json steadiness(const MatrixResult& result) {
  Json unsteady = Json::array();
  for (const ContestantResult* c : unsteady_contestants(result)) unsteady.push_back(c->name);
  return {{"reference_seconds", samples(result.reference)},
          {"spread_limit", spread_limit},
          {"unsteady_machine", unsteady_machine(result)},
          {"unsteady_contestants", unsteady}};
}

Json matrix(const MatrixResult& result, const DeviceFigures& figures) {
  const RowFeatures& f = result.rows;
  Json json = {{"name", result.name},
               {"source", without_folder(result.source)},
               {"features",
                {{"rows", f.rows},
                 {"columns", f.columns},
                 {"nonzeros", f.nonzeros},
                 {"min_row", f.shortest_row},
                 {"max_row", f.longest_row},
                 {"mean_row", f.mean_row()},
                 {"variation", f.row_variation()},
                 {"empty_rows", f.empty_rows},
                 {"csr_bytes", result.csr_bytes}}},
               {"row_lengths", result.picture.row_lengths},
               {"pattern", result.picture.lines},
               {"apply_bytes", result.apply_bytes},
               {"prepare_seconds", result.prepare_seconds},
               {"chosen_scheme", result.chosen_scheme},
               {"choice_reason", result.choice_reason},
               {"steadiness", steadiness(result)},
               {"contestants", Json::array()}};
  if (!result.model_inputs.empty()) json["model_inputs"] = named(result.model_inputs);
  if (!result.block_inputs.empty()) json["block_inputs"] = named(result.block_inputs);
  if (result.triangle) json["triangle"] = triangle(*result.triangle, f.rows);
  if (const auto& search = result.search) {
    json["search_complete"] = search->complete;
    json["search"] = searched(*search);
  }
  for (const auto& c : result.contestants) {
    json["contestants"].push_back(contestant(result, c, figures));
  }
  return json;
}

Json steps(const DependentSteps& steps) {
  const auto seconds = [](const std::optional<double>& step) {
    return step ? Json(*step) : Json(nullptr);
  };
  return {{"memory", seconds(steps.memory)},
          {"cluster", seconds(steps.cluster)},
          {"cluster_barrier", seconds(steps.cluster_barrier)},
          {"team", seconds(steps.team)},
          {"warp", seconds(steps.warp)},
          {"barrier", seconds(steps.barrier)}};
}

Json allocator(const AllocatorFigures& figures) {
  Json times = Json::array();
  for (const AllocationTime& one : figures.times) {
    times.push_back({{"bytes", one.bytes},
                     {"allocate_seconds", one.allocate_seconds},
                     {"release_seconds", one.release_seconds}});
  }
  return {{"small_unit_bytes", figures.small_unit_bytes},
          {"large_unit_bytes", figures.large_unit_bytes},
          {"call_seconds", figures.call_seconds},
          {"byte_seconds", figures.byte_seconds},
          {"times", times}};
}

Json settings(const Json& own, const RunOptions& options) {
  Json json = own;
  json.update({{"repetitions", options.repetitions},
               {"precision", options.precision},
               {"budget_seconds", options.budget_seconds},
               {"flush", options.flush},
               {"verify", options.verify()},
               {"seed", options.matrices.seed},
               {"stopwatch", Stopwatch::kind()}});
  return json;
}

}  // namespace

Json results_json(const ResultsHead& head, const RunOptions& options,
                  const std::vector<MatrixResult>& results) {
  const Machine& machine = head.machine;
  const DeviceFigures& figures = head.figures;
  Json json = {{"schema_version", json_schema_version},
               {"operation", head.operation},
               {"date", machine.date},
               {"commit", machine.commit},
               {"heddle_version", machine.heddle_version},
               {"kokkos_version", machine.kokkos_version},
               {"compiler", machine.compiler},
               {"command_line", command_line(head.words, options)},
               {"machine",
                {{"device", machine.device.name},
                 {"backend", machine.backend},
                 {"lanes", machine.device.lanes},
                 {"multiprocessors", machine.device.multiprocessors},
                 {"cache_bytes", machine.device.cache_bytes},
                 {"concurrency", machine.concurrency},
                 {"threads", machine.threads},
                 {"cpu", machine.cpu}}},
               {"figures",
                {{"array_bytes", figures.array_bytes},
                 {"copy_gbytes_per_second", figures.copy_gbytes_per_second},
                 {"triad_gbytes_per_second", figures.triad_gbytes_per_second},
                 {"launch_seconds", figures.launch_seconds},
                 {"queued_launch_seconds", figures.queued_launch_seconds},
                 {"readback_seconds", figures.readback_seconds},
                 {"allocator", allocator(figures.allocator)},
                 {"step_seconds", steps(figures.steps)}}},
               {"settings", settings(head.settings, options)},
               {"matrices", Json::array()}};
  for (const auto& result : results) json["matrices"].push_back(matrix(result, figures));
  return json;
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

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
