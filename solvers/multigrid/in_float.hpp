// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "../../core/check_size.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/blocked_ell/inspect.hpp"
#include "../../formats/csr/inspect.hpp"
#include "../../formats/default_formats.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../triangle/check_triangle.hpp"
#include "check.hpp"
#include "core.hpp"
#include "cycle.hpp"

/// A hierarchy in float under a solver in double: half of the bytes of every level and vector.
namespace heddle::detail::multigrid {

template <Scalar From, Scalar To>
struct RoundVectors {
  Multivector<const From> from;
  Multivector<To> to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows;
    const int vector = static_cast<int>(i / to.rows);
    to(row, vector) = rounded<To>(from(row, vector));
  }
};

/// Rounds values to float and raises the diagonal by the sum of rounding errors of its row: the
/// difference from A is positive semidefinite, so a definite A stays definite however its
/// coefficients jump. A diagonal that is not positive stays so, and is checked elsewhere.
template <class Matrix>
struct RoundValues {
  using S = typename Matrix::scalar_type;
  using To = InFloat<S>;
  Matrix A;
  To* values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double lost = 0;
    S whole(0);  // diagonal entry, the sum of repeated entries
    std::int64_t diagonal = -1;
    const S* const from = A.values().data();
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const bool is_diagonal = static_cast<std::int64_t>(A.col_idx().data()[k]) == i;
      if (is_diagonal) whole += from[k];
      if (is_diagonal && diagonal < 0) {
        diagonal = k;
        continue;
      }
      values[k] = rounded<To>(from[k]);
      lost += Kokkos::abs(from[k] - rounded<S>(values[k]));
    }
    if (diagonal < 0) return;
    const bool raise = static_cast<double>(real_part(whole)) > 0 && Kokkos::isfinite(lost);
    const S wanted = raise ? from[diagonal] + S(lost) : from[diagonal];
    To value = rounded<To>(wanted);
    if (raise && static_cast<double>(real_part(value)) < static_cast<double>(real_part(wanted))) {
      value += To(Kokkos::abs(value) * Kokkos::Experimental::epsilon_v<float>);
    }
    values[diagonal] = value;
  }
};

template <ExecutionSpace Exec, class Matrix>
class RoundedHierarchy final : public Hierarchy<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using To = InFloat<S>;
  using Space = typename Exec::memory_space;
  using Inner = CsrMatrix<To, typename Matrix::ordinal_type, typename Matrix::offset_type, Space>;

  RoundedHierarchy(const Exec& exec, const Matrix& A, const Multivector<const S>& near_nullspace,
                   const MultigridOptions& given)
      : options_(given) {
    Kokkos::Timer timer;
    checked<Exec>(A, near_nullspace, given, {});
    if (given.borrow_values) {
      throw Error("options.borrow_values has no effect on a hierarchy in single precision",
                  "leave it out: it keeps rounded values of its own");
    }
    check_csr(exec, A);
    memory_ = Arena<Space>(exec, "heddle::multigrid::in_float", arena_array(values_, A.nonzeros()));
    make_vectors(exec, A.rows());
    Multivector<To> near{nullptr, 1, A.rows(), A.rows(), near_nullspace.count};
    const Arena<Space> work(exec, "heddle::multigrid::near_nullspace",
                            arena_array(near.data, near.rows * near.count));
    copy_near_nullspace(exec, near_nullspace, near);
    MultigridOptions options = given;
    options.values = MultigridValues::same;
    options.borrow_values = true;  // values_, which this object owns
    if (options.max_bytes != no_bound) options.max_bytes -= memory_.bytes() + vectors_.bytes();
    plan_ = make_hierarchy<Exec, Inner>(exec, rounded_matrix(exec, A), to_read(near), options, {},
                                        List::template table<Exec, Inner, To, To>(), false);
    setup_seconds_ = timer.seconds();
  }

  void apply_from(const Exec& exec, int level, const Multivector<const S>& b,
                  const Multivector<S>& x) override {
    // The inner plan knows the rows of a coarser level.
    const std::int64_t rows = level == 0 ? plan_->rows() : std::min(b.rows, plan_->rows());
    check_vectors(rows, rows, Op::none, b, x);
    const int room = options_.vectors.count;
    for (int first = 0; first < b.count; first += room) {
      const int count = std::min(room, b.count - first);
      const auto own_b = vectors_of(b_, rows, count), own_x = vectors_of(x_, rows, count);
      round(exec, "heddle::multigrid::to_float", b.slice(first, count), own_b);
      plan_->apply_from(exec, level, to_read(own_b), own_x);
      round(exec, "heddle::multigrid::from_float", to_read(own_x), x.slice(first, count));
    }
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    check_same_size("update_values", A, plan_->rows(), plan_->rows(), nonzeros_);
    plan_->update_values(exec, rounded_matrix(exec, A));
  }
  void check_values(const Exec& exec) override { plan_->check_values(exec); }
  MultigridHierarchy levels() const override { return plan_->levels(); }
  bool symmetric() override { return plan_->symmetric(); }
  std::string asymmetry() override { return plan_->asymmetry(); }
  bool reserve(const Exec& exec, int vectors) override {
    if (!plan_->reserve(exec, vectors)) return false;
    options_.vectors.count = vectors;
    make_vectors(exec, plan_->rows());
    return true;
  }
  std::int64_t rows() const override { return plan_->rows(); }
  double setup_seconds() const override { return setup_seconds_; }
  std::size_t bytes() const override { return memory_.bytes() + vectors_.bytes() + plan_->bytes(); }

 private:
  /// The compiled part's formats if it has this scalar; else two formats, compiled here.
  using List = std::conditional_t<is_compiled<Exec, Inner>(), DefaultFormats,
                                  Formats<CsrFormat, BlockedEllFormat>>;

  void make_vectors(const Exec& exec, std::int64_t rows) {
    const std::int64_t all = rows * options_.vectors.count;
    vectors_ = Arena<Space>(exec, "heddle::multigrid::vectors_in_float", arena_array(b_, all),
                            arena_array(x_, all));
  }
  template <class From, class V>
  static void round(const Exec& exec, const char* label, const Multivector<const From>& from,
                    const Multivector<V>& to) {
    parallel_for(exec, label, to.rows * to.count, RoundVectors<From, V>{from, to});
  }
  Inner rounded_matrix(const Exec& exec, const Matrix& A) {
    nonzeros_ = static_cast<std::int64_t>(A.nonzeros());
    parallel_for(exec, "heddle::multigrid::round_values", std::int64_t{A.rows()},
                 RoundValues<Matrix>{A, values_});
    return Inner(A.rows(), A.columns(), A.nonzeros(), A.row_ptr().data(), A.col_idx().data(),
                 values_);
  }

  MultigridOptions options_;
  std::int64_t nonzeros_ = 0;
  Arena<Space> memory_, vectors_;
  To* values_ = nullptr;
  To *b_ = nullptr, *x_ = nullptr;
  std::unique_ptr<Hierarchy<Exec, Inner>> plan_;
  double setup_seconds_ = 0;
};

template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Hierarchy<Exec, Matrix>> make_in_float(
    const Exec& exec, const Matrix& A,
    const Multivector<const typename Matrix::scalar_type>& near_nullspace,
    const MultigridOptions& options) {
  return std::make_unique<RoundedHierarchy<Exec, Matrix>>(exec, A, near_nullspace, options);
}

}  // namespace heddle::detail::multigrid
