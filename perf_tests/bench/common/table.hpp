// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "machine.hpp"
#include "results.hpp"

namespace heddle::bench {

/// As printf; at most 255 characters.
std::string format(const char* pattern, ...);
/// "12.3 us", "45.60 ms", "7.80 s"
std::string duration(double seconds);
/// "0.1 KB", "12.3 MB", "4.56 GB", of 1000
std::string bytes(std::size_t count);

/// A ratio, with fewer digits the larger it is.
std::string factor(double value);
/// The median, or "-".
std::string optional_duration(const Samples& samples);
/// The median time of a contestant.
inline double time_of(const ContestantResult& c) { return c.time.median(); }
/// The fastest by `seconds` of the contestants that ran, were right and are such as `counts` says;
/// null where there is none.
template <class Counts>
const ContestantResult* fastest(const MatrixResult& result, const Counts& counts,
                                double (*seconds)(const ContestantResult&) = time_of) {
  const ContestantResult* found = nullptr;
  for (const ContestantResult& c : result.contestants) {
    if (!c.timed() || !c.right() || !counts(c)) continue;
    if (!found || seconds(c) < seconds(*found)) found = &c;
  }
  return found;
}
/// How much faster a contestant is than that peer by `seconds`, or "-".
std::string against(const ContestantResult* peer, const ContestantResult& c,
                    double (*seconds)(const ContestantResult&) = time_of);
/// How much faster a contestant is than the fastest baseline, or "-".
std::string against_peer(const MatrixResult& result, const ContestantResult& c);
/// After a table, where something in it is not steady: a line that says so (steadiness.hpp).
void print_steadiness(std::ostream& out, const MatrixResult& result);

/// One paragraph: the device and what it was measured to do.
void print_machine(std::ostream& out, const Machine& machine, const DeviceFigures& figures);
/// What dependent steps were measured to take, "270 ns through memory, ..."; empty without any.
std::string dependent_steps(const DependentSteps& steps);
/// Three lines: what allocations were measured to take, the allocator's unit, and a readback.
void print_allocator(std::ostream& out, const DeviceFigures& figures);
/// A column of a table: its head, its width, and what it says of a contestant that ran.
struct Column {
  const char* head;
  int width;
  std::function<std::string(const ContestantResult&)> text;
};
/// What most tables have.
Column setup_column();
/// The setup over the time.
Column setups_column(const char* head);
Column time_column(const char* head = "time");
Column spread_column();
/// What stands beside the matrix.
Column kept_column();
/// One row a contestant, schemes first and an empty line before the first baseline, with these
/// columns, and behind them the verdict, whether it was chosen, what is not steady, and the note.
void print_rows(std::ostream& out, const MatrixResult& result, const std::vector<Column>& columns);
/// One row a contestant, schemes first, and what `choose` took.
void print_contestants(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures);
/// What the columns of those rows mean.
std::string table_help();

}  // namespace heddle::bench
