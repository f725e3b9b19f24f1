// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "../../core/files/load.hpp"
#include "../../core/files/matrix_market_header.hpp"
#include "options.hpp"

namespace heddle {

namespace detail::sgd {

/// Fields of the lines of a text, separated by blanks, commas, semicolons or `::`.
class Fields {
 public:
  explicit Fields(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {
    if (!files::has_byte_order_mark(text)) return;
    if (!text.starts_with("\xef\xbb\xbf")) {
      throw files::Fault{at_, "the file is UTF-16", "save it as plain ASCII, or as UTF-8"};
    }
    at_ += 3;
  }

  bool at_end() const { return at_ == end_; }
  bool at_line_end() const { return files::at_line_end(at_, end_); }
  const char* at() const { return at_; }
  void skip_blanks() { at_ = files::skip_blanks(at_, end_); }
  void skip_line() {
    while (!at_line_end()) ++at_;
    if (at_ != end_) ++at_;
  }
  /// The next field of the line; `kind` is its name in an Error.
  std::string_view next(const char* kind) {
    skip_blanks();
    if (at_line_end()) files::fault_in_number(at_, end_, kind);
    const char* const first = at_;
    while (!files::at_token_end(at_, end_) && separator() == 0) ++at_;
    const std::string_view field(first, static_cast<std::size_t>(at_ - first));
    if (field.empty()) {
      throw files::Fault{at_, std::string("the field of the ") + kind + " is empty", line_is};
    }
    skip_blanks();
    at_ += separator();
    skip_blanks();
    return field;
  }

  static constexpr const char* line_is =
      "write user item rating [time], between blanks, commas, semicolons or ::";

 private:
  /// Length of the separator at this place; 0: none.
  int separator() const {
    if (at_ == end_) return 0;
    if (*at_ == ',' || *at_ == ';') return 1;
    return *at_ == ':' && end_ - at_ > 1 && at_[1] == ':' ? 2 : 0;
  }

  const char *at_, *end_;
};

/// The number that a whole field holds.
template <class Parse>
auto number_of(std::string_view field, const Parse& parse) {
  const char* at = field.data();
  return parse(at, at + field.size());
}

}  // namespace detail::sgd

/// Reads ratings from a text that is in memory; see read_ratings. `name` is its name in an Error.
template <Scalar S = float, Ordinal O = int>
Ratings<S, O, Kokkos::HostSpace> parse_ratings(std::string_view text,
                                               const std::string& name = "<memory>") {
  using namespace files;
  using detail::sgd::Fields, detail::sgd::number_of;
  Ratings<S, O, Kokkos::HostSpace> ratings;
  std::vector<O> row, column;
  std::vector<S> value;
  const auto index = [](std::string_view field, const char* kind, std::int64_t& extent) {
    const std::int64_t number = number_of(
        field, [&](const char*& at, const char* end) { return parse_integer(at, end, kind); });
    if (number < 0 || number >= std::int64_t{std::numeric_limits<O>::max()}) {
      throw Fault{field.data(),
                  std::string(kind) + " " + std::to_string(number) + " is out of range",
                  "number users and items from 0 or 1 on, below the ordinal's largest"};
    }
    extent = std::max(extent, number + 1);
    return static_cast<O>(number);
  };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  try {
    bool first = true;
    for (Fields fields(text); !fields.at_end(); fields.skip_line()) {
      fields.skip_blanks();
      if (fields.at_line_end() || *fields.at() == '#' || *fields.at() == '%') continue;
      if (std::exchange(first, false) && is_letter(*fields.at())) continue;
      row.push_back(index(fields.next("user"), "user", ratings.rows));
      column.push_back(index(fields.next("item"), "item", ratings.columns));
      value.push_back(number_of(fields.next("rating"), parse_real<S>));
      if (!fields.at_line_end()) number_of(fields.next("time"), parse_real<double>);
      if (!fields.at_line_end()) {
        throw Fault{fields.at(),
                    "'" + printable(fields.next("end of the line")) + "' follows a rating's time",
                    Fields::line_is};
      }
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

/// Reads lines `user item rating [time]`, separated by blanks, commas, semicolons or `::`, plain or
/// compressed with gzip or xz, into host memory, in the order of the lines. Users are rows and
/// items columns, by the numbers of the file, from 0 on; a number without ratings keeps an empty
/// row or column. Empty lines, lines that begin with # or %, a first line of names
/// (userId,movieId,rating) and UTF-8's byte-order mark are skipped, and times are not kept.
///
/// Throws Error with the file and line of any fault.
template <Scalar S = float, Ordinal O = int>
Ratings<S, O, Kokkos::HostSpace> read_ratings(const std::string& path,
                                              const ReadOptions& options = {}) {
  const files::Bytes text = files::load(path, options);
  return parse_ratings<S, O>(text.view(), path);
}

/// Copies ratings to another memory space.
template <MemorySpace Space, Scalar S, Ordinal O, MemorySpace From>
Ratings<S, O, Space> copied_ratings(const Ratings<S, O, From>& from) {
  return {from.rows, from.columns, Kokkos::create_mirror_view_and_copy(Space(), from.row),
          Kokkos::create_mirror_view_and_copy(Space(), from.column),
          Kokkos::create_mirror_view_and_copy(Space(), from.value)};
}

}  // namespace heddle
