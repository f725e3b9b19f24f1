// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An oracle of merging by parents.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "../../solvers/sptrsv/transform/merging.hpp"

namespace heddle::test {

/// The groups of Merging::Kind::parents, by one thread: the rounds that MergeParentsKernel
/// documents, without its method.
struct SerialParents {
  using Merging = heddle::detail::sptrsv::Merging;
  static constexpr int most_rows = heddle::detail::sptrsv::most_rows;
  static constexpr std::size_t most_groups = heddle::detail::sptrsv::most_groups;
  struct Group {
    std::int64_t entries;
    std::size_t part_of;
    int level, rows, first_rows;
  };
  struct Asking {
    std::size_t place;
    std::vector<std::size_t> groups;
    Group sum;
  };
  static constexpr std::size_t window = 1024;

  std::vector<Group> groups;
  std::vector<std::size_t> group;  ///< for each place

  template <class Triangle>
  SerialParents(const Triangle& triangle, const Merging& merging) {
    const std::size_t n = triangle.row_ptr.size() - 1;
    const std::size_t none = n;
    groups.resize(n);
    group.assign(n, none);
    std::vector<std::size_t> left;  // the lowest undecided place of each residue
    for (std::size_t p = 0; p < std::min(window, n); ++p) left.push_back(p);
    while (!left.empty()) {
      std::vector<Asking> asking;
      for (const std::size_t p : left) {
        Asking one{p, {}, {triangle.entries(static_cast<std::int64_t>(p)), 0, -1, 1, 0}};
        if (parents(triangle, p, none, one)) asking.push_back(one);
      }
      std::map<std::size_t, std::size_t> first;
      std::map<std::size_t, Group> joining;
      for (const Asking& one : asking) {
        if (!fits(one, merging)) continue;
        for (const std::size_t g : one.groups) first.emplace(g, one.place);  // ascending places
        if (one.groups.size() > 1) continue;
        Group& sum = joining[one.groups.front()];
        sum.rows += 1;
        sum.entries += triangle.entries(static_cast<std::int64_t>(one.place));
      }
      std::vector<const Asking*> taken;
      for (const Asking& one : asking) {
        bool is_first = true, all_join = false;
        for (const std::size_t g : one.groups) {
          if (!fits(one, merging)) continue;
          is_first = is_first && first[g] == one.place;
          all_join =
              all_join || (joining.count(g) && groups[g].rows + joining[g].rows <= most_rows &&
                           groups[g].entries + joining[g].entries <= merging.most_entries);
        }
        const bool joins = one.groups.size() == 1;
        if (!fits(one, merging) || (joins ? is_first || all_join : is_first && !all_join)) {
          taken.push_back(&one);
        }
      }
      for (const Asking* one : taken) take(triangle, *one, merging);
      std::vector<std::size_t> still;
      for (const std::size_t p : left) {
        const std::size_t next = group[p] == none ? p : p + window;
        if (next < n) still.push_back(next);
      }
      std::sort(still.begin(), still.end());
      left = still;
    }
    for (std::size_t& g : group) g = whole(g);
  }

 private:
  std::size_t whole(std::size_t g) const {
    while (groups[g].part_of != g) g = groups[g].part_of;
    return g;
  }
  /// Whether all parents of a row are decided; sets those of the highest level, and their sum.
  template <class Triangle>
  bool parents(const Triangle& triangle, std::size_t p, std::size_t none, Asking& one) const {
    for (auto k = triangle.row_ptr[p]; k < triangle.row_ptr[p + 1]; ++k) {
      const auto needs = static_cast<std::size_t>(triangle.needed[static_cast<std::size_t>(k)]);
      if (group[needs] == none) return false;
      const std::size_t g = whole(group[needs]);
      if (groups[g].level > one.sum.level) one.groups.clear();
      one.sum.level = std::max(one.sum.level, groups[g].level);
      if (groups[g].level < one.sum.level) continue;
      if (std::find(one.groups.begin(), one.groups.end(), g) == one.groups.end()) {
        one.groups.push_back(g);
      }
    }
    for (const std::size_t g : one.groups) {
      one.sum.entries += groups[g].entries;
      one.sum.rows += groups[g].rows;
      one.sum.first_rows += groups[g].first_rows;
    }
    return true;
  }
  static bool fits(const Asking& one, const Merging& merging) {
    return !one.groups.empty() && one.sum.rows <= most_rows && one.groups.size() <= most_groups &&
           one.sum.entries <= merging.most_entries &&
           (one.groups.size() == 1 || one.sum.first_rows <= merging.number);
  }
  template <class Triangle>
  void take(const Triangle& triangle, const Asking& one, const Merging& merging) {
    const std::int64_t entries = triangle.entries(static_cast<std::int64_t>(one.place));
    if (!fits(one, merging)) {
      groups[one.place] = {entries, one.place, one.sum.level + 1, 1, 1};
      group[one.place] = one.place;
      return;
    }
    const std::size_t into = *std::min_element(one.groups.begin(), one.groups.end());
    if (one.groups.size() == 1) {
      groups[into].rows += 1;
      groups[into].entries += entries;
    } else {
      for (const std::size_t g : one.groups) groups[g].part_of = into;
      groups[into] = one.sum;
      groups[into].part_of = into;
    }
    group[one.place] = into;
  }
};

}  // namespace heddle::test
