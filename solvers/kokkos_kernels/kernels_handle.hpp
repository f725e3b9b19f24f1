// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>

#include "../../backends/algorithms/same_pattern.hpp"
#include "../../core/check_size.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../ilu/factorization.hpp"
#include "../ilu/find_pattern.hpp"
#include "../sptrsv.hpp"
#include "../triangle/check_triangle.hpp"
#include "algorithms.hpp"

namespace heddle::kk {

/// The counterpart of KokkosSparse::Experimental::SPTRSVHandle: the state of one triangle. It holds
/// an SptrsvPlan, which copies what it needs of the triangle. Made by
/// KokkosKernelsHandle::create_sptrsv_handle.
///
/// One handle solves once at a time: solves on two streams that may overlap need one each.
template <class SizeType, class LocalOrdinal, class ScalarType, ExecutionSpace Exec,
          class TemporarySpace, class PersistentSpace>
class SPTRSVHandle {
 public:
  using size_type = std::remove_const_t<SizeType>;
  using nnz_lno_t = std::remove_const_t<LocalOrdinal>;
  using nnz_scalar_t = std::remove_const_t<ScalarType>;
  using execution_space = Exec;
  static_assert(Scalar<nnz_scalar_t>, "values are float, double, or the Kokkos::complex of either");
  static_assert(Ordinal<nnz_lno_t>, "ordinals are signed, of 32 or 64 bits: int, and not unsigned");
  /// The types of its matrix and of its plan.
  using Matrix =
      CsrMatrix<nnz_scalar_t, nnz_lno_t, size_type, typename PersistentSpace::memory_space>;
  using Plan = SptrsvPlan<Exec, Matrix>;

  SPTRSVHandle(SPTRSVAlgorithm algorithm, std::size_t rows, const SptrsvOptions& options)
      : algorithm_(algorithm), rows_(rows), options_(options) {}

  SPTRSVAlgorithm get_algorithm() const { return algorithm_; }
  size_type get_nrows() const { return static_cast<size_type>(rows_); }
  bool is_lower_tri() const { return options_.triangle == Triangle::lower; }
  bool is_upper_tri() const { return !is_lower_tri(); }
  bool is_symbolic_complete() const { return symbolic_complete_; }
  bool is_numeric_complete() const { return plan_.has_value(); }
  /// Number of levels, SptrsvPlan::levels; 0 before there is a plan.
  size_type get_num_levels() const {
    return plan_ ? static_cast<size_type>(plan_->levels()) : size_type(0);
  }

  /// The tuning parameters of Kokkos Kernels' kernels, so that programs which set them compile.
  /// Without effect: SptrsvOptions::scheme says what is run.
  void set_team_size(int) {}
  void set_vector_size(int) {}
  void reset_chain_threshold(std::int64_t) {}

  /// The plan, for its scheme, levels and bytes. Throws Error before values were given.
  const Plan& plan() const {
    if (plan_) return *plan_;
    throw Error("this handle has no plan",
                "give values to sptrsv_symbolic, or ask after sptrsv_numeric or sptrsv_solve");
  }

  /// The steps of sptrsv_symbolic, sptrsv_numeric and sptrsv_solve.
  void begin(std::size_t offsets) {
    check_rows(offsets);
    plan_.reset();
    values_hold_ = false;
    symbolic_complete_ = true;
  }
  void inspect(const Exec& exec, const Matrix& T) {
    plan_.emplace(exec, T, options_);
    symbolic_complete_ = true;
    values_hold_ = algorithm_ == SPTRSVAlgorithm::SPTRSV_CUSPARSE;
  }
  void take_values(const Exec& exec, const Matrix& T) {
    if (plan_) {
      plan_->update_values(exec, T);
    } else {
      inspect(exec, T);
    }
    values_hold_ = true;
  }
  template <VectorView B, WritableVectorView X>
  void solve(const Exec& exec, const Matrix& T, const B& b, const X& x) {
    if (!plan_) {
      inspect(exec, T);
    } else if (!values_hold_) {
      plan_->update_values(exec, T);
    }
    plan_->apply(exec, nnz_scalar_t(1), b, x);
  }

  /// The triangle of these arrays. Throws Error unless they have as many rows as the handle.
  template <class RowMap, class Entries, class Values>
  Matrix triangle(const RowMap& row_map, const Entries& entries, const Values& values) const {
    check_rows(row_map.extent(0));
    const auto n = static_cast<nnz_lno_t>(rows_);
    return Matrix(n, n, row_map, entries, values);
  }

 private:
  void check_rows(std::size_t offsets) const {
    if (offsets == rows_ + 1 || (offsets == 0 && rows_ == 0)) return;
    throw Error("row_map has " + std::to_string(offsets) + " entries, and the handle is for " +
                    std::to_string(rows_) + " rows",
                "create the handle with the number of rows of the triangle");
  }

  SPTRSVAlgorithm algorithm_;
  std::size_t rows_;
  SptrsvOptions options_;
  std::optional<Plan> plan_;
  bool symbolic_complete_ = false;
  bool values_hold_ = false;  // until the next sptrsv_symbolic or sptrsv_numeric
};

}  // namespace heddle::kk

namespace heddle::detail::spiluk {

/// Writes the columns of L and U as Kokkos Kernels stores them, from rows of both in one: L ends
/// with its diagonal of ones, U begins with the pivot.
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
/// Writes the values of L and U. If the row maps are not those of the pattern, values that would be
/// out of range are left out.
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
/// Number of entries of each row of L or of U, with the diagonal.
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

  /// The steps of spiluk_symbolic and spiluk_numeric.
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
    detail::check_same_size("spiluk_numeric", A, A.rows(), A.rows(), nonzeros_);
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
    throw Error("this handle has no pattern", "call spiluk_symbolic first");
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

/// The counterpart of KokkosKernels::Experimental::KokkosKernelsHandle for triangular solves and
/// incomplete factors. It can be moved, not copied.
template <class SizeType, class LocalOrdinal, class ScalarType, ExecutionSpace Exec,
          class TemporarySpace, class PersistentSpace>
class KokkosKernelsHandle {
 public:
  using SPTRSVHandleType =
      SPTRSVHandle<SizeType, LocalOrdinal, ScalarType, Exec, TemporarySpace, PersistentSpace>;
  using SPILUKHandleType =
      SPILUKHandle<SizeType, LocalOrdinal, ScalarType, Exec, TemporarySpace, PersistentSpace>;
  using size_type = typename SPTRSVHandleType::size_type;
  using nnz_lno_t = typename SPTRSVHandleType::nnz_lno_t;
  using nnz_scalar_t = typename SPTRSVHandleType::nnz_scalar_t;
  using HandleExecSpace = Exec;

  /// Creates the handle of a triangle of `rows` rows, with an algorithm of Heddle or Kokkos
  /// Kernels. Throws Error for a supernodal algorithm, and for a block size other than 0.
  template <AnySPTRSVAlgorithm E>
  void create_sptrsv_handle(E algorithm, std::size_t rows, bool lower, std::size_t block_size = 0) {
    if (block_size != 0) {
      throw Error("the triangle has blocks of " + std::to_string(block_size),
                  "give it in compressed rows");
    }
    const SptrsvOptions options{.triangle = lower ? Triangle::lower : Triangle::upper};
    sptrsv_ = std::make_unique<SPTRSVHandleType>(algorithm_of(algorithm), rows, options);
  }
  /// Creates the handle of a triangle with the options of an SptrsvPlan: a unit diagonal, a pinned
  /// scheme, one triangle of an LU matrix.
  void create_sptrsv_handle(const SptrsvOptions& options, std::size_t rows) {
    sptrsv_ = std::make_unique<SPTRSVHandleType>(SPTRSVAlgorithm::SEQLVLSCHD_TP1, rows, options);
  }

  void destroy_sptrsv_handle() { sptrsv_.reset(); }
  /// The handle; null before it is created.
  SPTRSVHandleType* get_sptrsv_handle() const { return sptrsv_.get(); }
  bool is_sptrsv_lower_tri() const { return sptrsv_handle().is_lower_tri(); }
  /// The handle. Throws Error before it is created.
  SPTRSVHandleType& sptrsv_handle() const {
    if (sptrsv_) return *sptrsv_;
    throw Error("the handle of a triangular solve has no sptrsv handle",
                "call create_sptrsv_handle first");
  }

  /// Creates the handle of the factors of a matrix of `rows` rows, with memory for these numbers of
  /// entries of L and U, with an algorithm of Heddle or Kokkos Kernels. Throws Error for a block
  /// size other than 0.
  template <AnySPILUKAlgorithm E>
  void create_spiluk_handle(E algorithm, std::size_t rows, std::size_t lower, std::size_t upper,
                            std::size_t block_size = 0) {
    if (block_size != 0) {
      throw Error("the factors have blocks of " + std::to_string(block_size),
                  "give A in compressed rows, or IluOptions::block_size for blocks");
    }
    spiluk_ = std::make_unique<SPILUKHandleType>(algorithm_of(algorithm), rows, lower, upper);
  }
  void destroy_spiluk_handle() { spiluk_.reset(); }
  /// The handle; null before it is created.
  SPILUKHandleType* get_spiluk_handle() const { return spiluk_.get(); }
  /// The handle. Throws Error before it is created.
  SPILUKHandleType& spiluk_handle() const {
    if (spiluk_) return *spiluk_;
    throw Error("the handle of a factorization has no spiluk handle",
                "call create_spiluk_handle first");
  }

 private:
  std::unique_ptr<SPTRSVHandleType> sptrsv_;
  std::unique_ptr<SPILUKHandleType> spiluk_;
};

/// Whether T is a KokkosKernelsHandle.
template <class T>
inline constexpr bool is_kernels_handle = false;
template <class... T>
inline constexpr bool is_kernels_handle<KokkosKernelsHandle<T...>> = true;

}  // namespace heddle::kk
