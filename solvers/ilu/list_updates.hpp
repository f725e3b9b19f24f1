// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../backends/host/threads.hpp"
#include "../../backends/lanes.hpp"
#include "row.hpp"

namespace heddle::detail::ilu {

/// visit(k, t) for each lower entry k of row i, in column t.
HEDDLE_NO_EXECUTION_CHECK
template <class Row, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void each_lower(const Row& row, typename Row::O i, const Visit& visit) {
  const auto lower = row.factors.lower(i);
  for (typename Row::O k = 0; k < lower.size; ++k) visit(k, lower.columns[k]);
}

/// Counts the 16-bit numbers of the list of updates of a row. WriteUpdates writes them.
template <class Row>
struct CountUpdates {
  using O = typename Row::O;
  Row row;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t place) const {
    const auto i = static_cast<O>(place);
    std::int64_t count = 0;
    each_lower(row, i, [&](O k, O t) {
      ++count;
      row.search(OneLane(), i, k, t, [&](O, O) { count += 2; });
    });
    return count;
  }
};

template <class Row>
struct WriteUpdates {
  using O = typename Row::O;
  Row row;
  const std::int64_t* begin;
  std::uint16_t* list;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const auto i = static_cast<O>(place);
    std::uint16_t* next = list + begin[i];
    each_lower(row, i, [&](O k, O t) {
      std::uint16_t* const count = next++;
      row.search(OneLane(), i, k, t, [&](O p, O q) {
        *next++ = static_cast<std::uint16_t>(p);
        *next++ = static_cast<std::uint16_t>(q);
      });
      *count = static_cast<std::uint16_t>((next - count - 1) / 2);
    });
  }
};

/// The longest row whose updates can be listed: places have 16 bits.
inline constexpr std::int64_t longest_listed_row = 65535;
/// If the scheme does not say, updates are listed if they have at most this many bytes for each
/// entry of the factors, eight times an entry of double with its column. One thread factored
/// crystk01, at 46 bytes, twice as fast by the list as by marks: docs/design/ilu.md.
inline constexpr std::int64_t most_listed_bytes_per_entry = 96;
/// The updates of a factorization by Row.
template <ExecutionSpace Exec>
class ListedUpdates {
 public:
  ListedUpdates() = default;

  /// Lists the updates of a factorization, or none if they are too many and not `asked`. Waits for
  /// `exec`. Throws Error if `asked` and rows are too long.
  template <class Row>
  static ListedUpdates of(const Exec& exec, const Row& row, std::int64_t rows, std::int64_t entries,
                          std::int64_t longest, bool asked) {
    if (!can_be_listed(longest, asked)) return {};
    ListedUpdates listed(exec, rows);
    const auto count = running_sum_and_total<std::int64_t>(
        exec, "heddle::ilu::count_updates", listed.begin_.data(), rows, CountUpdates<Row>{row});
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(std::uint16_t));
    if (!asked && bytes > most_listed_bytes_per_entry * entries) return {};
    listed.allocate(exec, count);
    Kokkos::parallel_for("heddle::ilu::list_updates", range_policy(exec, rows),
                         WriteUpdates<Row>{row, listed.begin_.data(), listed.list_.data()});
    return listed;
  }

  /// Lists them in one pass, by the marks that `row` has for each of the `threads` of a CPU.
  template <class Row>
  static ListedUpdates by_marks(const Exec& exec, const Row& row, std::int64_t rows,
                                std::int64_t entries, std::int64_t longest, int threads,
                                bool asked) {
    if (!can_be_listed(longest, asked)) return {};
    ListedUpdates listed(exec, rows);
    const std::int64_t most = asked ? std::numeric_limits<std::int64_t>::max()
                                    : most_listed_bytes_per_entry * entries /
                                          static_cast<std::int64_t>(sizeof(std::uint16_t));
    std::vector<std::vector<std::uint16_t>> found(static_cast<std::size_t>(threads));
    const auto first = [=](std::int64_t share) { return rows * share / threads; };
    const auto list = [&](int me, int granted) {
      Row mine = row;
      mine.factors.marks += static_cast<std::int64_t>(me) * rows;
      for (int share = me; share < threads; share += granted) {
        auto& to = found[static_cast<std::size_t>(share)];
        for (std::int64_t i = first(share); i < first(share + 1); ++i) {
          if (static_cast<std::int64_t>(to.size()) > most) return;
          listed.begin_(static_cast<std::size_t>(i)) = static_cast<std::int64_t>(to.size());
          append(mine, static_cast<typename Row::O>(i), to);
        }
      }
    };
    backends::run_on_threads(exec, "heddle::ilu::list_updates", threads, list);
    std::int64_t count = 0;
    for (const auto& part : found) count += static_cast<std::int64_t>(part.size());
    if (count > most) return {};
    listed.allocate(exec, count);
    count = 0;
    for (int share = 0; share < threads; ++share) {
      const auto& part = found[static_cast<std::size_t>(share)];
      std::copy(part.begin(), part.end(), listed.list_.data() + count);
      for (std::int64_t i = first(share); i < first(share + 1); ++i) {
        listed.begin_(static_cast<std::size_t>(i)) += count;
      }
      count += static_cast<std::int64_t>(part.size());
    }
    return listed;
  }

  bool listed() const { return list_.extent(0) > 0; }
  Updates updates() const { return listed() ? Updates{list_.data(), begin_.data()} : Updates{}; }
  std::size_t bytes() const { return begin_memory_.bytes() + memory_.bytes(); }

 private:
  using Space = typename Exec::memory_space;

  ListedUpdates(const Exec& exec, std::int64_t rows)
      : begin_memory_(exec, "heddle::ilu::update_begin",
                      arena_bytes<std::int64_t>(static_cast<std::size_t>(rows) + 1)),
        begin_(begin_memory_.template take<std::int64_t>(static_cast<std::size_t>(rows) + 1)) {}
  void allocate(const Exec& exec, std::int64_t count) {
    memory_ =
        Arena<Space>(exec, "heddle::ilu::updates", arena_array(list_, count + numbers_read_ahead));
  }

  static bool can_be_listed(std::int64_t longest, bool asked) {
    if (longest <= longest_listed_row) return true;
    if (!asked) return false;
    throw Error("a row of the factors has " + std::to_string(longest) + " entries, and up to " +
                    std::to_string(longest_listed_row) + " can be listed",
                "pin updates=searched");
  }
  template <class Row>
  static void append(const Row& row, typename Row::O i, std::vector<std::uint16_t>& to) {
    row.factors.mark(i, true);
    each_lower(row, i, [&](auto k, auto t) {
      const std::size_t count = to.size();
      to.push_back(0);
      row.search(OneLane(), i, k, t, [&](auto p, auto q) {
        to.push_back(static_cast<std::uint16_t>(p));
        to.push_back(static_cast<std::uint16_t>(q));
      });
      to[count] = static_cast<std::uint16_t>((to.size() - count - 1) / 2);
    });
    row.factors.mark(i, false);
  }

  Arena<Space> begin_memory_, memory_;
  typename Arena<Space>::template Array<std::int64_t> begin_;
  typename Arena<Space>::template Array<std::uint16_t> list_;
};

}  // namespace heddle::detail::ilu
