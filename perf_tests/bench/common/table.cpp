// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "steadiness.hpp"

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

std::string against_peer(const MatrixResult& result, const ContestantResult& c) {
  return against(result.best_baseline(), c);
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

bool moved_known(const MatrixResult& result) {
  return std::any_of(result.contestants.begin(), result.contestants.end(),
                     [](const ContestantResult& c) { return c.timed() && c.moved_bytes > 0; });
}

bool setup_rest_known(const MatrixResult& result) {
  return std::any_of(result.contestants.begin(), result.contestants.end(),
                     [](const ContestantResult& c) { return c.timed() && c.setup_rest(0); });
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

Column kept_column() {
  return {"kept", 11, [](const ContestantResult& c) { return bytes(c.bytes); }};
}

void print_rows(std::ostream& out, const MatrixResult& result, const std::vector<Column>& columns) {
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

void print_contestants(std::ostream& out, const MatrixResult& result,
                       const DeviceFigures& figures) {
  std::vector<Column> columns = {setup_column()};
  if (setup_rest_known(result)) {
    columns.push_back({"rest", 11, [&](const ContestantResult& c) {
                         const auto rest = c.setup_rest(figures.readback_seconds);
                         return rest ? duration(*rest) : "-";
                       }});
  }
  columns.push_back(setups_column("applies"));
  columns.push_back(time_column());
  columns.push_back(spread_column());
  columns.push_back(
      {"queued", 11, [](const ContestantResult& c) { return optional_duration(c.queued); }});
  columns.push_back(
      {"latency", 11, [](const ContestantResult& c) { return optional_duration(c.latency); }});
  columns.push_back({"GB/s", 10, [&](const ContestantResult& c) {
                       return format("%.1f", result.gbytes_per_second(c));
                     }});
  columns.push_back({"triad", 8, [&](const ContestantResult& c) {
                       return format("%.0f%%", 100 * result.gbytes_per_second(c) /
                                                   figures.triad_gbytes_per_second);
                     }});
  if (moved_known(result)) {
    columns.push_back({"moved", 10, [](const ContestantResult& c) {
                         return c.moved_bytes ? bytes(c.moved_bytes) : "-";
                       }});
  }
  columns.push_back(
      {"vs peer", 9, [&](const ContestantResult& c) { return against_peer(result, c); }});
  print_rows(out, result, columns);
  if (!result.chosen_scheme.empty()) {
    out << "\n  choose took " << result.chosen_scheme << ": " << result.choice_reason << '\n';
  }
  print_steadiness(out, result);
  out.flush();
}

void print_steadiness(std::ostream& out, const MatrixResult& result) {
  const std::string warning = steadiness_warning(result);
  if (!warning.empty()) out << "\n  " << warning << '\n';
}

std::string table_help() {
  return "columns of the table:\n"
         "  setup    median of the repeated setups (the first, which loads kernels, is in the "
         "JSON)\n"
         "  rest     the setup without its allocations (timed alone) and its waits for the device\n"
         "           (a readback each)\n"
         "  applies  the setup in applies of the same contestant\n"
         "  time     one apply, nothing queued before; by events of the device where it has them\n"
         "  spread   the range of the middle half of these times over their median\n"
         "  queued   time of one in ten applies in a row, or in fewer if one takes over 1 ms\n"
         "  latency  from the call to the end of the fence behind it, by the host's clock\n"
         "  GB/s     the least bytes of an apply of CSR (values, column indices, row pointer, x "
         "and\n"
         "           y once) over the time, whatever the contestant really moves\n"
         "  triad    that rate as a share of the measured STREAM triad\n"
         "  moved    bytes that one apply moves, if the contestant reports them\n"
         "  vs peer  time of the fastest baseline over this time: above 1 is faster\n";
}

}  // namespace heddle::bench
