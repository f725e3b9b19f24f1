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

/// Formats like printf; at most 255 characters.
std::string format(const char* pattern, ...);
/// "12.3 us", "45.60 ms", "7.80 s"
std::string duration(double seconds);
/// "0.1 KB", "12.3 MB", "4.56 GB"; units are powers of 1000
std::string bytes(std::size_t count);

/// A ratio, with fewer digits the larger it is.
std::string factor(double value);
/// The median, or "-" without samples.
std::string optional_duration(const Samples& samples);
/// The median time of a contestant.
inline double time_of(const ContestantResult& c) { return c.time.median(); }
/// The fastest contestant by `seconds` among those that ran, were right and satisfy `counts`; null
/// if there is none.
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
/// Speed-up of a contestant over `peer` by `seconds`, or "-".
std::string against(const ContestantResult* peer, const ContestantResult& c,
                    double (*seconds)(const ContestantResult&) = time_of);
/// Speed-up of a contestant over the fastest baseline, or "-".
std::string against_peer(const MatrixResult& result, const ContestantResult& c);
/// Prints a line after a table if something in it is unsteady (steadiness.hpp).
void print_steadiness(std::ostream& out, const MatrixResult& result);

/// Prints one paragraph: the device and its measured limits.
void print_machine(std::ostream& out, const Machine& machine, const DeviceFigures& figures);
/// Measured times of dependent steps, "270 ns through memory, ..."; empty without any.
std::string dependent_steps(const DependentSteps& steps);
/// Prints three lines: the measured times of allocations, the allocator's unit, and a readback.
void print_allocator(std::ostream& out, const DeviceFigures& figures);
/// A column of a table: its head, its width, and its text for a contestant that ran.
struct Column {
  const char* head;
  int width;
  std::function<std::string(const ContestantResult&)> text;
};
/// Columns of most tables.
Column setup_column();
/// The set-up over the time of an apply.
Column setups_column(const char* head);
Column time_column(const char* head = "time");
Column spread_column();
/// Bytes that are kept in addition to the matrix.
Column kept_column();
/// Prints one row for each contestant, schemes first and an empty line before the first baseline:
/// these columns, then the verdict, whether it was chosen, what is unsteady, and the note.
void print_rows(std::ostream& out, const MatrixResult& result, const std::vector<Column>& columns);
/// Prints one row for each contestant, schemes first, and the choice of `choose`.
void print_contestants(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures);
/// Help for the columns of those rows.
std::string table_help();

}  // namespace heddle::bench
