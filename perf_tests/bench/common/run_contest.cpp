// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_contest.hpp"

#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "../../../core/files/output_file.hpp"

namespace heddle::bench {

namespace {

/// The machine and its figures, measured at first use, after mistakes in the request are reported.
class MeasuredMachine {
 public:
  MeasuredMachine(const std::string& commit, Progress& progress)
      : machine_(describe_machine(commit)), progress_(progress) {}

  const Machine& machine() const { return machine_; }
  const DeviceFigures& figures() {
    if (!figures_) {
      progress_.task("measuring this machine");
      figures_ = measure_device({});
      progress_.clear();
      print_machine(std::cout, machine_, *figures_);
    }
    return *figures_;
  }

 private:
  Machine machine_;
  Progress& progress_;
  std::optional<DeviceFigures> figures_;
};

/// Whether a second write to the path would append to the first, as for a device or a pipe.
bool appends(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool other = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  return other || path.starts_with("/dev/") || path.starts_with("/proc/");
}

/// Returns whether the file was written. Errors are printed and not thrown, so the run goes on.
template <class Text>
bool write(const std::string& path, bool last, const Text& text) {
  if (path.empty() || (appends(path) && !last)) return true;
  try {
    files::write_whole_file(path, text());
    return true;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return false;
  }
}

}  // namespace

int run_matrices(const MatrixRun& run, const RunOptions& options,
                 const std::vector<std::string>& words) {
  const std::vector<Source> sources = options.matrices.sources();
  for (const std::string& path : {options.json_path, options.csv_path}) {
    if (!path.empty()) files::require_writable(path);
  }
  asked_array_bytes();  // throws if the variable is wrong, which should cost no timed matrix

  Progress progress;
  MeasuredMachine measured(options.commit, progress);
  int code = all_well;
  std::vector<MatrixResult> results;
  for (const Source& source : sources) {
    try {
      MatrixResult result = run.run(source, progress);
      progress.clear();
      run.print(std::cout, result, measured.figures());
      for (const auto& c : result.contestants) {
        if (c.verdict == Verdict::wrong && code == all_well) code = wrong_result;
      }
      results.push_back(std::move(result));
    } catch (const Error& error) {
      progress.clear();
      std::cerr << error.what() << '\n';
      code = dynamic_cast<const OutOfMemory*>(&error) ? device_trouble : bad_input;
    }
    if (options.json_path.empty() && options.csv_path.empty()) continue;
    const ResultsHead head{run.operation, measured.machine(), measured.figures(), words,
                           run.settings};
    const Json json = results_json(head, options, results);
    const bool last = &source == &sources.back();
    if (!write(options.json_path, last, [&] { return json_text(json); }) ||
        !write(options.csv_path, last, [&] { return csv_text(json); })) {
      code = bad_input;
    }
  }
  return code;
}

}  // namespace heddle::bench
