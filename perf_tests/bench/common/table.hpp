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

/// Times that spread more than this (Samples::spread) are not comparable: other programs used the
/// machine, or its clocks changed. A guess: idle machines stay below a tenth of it or two.
inline constexpr double spread_limit = 0.25;

/// Fewer times than these say nothing about their spread.
inline constexpr std::size_t fewest_times = 10;

/// Reason that the times of a contestant are not comparable: they are few, or spread by more than
/// spread_limit, or queued applies take longer than applies with a wait after each. "" if there is
/// none.
std::string unsteadiness(const ContestantResult& c);

/// The contestants whose times, single or queued, spread by more than spread_limit.
std::vector<const ContestantResult*> unsteady_contestants(const MatrixResult& result);
/// Whether the times of the reference work spread by more than spread_limit.
inline bool unsteady_machine(const MatrixResult& result) {
  return result.reference.spread() > spread_limit;
}
/// One line that names what is unsteady, with its spread, and at most six contestants; empty if all
/// is steady.
std::string steadiness_warning(const MatrixResult& result);
/// Text of the column of spreads: "12%", or "-" for fewer than three times.
std::string spread_of(const Samples& samples);

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
/// Speed-up of a contestant over `peer` by `seconds`, or "-".
std::string against(const ContestantResult* peer, const ContestantResult& c,
                    double (*seconds)(const ContestantResult&) = time_of);
/// Prints a line after a table if something in it is unsteady (steadiness_warning).
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
  bool optional = false;  ///< left out if it has "-" for all contestants
};
/// Columns of most tables.
Column setup_column();
/// The set-up over the time of an apply.
Column setups_column(const char* head);
Column time_column(const char* head = "time");
Column spread_column();
Column queued_column();
/// GB/s by the bytes that every contestant has to move.
Column rate_column(const MatrixResult& result, int width);
/// Bytes that an apply moves, if a contestant knows them.
Column moved_column();
Column update_column(const char* head, int width = 11);
/// Bytes that are kept in addition to the matrix.
Column kept_column();
/// Bytes that are kept, with "-" for none, which is unknown.
Column known_bytes_column();
/// The time of peer_of(contestant) over the contestant's; "-" if that is null.
template <class PeerOf>
Column peer_column(const PeerOf& peer_of, double (*seconds)(const ContestantResult&) = time_of,
                   const char* head = "vs peer") {
  return {head, 9, [=](const ContestantResult& c) { return against(peer_of(c), c, seconds); }};
}
/// Prints one row for each contestant, schemes first and an empty line before the first baseline:
/// these columns, then the verdict, whether it was chosen, what is unsteady, and the note.
void print_rows(std::ostream& out, const MatrixResult& result, std::vector<Column> columns);

}  // namespace heddle::bench
