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

std::string against_peer(const MatrixResult& result, const ContestantResult& c) {
  const ContestantResult* peer = result.best_baseline();
  return peer ? factor(peer->time.median() / c.time.median()) + "x" : "-";
}

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

namespace {

bool moved_known(const MatrixResult& result) {
  return std::any_of(result.contestants.begin(), result.contestants.end(),
                     [](const ContestantResult& c) { return c.timed() && c.moved_bytes > 0; });
}

bool setup_rest_known(const MatrixResult& result) {
  return std::any_of(result.contestants.begin(), result.contestants.end(),
                     [](const ContestantResult& c) { return c.timed() && c.setup_rest(0); });
}

void print_row(std::ostream& out, const MatrixResult& result, const ContestantResult& c,
               const DeviceFigures& figures, int width) {
  out << format("  %-*s", width, c.name.c_str());
  if (!c.timed()) {
    out << "  not run: " << c.note << '\n';
    return;
  }
  const double time = c.time.median();
  const double rate = result.gbytes_per_second(c);
  out << format("%11s", duration(c.setup.median()).c_str());
  if (setup_rest_known(result)) {
    const auto rest = c.setup_rest(figures.readback_seconds);
    out << format("%11s", rest ? duration(*rest).c_str() : "-");
  }
  out << format("%9s", factor(c.setup.median() / time).c_str())
      << format("%11s", duration(time).c_str()) << format("%8s", spread_of(c.time).c_str())
      << format("%11s", optional_duration(c.queued).c_str())
      << format("%11s", optional_duration(c.latency).c_str()) << format("%10.1f", rate)
      << format("%7.0f%%", 100 * rate / figures.triad_gbytes_per_second);
  if (moved_known(result)) {
    out << format("%10s", c.moved_bytes ? bytes(c.moved_bytes).c_str() : "-");
  }
  out << format("%9s", against_peer(result, c).c_str()) << remarks(c) << '\n';
}

}  // namespace

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
  const int width = name_width(result);
  out << format("  %-*s%11s", width, "", "setup")
      << (setup_rest_known(result) ? format("%11s", "rest") : "")
      << format("%9s%11s%8s%11s%11s%10s%8s", "applies", "time", "spread", "queued", "latency",
                "GB/s", "triad")
      << (moved_known(result) ? format("%10s", "moved") : "") << format("%9s\n", "vs peer");
  print_each(out, result,
             [&](const ContestantResult& c) { print_row(out, result, c, figures, width); });
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
         "  rest     the setup without its allocations, as they take alone, and without its waits\n"
         "           for the device, a readback each\n"
         "  applies  the setup in applies of the same contestant\n"
         "  time     one apply, nothing queued before; by events of the device where it has them\n"
         "  spread   the range of the middle half of these times over their median\n"
         "  queued   one of ten applies behind each other, of fewer where one takes over 1 ms\n"
         "  latency  from the call to the end of the fence behind it, by the host's clock\n"
         "  GB/s     the least bytes of an apply of CSR (values, column indices, row pointer, x "
         "and\n"
         "           y once) over the time, whatever the contestant really moves\n"
         "  triad    that rate as a share of the measured STREAM triad\n"
         "  moved    what one apply really moves, where a contestant tells\n"
         "  vs peer  time of the fastest baseline over this time: above 1 is faster\n";
}

}  // namespace heddle::bench
