// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../core/files/load.hpp"
#include "../../core/files/matrix_market_header.hpp"
#include "options.hpp"

namespace heddle {

/// Reads ratings from a text that is in memory; see read_ratings. `name` stands for it in an Error.
template <Scalar S = float, Ordinal O = int>
Ratings<S, O, Kokkos::HostSpace> parse_ratings(std::string_view text,
                                               const std::string& name = "<memory>") {
  using namespace files;
  Ratings<S, O, Kokkos::HostSpace> ratings;
  std::vector<O> row, column;
  std::vector<S> value;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto index = [&](const char* kind, std::int64_t& extent) {
    at = skip_blanks(at, end);
    const char* const first = at;
    const std::int64_t number = parse_integer(at, end, kind);
    if (number < 0 || number >= std::int64_t{std::numeric_limits<O>::max()}) {
      throw Fault{first, std::string(kind) + " " + std::to_string(number) + " is out of range",
                  "number users and items from 0 or 1 on, below the ordinal's largest"};
    }
    extent = std::max(extent, number + 1);
    return static_cast<O>(number);
  };
  try {
    while (at != end) {
      at = skip_blanks(at, end);
      if (!at_line_end(at, end) && *at != '#' && *at != '%') {
        row.push_back(index("user", ratings.rows));
        column.push_back(index("item", ratings.columns));
        at = skip_blanks(at, end);
        if (at_line_end(at, end)) fault_in_number(at, end, "rating");
        value.push_back(parse_real<S>(at, end));
        at = skip_blanks(at, end);
        if (!at_line_end(at, end)) parse_real<double>(at, end);  // the time
        at = skip_blanks(at, end);
        if (!at_line_end(at, end)) {
          throw Fault{at, "'" + printable(token_at(at, end)) + "' stands behind a rating's time",
                      "a line is: user item rating [time]"};
        }
      }
      while (at != end && *at != '\n') ++at;
      if (at != end) ++at;
    }
  } catch (const Fault& fault) {
    throw error_at(text, name, fault);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("there is not enough memory to read the ratings of " + name,
                      "read them on a machine with more memory");
  }
  const auto copied = [](const std::string& label, const auto& from) {
    using T = typename std::decay_t<decltype(from)>::value_type;
    const Kokkos::View<T*, Kokkos::HostSpace> to(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, label), from.size());
    std::copy(from.begin(), from.end(), to.data());
    return to;
  };
  ratings.row = copied("heddle::sgd::row", row);
  ratings.column = copied("heddle::sgd::column", column);
  ratings.value = copied("heddle::sgd::value", value);
  return ratings;
}

/// Reads lines `user item rating [time]`, separated by blanks, plain or compressed with gzip or xz,
/// into host memory, in the order of the lines. Users are rows and items columns, by the numbers of
/// the file, from 0 on; a number without ratings keeps an empty row or column. Empty lines and
/// lines that begin with # or % are skipped, and times are not kept.
///
/// Throws Error with the file and line of any fault.
template <Scalar S = float, Ordinal O = int>
Ratings<S, O, Kokkos::HostSpace> read_ratings(const std::string& path,
                                              const ReadOptions& options = {}) {
  const files::Bytes text = files::load(path, options);
  return parse_ratings<S, O>(text.view(), path);
}

/// The same ratings in another memory space.
template <MemorySpace Space, Scalar S, Ordinal O, MemorySpace From>
Ratings<S, O, Space> copied_ratings(const Ratings<S, O, From>& from) {
  return {from.rows, from.columns, Kokkos::create_mirror_view_and_copy(Space(), from.row),
          Kokkos::create_mirror_view_and_copy(Space(), from.column),
          Kokkos::create_mirror_view_and_copy(Space(), from.value)};
}

}  // namespace heddle
