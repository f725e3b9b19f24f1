// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../formats/inspect/check_csr.hpp"
#include "../ilu/factorization.hpp"
#include "../ilu/find_pattern.hpp"
#include "../ordered/same_pattern.hpp"
#include "../triangle/check_triangle.hpp"
#include "algorithms.hpp"

namespace heddle::detail::spiluk {

/// L and U as Kokkos Kernels has them, of a row of both in one: L ends with a one, U begins with
/// the pivot.
template <Scalar S, Ordinal O, Offset Off>
struct SplitFactors {
  ilu::Factors<S, O, Off> from;
  Off *lower_ptr, *upper_ptr;
  O *lower_columns, *upper_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const auto i = static_cast<O>(row);
    const auto lower = from.lower(i), upper = from.upper(i);
    Off to = lower_ptr[row];
    for (O k = 0; k < lower.size; ++k) lower_columns[to++] = lower.columns[k];
    lower_columns[to] = i;
    to = upper_ptr[row];
    upper_columns[to++] = i;
    for (O k = 0; k < upper.size; ++k) upper_columns[to++] = upper.columns[k];
  }
};
/// Where row maps are not those of the pattern, what would lie outside of the values is left out.
template <Scalar S, Ordinal O, Offset Off>
struct SplitValues {
  ilu::Factors<S, O, Off> from;
  const Off *lower_ptr, *upper_ptr;
  S *lower_values, *upper_values;
  std::uint64_t lower_entries, upper_entries;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const auto i = static_cast<O>(row);
    const auto lower = from.lower(i), upper = from.upper(i);
    const Off end_of_lower = lower_ptr[row] + static_cast<Off>(lower.size);
    if (fits(lower_ptr[row], end_of_lower, lower_entries)) {
      for (O k = 0; k < lower.size; ++k)
        lower_values[lower_ptr[row] + static_cast<Off>(k)] = lower.values[k];
      lower_values[end_of_lower] = S(1);
    }
    const Off pivot = upper_ptr[row];
    if (fits(pivot, pivot + static_cast<Off>(upper.size), upper_entries)) {
      upper_values[pivot] = *from.pivot(i);
      for (O k = 0; k < upper.size; ++k)
        upper_values[pivot + 1 + static_cast<Off>(k)] = upper.values[k];
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static bool fits(Off first, Off last, std::uint64_t entries) {
    return static_cast<std::uint64_t>(first) <= static_cast<std::uint64_t>(last) &&
           static_cast<std::uint64_t>(last) < entries;
  }
};
/// Entries of each row of L, with its diagonal, or of U.
template <Scalar S, Ordinal O, Offset Off>
struct SizesOfSplit {
  ilu::Factors<S, O, Off> from;
  bool upper;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    const auto i = static_cast<O>(row);
    return 1 + static_cast<std::int64_t>(upper ? from.upper(i).size : from.lower(i).size);
  }
};

}  // namespace heddle::detail::spiluk

namespace heddle::kk {

/// The counterpart of KokkosSparse::Experimental::SPILUKHandle: the state of the factors of one
/// matrix. It factors as an IluPlan does. Made by KokkosKernelsHandle::create_spiluk_handle. One
/// handle factors once at a time.
template <class SizeType, class LocalOrdinal, class ScalarType, ExecutionSpace Exec,
          class TemporarySpace, class PersistentSpace>
class SPILUKHandle {
 public:
  using size_type = std::remove_const_t<SizeType>;
  using nnz_lno_t = std::remove_const_t<LocalOrdinal>;
  using nnz_scalar_t = std::remove_const_t<ScalarType>;
  using execution_space = Exec;
  using Matrix =
      CsrMatrix<nnz_scalar_t, nnz_lno_t, size_type, typename PersistentSpace::memory_space>;

  SPILUKHandle(SPILUKAlgorithm algorithm, std::size_t rows, std::size_t lower, std::size_t upper)
      : algorithm_(algorithm), rows_(rows), lower_(lower), upper_(upper) {}

  SPILUKAlgorithm get_algorithm() const { return algorithm_; }
  size_type get_nrows() const { return static_cast<size_type>(rows_); }
  /// The room that was requested; after spiluk_symbolic the number of entries of the factors.
  size_type get_nnzL() const { return static_cast<size_type>(lower_); }
  size_type get_nnzU() const { return static_cast<size_type>(upper_); }
  bool is_symbolic_complete() const { return factorization_.has_value(); }
  /// Tuning parameters of Kokkos Kernels. They have no effect.
  void set_team_size(int) {}
  void set_vector_size(int) {}
  /// The scheme that runs. Throws Error before spiluk_symbolic.
  const Scheme& scheme() const { return factorization().scheme(); }

  /// For spiluk_symbolic and spiluk_numeric: see there.
  template <class RowMap, class Entries>
  void inspect(const Exec& exec, int fill_level, const RowMap& row_map, const Entries& entries,
               size_type* lower_ptr, size_type* upper_ptr) {
    check_rows(row_map.extent(0));
    IluOptions options;
    options.fill_level = fill_level;
    const CsrPattern<nnz_lno_t, size_type, typename Matrix::memory_space> A(rows_, rows_, row_map,
                                                                            entries);
    check_csr(exec, A);
    nonzeros_ = static_cast<std::int64_t>(A.nonzeros());
    key_ = detail::pattern_key(exec, A);
    factorization_.emplace(
        exec,
        detail::ilu::find_pattern(exec, A.rows(), A.nonzeros(), A.row_ptr().data(),
                                  A.col_idx().data(), options, false, true),
        options, "ilu");
    factorization_->forget_levels();
    const auto rows = static_cast<std::int64_t>(rows_);
    using Sizes = detail::spiluk::SizesOfSplit<nnz_scalar_t, nnz_lno_t, size_type>;
    const auto made = factorization_->factors();
    lower_ = static_cast<std::size_t>(detail::running_sum_and_total<std::int64_t>(
        exec, "heddle::kk::lower_ptr", lower_ptr, rows, Sizes{made, false}));
    upper_ = static_cast<std::size_t>(detail::running_sum_and_total<std::int64_t>(
        exec, "heddle::kk::upper_ptr", upper_ptr, rows, Sizes{made, true}));
  }
  void write_pattern(const Exec& exec, size_type* lower_ptr, nnz_lno_t* lower_columns,
                     size_type* upper_ptr, nnz_lno_t* upper_columns) const {
    Kokkos::parallel_for(
        "heddle::kk::split_pattern", range_policy(exec, static_cast<std::int64_t>(rows_)),
        detail::spiluk::SplitFactors<nnz_scalar_t, nnz_lno_t, size_type>{
            factorization().factors(), lower_ptr, upper_ptr, lower_columns, upper_columns});
    exec.fence("heddle::kk::spiluk_symbolic");
  }
  template <class RowMap, class Entries, class Values>
  void factor(const Exec& exec, const RowMap& row_map, const Entries& entries, const Values& values,
              const size_type* lower_ptr, nnz_scalar_t* lower_values, const size_type* upper_ptr,
              nnz_scalar_t* upper_values) {
    check_rows(row_map.extent(0));
    factorization();
    const Matrix A(rows_, rows_, row_map, entries, values);
    detail::triangle::check_same_size("spiluk_numeric", A, A.rows(), nonzeros_);
    detail::check_same_pattern(exec, key_, A, "SPILUKHandle");
    factorization_->run(exec, A);
    Kokkos::parallel_for("heddle::kk::split_values",
                         range_policy(exec, static_cast<std::int64_t>(rows_)),
                         detail::spiluk::SplitValues<nnz_scalar_t, nnz_lno_t, size_type>{
                             factorization_->factors(), lower_ptr, upper_ptr, lower_values,
                             upper_values, std::uint64_t{lower_}, std::uint64_t{upper_}});
  }

 private:
  using Factorization = detail::ilu::Factorization<Exec, Matrix, detail::ilu::EliminateRow>;

  const Factorization& factorization() const {
    if (factorization_) return *factorization_;
    throw Error("this handle knows no pattern", "call spiluk_symbolic first");
  }
  void check_rows(std::size_t offsets) const {
    if (offsets == rows_ + 1 || (offsets == 0 && rows_ == 0)) return;
    throw Error("row_map has " + std::to_string(offsets) + " entries, and the handle is for " +
                    std::to_string(rows_) + " rows",
                "create the handle with the number of rows of the matrix");
  }

  SPILUKAlgorithm algorithm_;
  std::size_t rows_, lower_, upper_;
  std::int64_t nonzeros_ = 0;
  detail::PatternKey key_;
  std::optional<Factorization> factorization_;
};

}  // namespace heddle::kk
