// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../sptrsv.hpp"
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
  /// The plan that it holds.
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
  /// See SptrsvPlan::levels; 0 before there is a plan.
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

  /// For sptrsv_symbolic, sptrsv_numeric and sptrsv_solve: see there.
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

  /// The triangle of such arrays. Throws Error unless they have as many rows as the handle.
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
