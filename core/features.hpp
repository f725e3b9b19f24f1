// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace heddle {

/// Properties that a user guarantees, so that they are not checked: each promise saves passes of
/// the inspection over the entries. None is set by default. A broken promise is undefined behaviour
/// unless it is checked (SpmvOptions::check_promises).
struct Promises {
  /// Every column index is at least 0 and less than the number of columns.
  bool in_range = false;
  /// The columns of each row ascend; repeated ones are neighbours.
  bool sorted = false;
};

namespace detail {

/// part / whole; 0 if whole is 0.
inline double share(double part, std::int64_t whole) {
  return whole ? part / static_cast<double>(whole) : 0;
}

}  // namespace detail

/// Features of a matrix that the row pointer determines. Lengths of rows count stored entries: a
/// repeated entry counts each time. All are 0 for a matrix without rows.
struct RowFeatures {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t empty_rows = 0;
  std::int64_t shortest_row = 0;
  std::int64_t longest_row = 0;
  /// Variance of the lengths of the rows: the mean square distance from the mean.
  double row_variance = 0;
  /// Slots in slices of slice_rows consecutive rows: each slice is as wide as its longest row, and
  /// the last one is padded to full height; 0 if not counted.
  std::int64_t slice_slots = 0;
  static constexpr int slice_rows = 32;
  /// Slots in groups of 2, 4, 8 and 16 consecutive rows, counted as slice_slots.
  std::array<std::int64_t, 4> group_slots = {};
  /// Slots in groups of 64 and 128 rows, the slices of devices with wavefronts of 64 lanes; counted
  /// only on those devices.
  std::array<std::int64_t, 2> wide_group_slots = {};
  static constexpr int widest_group = 128;

  /// Slots in groups of `rows_of_group` rows, a power of two up to widest_group; 0 if not counted.
  std::int64_t slots_of_groups(int rows_of_group) const {
    if (rows_of_group == 1) return slice_slots == 0 ? 0 : nonzeros;
    if (rows_of_group == slice_rows) return slice_slots;
    for (std::size_t i = 0; i < group_slots.size(); ++i) {
      if (rows_of_group == 2 << i) return group_slots[i];
    }
    for (std::size_t i = 0; i < wide_group_slots.size(); ++i) {
      if (rows_of_group == 2 * slice_rows << i) return wide_group_slots[i];
    }
    return 0;
  }
  /// Mean over all groups of `rows_of_group` rows of the longest row in the group: the number of
  /// steps of lanes that process the rows of a group together.
  double mean_longest_of_groups(int rows_of_group) const {
    return detail::share(static_cast<double>(slots_of_groups(rows_of_group)), rows);
  }

  double mean_row() const { return detail::share(static_cast<double>(nonzeros), rows); }
  /// Nonzeros divided by rows x columns.
  double density() const { return detail::share(mean_row(), columns); }
  /// Coefficient of variation: standard deviation over mean; 0 for a matrix without entries.
  double row_variation() const { return nonzeros ? std::sqrt(row_variance) / mean_row() : 0; }
};

/// Calls show(name, value, unit) for each feature; value is std::int64_t or double.
template <class Show>
void visit_features(const RowFeatures& features, const Show& show) {
  show("rows", features.rows, "");
  show("columns", features.columns, "");
  show("nonzeros", features.nonzeros, "");
  show("density", features.density(), "");
  show("empty_rows", features.empty_rows, "");
  show("shortest_row", features.shortest_row, "entries");
  show("longest_row", features.longest_row, "entries");
  show("mean_row", features.mean_row(), "entries");
  show("row_variance", features.row_variance, "entries^2");
  show("row_variation", features.row_variation(), "");
  show("slice_slots", features.slice_slots, "");
  for (int group = 2; group < RowFeatures::slice_rows; group *= 2) {
    show("slots_of_" + std::to_string(group) + "_rows", features.slots_of_groups(group), "");
  }
  for (int group = 2 * RowFeatures::slice_rows; group <= RowFeatures::widest_group; group *= 2) {
    const std::int64_t slots = features.slots_of_groups(group);
    if (slots > 0) show("slots_of_" + std::to_string(group) + "_rows", slots, "");
  }
}

namespace detail {

/// Prints one feature on each line: name, value, unit.
template <class Features>
void print_features(std::ostream& out, const Features& features) {
  constexpr std::size_t name_width = 22;
  visit_features(features, [&](const std::string& name, auto value, const std::string& unit) {
    out << name << std::string(name_width - name.size(), ' ') << value
        << (unit.empty() ? "" : " " + unit) << '\n';
  });
}

}  // namespace detail

/// Prints one feature on each line, with its unit.
inline std::ostream& operator<<(std::ostream& out, const RowFeatures& features) {
  detail::print_features(out, features);
  return out;
}

/// Features that depend on the positions of the entries.
struct PatternFeatures : RowFeatures {
  /// The largest i - j and the largest j - i over all entries (i, j); 0 if no entry is below or
  /// above the diagonal.
  std::int64_t lower_bandwidth = 0;
  std::int64_t upper_bandwidth = 0;
  /// Number of diagonals j - i = constant that hold an entry.
  std::int64_t diagonals = 0;
  /// Whether the columns of every row ascend (repeated ones may be neighbours).
  bool sorted = true;
  /// Number of slices of slice_rows consecutive rows whose columns span less than narrow_span;
  /// slices without entries count too. -1 unless sorted.
  std::int64_t narrow_slices = 0;
  /// The range of 16 bits without its largest value, which marks a slot without a column.
  static constexpr std::int64_t narrow_span = 65535;
  /// Share of the slices that are narrow; -1 unless sorted.
  double narrow_slice_share() const {
    if (narrow_slices < 0) return -1;
    return detail::share(static_cast<double>(narrow_slices), (rows + slice_rows - 1) / slice_rows);
  }
};

/// Calls show(name, value, unit) for each feature, those of the rows first.
template <class Show>
void visit_features(const PatternFeatures& features, const Show& show) {
  visit_features(static_cast<const RowFeatures&>(features), show);
  show("lower_bandwidth", features.lower_bandwidth, "");
  show("upper_bandwidth", features.upper_bandwidth, "");
  show("diagonals", features.diagonals, "");
  show("sorted", std::int64_t{features.sorted}, "");
  show("narrow_slice_share", features.narrow_slice_share(), "");
}

/// Prints one feature on each line, with its unit.
inline std::ostream& operator<<(std::ostream& out, const PatternFeatures& features) {
  detail::print_features(out, features);
  return out;
}

/// The known features of a matrix: those of its rows from the start, those of its pattern from the
/// first call that asks for them, since they cost a pass over the nonzeros.
class Features {
 public:
  using CountBlocks = std::function<std::int64_t(int rows, int columns)>;

  Features(const RowFeatures& rows, std::function<PatternFeatures()> find_pattern = {},
           CountBlocks count_blocks = {})
      : rows_(rows),
        find_pattern_(std::move(find_pattern)),
        count_blocks_(std::move(count_blocks)) {}

  const RowFeatures& rows() const { return rows_; }

  /// Whether pattern() may be called.
  bool has_pattern() const { return pattern_ || find_pattern_; }
  const PatternFeatures& pattern() const {
    if (!pattern_) pattern_ = find_pattern_();
    return *pattern_;
  }
  /// The features of the pattern if they are known, else null.
  const PatternFeatures* known_pattern() const { return pattern_ ? &*pattern_ : nullptr; }

  /// Whether blocks() may be called.
  bool has_blocks() const { return static_cast<bool>(count_blocks_); }
  /// Number of aligned blocks of `rows` x `columns` that hold an entry, estimated from a sample.
  std::int64_t blocks(int rows, int columns) const {
    const auto [found, is_new] = blocks_.try_emplace({rows, columns}, 0);
    if (is_new) found->second = count_blocks_(rows, columns);
    return found->second;
  }

 private:
  RowFeatures rows_;
  std::function<PatternFeatures()> find_pattern_;
  CountBlocks count_blocks_;
  mutable std::optional<PatternFeatures> pattern_;
  mutable std::map<std::pair<int, int>, std::int64_t> blocks_;
};

}  // namespace heddle
