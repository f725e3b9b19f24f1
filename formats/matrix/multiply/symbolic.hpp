// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../inspect/each_entry.hpp"
#include "columns.hpp"
#include "long_rows.hpp"
#include "rows_by_length.hpp"

namespace heddle::detail::matrix_product {

struct SumOfLengths {
  const std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const { sum += lengths[i]; }
};

/// The pattern of a product: how many products and entries, and where the rows begin; then, once
/// there is memory for them, the columns.
template <ExecutionSpace Exec, Ordinal O, Offset OffA, Offset OffB>
class Symbolic {
 public:
  using Space = typename Exec::memory_space;

  /// Counts; waits for `exec`. `narrow`: rows of B have few entries. `lists`: if `workspace_bytes`
  /// hold a column a product, the columns are listed at once, and not found a second time. `allow`
  /// throws where so many bytes may not be held: it is asked before they are taken.
  template <class Allow>
  Symbolic(const Exec& exec, const Patterns<O, OffA, OffB>& patterns, bool narrow,
           std::size_t workspace_bytes, bool lists, const Allow& allow)
      : patterns_(patterns), narrow_(narrow) {
    const auto n = static_cast<std::size_t>(patterns.rows);
    const std::size_t bytes = arena_bytes<std::int64_t, std::int64_t>(n, n);
    const std::size_t with_rows = bytes + RowsByLength<Exec, O>::bytes_for(patterns.rows);
    allow(with_rows);
    memory_ = Arena<Space>(exec, "heddle::multiply::lengths", bytes);
    bound_ = memory_.template take<std::int64_t>(n).data();
    lengths_ = memory_.template take<std::int64_t>(n).data();
    count_products(exec);
    rows_ = RowsByLength<Exec, O>(exec, patterns.rows, Terms<std::int64_t>{bound_},
                                  group_limits(exec, Columns<int>::bytes_per_column));
    long_rows_.emplace(exec, patterns, rows_.rows(longest), rows_.count(longest), workspace_bytes,
                       [&](std::size_t more) { allow(with_rows + more); });
    const std::size_t taken = long_rows_->bytes();
    if (lists) make_room(exec, workspace_bytes - std::min(taken, workspace_bytes));
    fill(exec, "heddle::multiply::no_entries", lengths_, patterns.rows, 0);
    launch_groups(exec, "heddle::multiply::count_columns", rows_, narrow,
                  Columns<std::int32_t>{patterns, bound_, lengths_, before_, listed_});
    long_rows_->count(exec, lengths_);
    Kokkos::parallel_reduce("heddle::multiply::entries", range_policy(exec, patterns.rows),
                            SumOfLengths{lengths_}, entries_);
  }

  std::int64_t products() const { return products_; }
  std::int64_t entries() const { return entries_; }
  const std::int64_t* lengths() const { return lengths_; }
  std::size_t bytes() const {
    return memory_.bytes() + rows_.bytes() + long_rows_->bytes() + before_memory_.bytes() +
           list_memory_.bytes();
  }

  template <Offset OffC>
  void write(const Exec& exec, OffC* row_ptr, O* col_idx) {
    running_sum(exec, "heddle::multiply::row_ptr", row_ptr, patterns_.rows,
                Terms<std::int64_t>{lengths_});
    if (listed_) {
      using Copies = CopyListedColumns<O, OffC>;
      using Team = backends::Team<Exec, typename Copies::Shape>;
      backends::launch<typename Copies::Shape>(
          exec, "heddle::multiply::copy_columns",
          ceil_div(patterns_.rows, std::int64_t{Team::subwarps}),
          Copies{before_, listed_, row_ptr, col_idx, patterns_.rows});
    } else {
      launch_groups(exec, "heddle::multiply::write_columns", rows_, narrow_,
                    Columns<OffC>{patterns_, bound_, nullptr, row_ptr, col_idx});
    }
    long_rows_->write(exec, row_ptr, col_idx);
  }

 private:
  template <Offset OffC>
  using Columns = ColumnsKernel<O, OffA, OffB, OffC>;

  void count_products(const Exec& exec) {
    const std::int64_t rows = patterns_.rows;
    if constexpr (backends::runs_on_host<Exec>) {
      parallel_for(exec, "heddle::multiply::products", rows,
                   CountProductsOfRow<O, OffA, OffB>{patterns_, bound_});
    } else {
      fill(exec, "heddle::multiply::no_products", bound_, rows, 0);
      each_entry(exec, "heddle::multiply::products", patterns_.A.row_ptr, rows,
                 patterns_.entries_of_A,
                 AddLengthOfB<O, OffA, OffB>{patterns_.A, patterns_.B, bound_});
    }
    Kokkos::parallel_reduce("heddle::multiply::bounds", range_policy(exec, rows),
                            BoundRow<O, OffA, OffB>{patterns_, bound_}, products_);
  }

  /// Of a list of columns, if it is small enough. Waits for `exec`.
  void make_room(const Exec& exec, std::size_t workspace_bytes) {
    const auto n = static_cast<std::size_t>(patterns_.rows) + 1;
    before_memory_ = Arena<Space>(exec, "heddle::multiply::room", arena_bytes<std::int32_t>(n));
    before_ = before_memory_.template take<std::int32_t>(n).data();
    const std::int64_t all =
        running_sum_and_total(exec, "heddle::multiply::room", before_, patterns_.rows,
                              RoomOfRow{bound_, rows_.limits().large});
    if (!std::in_range<std::int32_t>(all) ||
        static_cast<std::size_t>(all) > workspace_bytes / sizeof(O)) {
      before_memory_ = {};
      before_ = nullptr;
      return;
    }
    const auto room = static_cast<std::size_t>(all);
    list_memory_ = Arena<Space>(exec, "heddle::multiply::columns", arena_bytes<O>(room));
    listed_ = list_memory_.template take<O>(room).data();
  }

  Patterns<O, OffA, OffB> patterns_;
  bool narrow_;
  Arena<Space> memory_;
  std::int64_t* bound_ = nullptr;
  std::int64_t* lengths_ = nullptr;
  RowsByLength<Exec, O> rows_;
  std::optional<LongRows<Exec, O, OffA, OffB>> long_rows_;
  Arena<Space> before_memory_, list_memory_;
  std::int32_t* before_ = nullptr;
  O* listed_ = nullptr;
  std::int64_t products_ = 0;
  std::int64_t entries_ = 0;
};

}  // namespace heddle::detail::matrix_product
