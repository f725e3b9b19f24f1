// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace heddle::bench {

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

namespace {

std::string verdict(const ContestantResult& c) {
  switch (c.verdict) {
    case Verdict::ok: return "ok";
    case Verdict::wrong: return format("WRONG (%.3g x bound)", c.error_over_bound);
    case Verdict::unverified: return "-";
    case Verdict::unsupported: return "";
  }
  return "";
}

}  // namespace

std::string against(const ContestantResult* peer, const ContestantResult& c,
                    double (*seconds)(const ContestantResult&)) {
  return peer ? factor(seconds(*peer) / seconds(c)) + "x" : "-";
}

namespace {

std::string remarks(const ContestantResult& c) {
  const std::string unsteady = c.timed() ? unsteadiness(c) : "";
  return "  " + verdict(c) + (c.chosen ? "  <- chosen" : "") +
         (unsteady.empty() ? "" : "  unsteady: " + unsteady) +
         (c.note.empty() ? "" : "  " + c.note);
}

int name_width(const MatrixResult& result) {
  std::size_t longest = 14;
  for (const auto& c : result.contestants) longest = std::max(longest, c.name.size());
  return static_cast<int>(longest);
}

}  // namespace

Column setup_column() {
  return {"setup", 11, [](const ContestantResult& c) { return duration(c.setup.median()); }};
}

Column setups_column(const char* head) {
  return {head, 9, [](const ContestantResult& c) { return factor(c.setup.median() / time_of(c)); }};
}

Column time_column(const char* head) {
  return {head, 11, [](const ContestantResult& c) { return duration(time_of(c)); }};
}

Column spread_column() {
  return {"spread", 8, [](const ContestantResult& c) { return spread_of(c.time); }};
}

Column queued_column() {
  return {"queued", 11, [](const ContestantResult& c) { return optional_duration(c.queued); }};
}

Column rate_column(const MatrixResult& result, int width) {
  return {"GB/s", width,
          [&](const ContestantResult& c) { return format("%.1f", result.gbytes_per_second(c)); }};
}

Column moved_column() {
  return {"moved", 10,
          [](const ContestantResult& c) { return c.moved_bytes ? bytes(c.moved_bytes) : "-"; },
          true};
}

Column update_column(const char* head, int width) {
  return {head, width, [](const ContestantResult& c) { return optional_duration(c.update); }};
}

Column kept_column() {
  return {"kept", 11, [](const ContestantResult& c) { return bytes(c.bytes); }};
}

Column known_bytes_column() {
  return {"kept", 11, [](const ContestantResult& c) { return c.bytes ? bytes(c.bytes) : "-"; }};
}

void print_rows(std::ostream& out, const MatrixResult& result, std::vector<Column> columns) {
  std::erase_if(columns, [&](const Column& column) {
    return column.optional && std::none_of(result.contestants.begin(), result.contestants.end(),
                                           [&](const ContestantResult& c) {
                                             return c.timed() && column.text(c) != "-";
                                           });
  });
  const int width = name_width(result);
  out << format("  %-*s", width, "");
  for (const Column& column : columns) out << format("%*s", column.width, column.head);
  out << '\n';
  bool baseline_seen = false;
  for (const ContestantResult& c : result.contestants) {
    if (!c.is_scheme && !baseline_seen) out << '\n';
    baseline_seen = baseline_seen || !c.is_scheme;
    out << format("  %-*s", width, c.name.c_str());
    if (!c.timed()) {
      out << "  not run: " << c.note << '\n';
      continue;
    }
    for (const Column& column : columns) out << format("%*s", column.width, column.text(c).c_str());
    out << remarks(c) << '\n';
  }
}

void print_machine(std::ostream& out, const Machine& machine, const DeviceFigures& figures) {
  out << machine.device.name << " (" << machine.backend << ", " << machine.device.multiprocessors
      << (machine.device.has_lanes() ? " multiprocessors, " : " threads, ") << "cache "
      << bytes(machine.device.cache_bytes) << ")\n";
  if (!machine.device.has_lanes()) out << "threads: " << machine.threads << '\n';
  out << "measured: triad " << format("%.1f", figures.triad_gbytes_per_second) << " GB/s, copy "
      << format("%.1f", figures.copy_gbytes_per_second) << " GB/s, launch to fence "
      << duration(figures.launch_seconds) << ", queued launch "
      << duration(figures.queued_launch_seconds) << '\n';
}

void print_allocator(std::ostream& out, const DeviceFigures& figures) {
  const AllocatorFigures& allocator = figures.allocator;
  out << "an allocation and its release:";
  const char* separator = " ";
  for (const AllocationTime& one : allocator.times) {
    out << separator << duration(one.allocate_seconds) << " + " << duration(one.release_seconds)
        << " of " << bytes(one.bytes);
    separator = ", ";
  }
  out << "; from " << bytes(large_block_bytes) << " on about " << duration(allocator.call_seconds)
      << " and " << duration(1e6 * allocator.byte_seconds) << " a MB\n"
      << "the allocator's unit, as seen from addresses: " << allocator.small_unit_bytes
      << " bytes of small blocks, " << allocator.large_unit_bytes << " of large ones\n"
      << "a readback: " << duration(figures.readback_seconds) << '\n';
}

std::string dependent_steps(const DependentSteps& steps) {
  std::string text;
  const auto add = [&](const std::optional<double>& seconds, const char* where) {
    if (!seconds) return;
    text += (text.empty() ? "" : ", ") + format("%.0f ns ", 1e9 * *seconds) + where;
  };
  add(steps.memory, "through memory");
  add(steps.cluster, "in a cluster");
  add(steps.cluster_barrier, "by a barrier of a cluster");
  add(steps.team, "in a team");
  add(steps.warp, "in a warp");
  add(steps.barrier, "by a barrier of all threads");
  return text;
}

void print_steadiness(std::ostream& out, const MatrixResult& result) {
  const std::string warning = steadiness_warning(result);
  if (!warning.empty()) out << "\n  " << warning << '\n';
}

namespace {
/// Number of contestants that a warning names, so that it stays a line; the JSON names all.
constexpr std::size_t most_named = 6;

/// The samples that spread more: of single applies or of queued ones.
const Samples& less_steady(const ContestantResult& c) {
  return c.queued.spread() > c.time.spread() ? c.queued : c.time;
}

bool waits_less_and_takes_longer(const ContestantResult& c) {
  if (c.queued.empty() || c.latency.empty()) return false;
  const double waited = std::max(c.latency.median(), c.time.median());
  return c.queued.median() > (1 + spread_limit) * waited;
}
}  // namespace

std::string unsteadiness(const ContestantResult& c) {
  for (const auto& [name, samples] : {std::pair("time", &c.time), std::pair("queued", &c.queued)}) {
    if (samples->empty()) continue;
    const std::size_t count = samples->seconds.size();
    if (samples->spread() > spread_limit) return name + (" spreads " + spread_of(*samples));
    if (count < fewest_times) {
      return name + format(" of %zu repetition", count) + (count == 1 ? "" : "s");
    }
  }
  return waits_less_and_takes_longer(c) ? "queued takes longer than with waits" : "";
}

std::vector<const ContestantResult*> unsteady_contestants(const MatrixResult& result) {
  std::vector<const ContestantResult*> found;
  for (const ContestantResult& c : result.contestants) {
    if (less_steady(c).spread() > spread_limit) found.push_back(&c);
  }
  return found;
}

std::string steadiness_warning(const MatrixResult& result) {
  std::string text;
  const auto add = [&](const std::string& name, const Samples& samples) {
    text += (text.empty() ? "" : ", ") + name + " (" + spread_of(samples) + ")";
  };
  if (unsteady_machine(result)) add("the reference operation", result.reference);
  const auto unsteady = unsteady_contestants(result);
  const std::size_t named = std::min(unsteady.size(), most_named);
  for (std::size_t i = 0; i < named; ++i) add(unsteady[i]->name, less_steady(*unsteady[i]));
  if (text.empty()) return text;
  if (named < unsteady.size()) {
    text += " and " + std::to_string(unsteady.size() - named) + " others";
  }
  return "unsteady: the times of " + text + " spread by more than " +
         format("%.0f%%", 100 * spread_limit) +
         "; other programs may use this machine, so compare nothing by this table";
}

std::string spread_of(const Samples& samples) {
  return samples.seconds.size() < 3 ? "-" : format("%.0f%%", 100 * samples.spread());
}

}  // namespace heddle::bench
