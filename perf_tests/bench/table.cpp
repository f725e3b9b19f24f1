// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace heddle::bench {

namespace {

std::string format(const char* pattern, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return format("%.1f us", 1e6 * seconds);
  if (seconds < 1) return format("%.2f ms", 1e3 * seconds);
  return format("%.2f s", seconds);
}

std::string bytes(std::size_t count) {
  const auto value = static_cast<double>(count);
  if (value < 1e6) return format("%.1f KB", 1e-3 * value);
  if (value < 1e9) return format("%.1f MB", 1e-6 * value);
  return format("%.2f GB", 1e-9 * value);
}

std::string factor(double value) {
  return format(value < 10 ? "%.2f" : value < 1000 ? "%.1f" : "%.0f", value);
}

std::string optional_duration(const Samples& samples) {
  return samples.empty() ? "-" : duration(samples.median());
}

std::string verdict(const ContestantResult& c) {
  switch (c.verdict) {
    case Verdict::ok: return "ok";
    case Verdict::wrong: return format("WRONG (%.3g x bound)", c.error_over_bound);
    case Verdict::unverified: return "-";
    case Verdict::unsupported: return "";
  }
  return "";
}

void print_row(std::ostream& out, const MatrixResult& result, const ContestantResult& c,
               const DeviceFigures& figures, int name_width) {
  out << format("  %-*s", name_width, c.name.c_str());
  if (!c.timed()) {
    out << "  not run: " << c.note << '\n';
    return;
  }
  const double time = c.time.median();
  const double rate = result.gbytes_per_second(c);
  const ContestantResult* peer = result.best_baseline();
  const std::string against = peer ? factor(peer->time.median() / time) + "x" : "-";
  out << format("%11s", duration(c.setup.median()).c_str())
      << format("%9s", factor(c.setup.median() / time).c_str())
      << format("%11s", duration(time).c_str())
      << format("%11s", optional_duration(c.queued).c_str())
      << format("%11s", optional_duration(c.latency).c_str()) << format("%10.1f", rate)
      << format("%7.0f%%", 100 * rate / figures.triad_gbytes_per_second)
      << format("%9s", against.c_str()) << "  " << verdict(c) << (c.chosen ? "  <- chosen" : "")
      << (c.note.empty() ? "" : "  " + c.note) << '\n';
}

}  // namespace

void print_machine(std::ostream& out, const Machine& machine, const DeviceFigures& figures) {
  out << machine.device.name << " (" << machine.backend << ", " << machine.device.multiprocessors
      << (machine.device.has_lanes() ? " multiprocessors, " : " threads, ") << "cache "
      << bytes(machine.device.cache_bytes) << ")\n"
      << "measured: triad " << format("%.1f", figures.triad_gbytes_per_second) << " GB/s, copy "
      << format("%.1f", figures.copy_gbytes_per_second) << " GB/s, launch to fence "
      << duration(figures.launch_seconds) << ", queued launch "
      << duration(figures.queued_launch_seconds) << '\n';
}

void print_table(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                 const SpmvRequest& request) {
  const MatrixFeatures& f = result.features;
  out << '\n'
      << result.name << ": " << f.rows << " x " << f.columns << ", " << f.nonzeros
      << " nonzeros, row mean " << format("%.2f", f.mean_row) << " max " << f.max_row << ", "
      << bytes(f.csr_bytes) << " of CSR, " << bytes(result.apply_bytes) << " an apply";
  if (request.columns > 1) {
    out << ", " << request.columns << " columns, layout " << request.layout;
  }
  out << "\n\n";

  std::size_t longest = 14;
  for (const auto& c : result.contestants) longest = std::max(longest, c.name.size());
  const int width = static_cast<int>(longest);
  out << format("  %-*s%11s%9s%11s%11s%11s%10s%8s%9s\n", width, "", "setup", "applies", "time",
                "queued", "latency", "GB/s", "triad", "vs peer");
  bool baseline_seen = false;
  for (const auto& c : result.contestants) {
    if (!c.scheme && !baseline_seen) out << '\n';
    baseline_seen = baseline_seen || !c.scheme;
    print_row(out, result, c, figures, width);
  }
  if (!result.chosen_scheme.empty()) {
    out << "\n  choose took " << result.chosen_scheme << ": " << result.choice_reason << '\n';
  }
  out.flush();
}

}  // namespace heddle::bench
