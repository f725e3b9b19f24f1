// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <heddle/core/error.hpp>
#include <nlohmann/json.hpp>

#include "stopwatch.hpp"

namespace heddle::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

Json samples(const Samples& s) {
  if (s.empty()) return nullptr;
  return {{"median", s.median()},
          {"min", s.min()},
          {"max", s.max()},
          {"repetitions", s.seconds.size()}};
}

Json contestant(const MatrixResult& result, const ContestantResult& c) {
  Json json = {{"name", c.name},
               {"kind", c.scheme ? "scheme" : "baseline"},
               {"chosen", c.chosen},
               {"verdict", name(c.verdict)},
               {"note", c.note}};
  const bool finite = std::isfinite(c.error_over_bound);
  const bool verified = c.verdict == Verdict::ok || c.verdict == Verdict::wrong;
  json["error_over_bound"] = verified && finite ? Json(c.error_over_bound) : Json(nullptr);
  json["first_setup_seconds"] = c.timed() ? Json(c.first_setup_seconds) : Json(nullptr);
  json["setup_seconds"] = samples(c.setup);
  json["time_seconds"] = samples(c.time);
  json["queued_seconds"] = samples(c.queued);
  json["latency_seconds"] = samples(c.latency);
  json["bytes"] = c.bytes;
  json["gbytes_per_second"] = c.timed() ? Json(result.gbytes_per_second(c)) : Json(nullptr);
  return json;
}

Json matrix(const MatrixResult& result) {
  const MatrixFeatures& f = result.features;
  Json json = {{"name", result.name},
               {"source", without_folder(result.source)},
               {"features",
                {{"rows", f.rows},
                 {"columns", f.columns},
                 {"nonzeros", f.nonzeros},
                 {"min_row", f.min_row},
                 {"max_row", f.max_row},
                 {"mean_row", f.mean_row},
                 {"variation", f.variation},
                 {"empty_rows", f.empty_rows},
                 {"csr_bytes", f.csr_bytes}}},
               {"apply_bytes", result.apply_bytes},
               {"prepare_seconds", result.prepare_seconds},
               {"chosen_scheme", result.chosen_scheme},
               {"choice_reason", result.choice_reason},
               {"contestants", Json::array()}};
  for (const auto& c : result.contestants) json["contestants"].push_back(contestant(result, c));
  return json;
}

}  // namespace

std::string to_json(const Machine& machine, const DeviceFigures& figures,
                    const SpmvRequest& request, const std::vector<std::string>& command_line,
                    const std::vector<MatrixResult>& results) {
  Json words = Json::array();
  for (const std::string& word : command_line) words.push_back(without_folder(word));
  Json json = {{"schema_version", json_schema_version},
               {"date", machine.date},
               {"commit", machine.commit},
               {"heddle_version", machine.heddle_version},
               {"kokkos_version", machine.kokkos_version},
               {"compiler", machine.compiler},
               {"command_line", words},
               {"machine",
                {{"device", machine.device.name},
                 {"backend", machine.backend},
                 {"lanes", machine.device.lanes},
                 {"multiprocessors", machine.device.multiprocessors},
                 {"cache_bytes", machine.device.cache_bytes},
                 {"concurrency", machine.concurrency},
                 {"cpu", machine.cpu}}},
               {"figures",
                {{"array_bytes", figures.array_bytes},
                 {"copy_gbytes_per_second", figures.copy_gbytes_per_second},
                 {"triad_gbytes_per_second", figures.triad_gbytes_per_second},
                 {"launch_seconds", figures.launch_seconds},
                 {"queued_launch_seconds", figures.queued_launch_seconds}}},
               {"settings",
                {{"scalar", request.scalar},
                 {"offset_bits", request.offset_bits},
                 {"columns", request.columns},
                 {"layout", request.layout},
                 {"repetitions", request.repetitions},
                 {"budget_seconds", request.budget_seconds},
                 {"expected_applies", request.expected_applies},
                 {"flush", request.flush},
                 {"verify", request.verify},
                 {"seed", request.seed},
                 {"stopwatch", Stopwatch::kind()}}},
               {"matrices", Json::array()}};
  for (const auto& result : results) json["matrices"].push_back(matrix(result));
  return json.dump(1) + "\n";
}

void replace_file(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished);
  file << text;
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    throw Error("cannot write " + path, "give --json a path in a folder that can be written");
  }
}

}  // namespace heddle::bench
