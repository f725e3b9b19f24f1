// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/algorithms/same_pattern.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/check_size.hpp"
#include "../../core/plan.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../triangle/check_triangle.hpp"
#include "fields.hpp"
#include "sparse_options.hpp"
#include "suitesparse.hpp"

namespace heddle::detail {

namespace suitesparse {

template <Scalar S>
struct PackVector {
  S* to;
  Multivector<const S> from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from(i, 0); }
};
template <Scalar S>
struct UnpackVector {
  Multivector<S> to;
  const S* from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i, 0) = from[i]; }
};

/// Work of 40 operations for each entry of the factors is what CHOLMOD counts as worth dense blocks
/// (supernodal_switch); below, the blocks of UMFPACK are not worth it either.
inline constexpr double flops_for_blocks = 40;

}  // namespace suitesparse

/// Implementation of SparseDirectPlan, with signed offsets.
template <ExecutionSpace Exec, class Matrix>
class SparseDirectCore {
 public:
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;

  SparseDirectCore(const Exec& exec, const Matrix& A, const SparseDirectOptions& options)
      : options_(options), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    check_square(A, "a direct factorization");
    check_fields(options);
    check_csr(exec, A);
    pattern_ = pattern_key(exec, A, options.check_pattern);
    take_pattern(exec, A);
    take_values(exec, A);
    if (rows() > 0) {
      arena_ = Arena<Space>(exec, "heddle::sparse_direct::vector", arena_array(vector_, rows()));
      right_.resize(static_cast<std::size_t>(rows()));
      solution_ = rest_ = step_ = right_;
      choose();
    }
    scheme_ = Scheme("suitesparse", {{name(forecast_.method)}});
  }

  void update_values(const Exec& exec, const Matrix& A) {
    check_same_size("update_values", A, rows(), rows(), nonzeros_);
    check_same_pattern(exec, pattern_, A, "SparseDirectPlan");
    is_ready_ = false;
    take_values(exec, A);
    if (rows() == 0) return;
    if (forecast_.method == SparseDirectMethod::cholmod) check_hermitian();
    check_factored(factors_->factor(matrix_));
  }

  void apply(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x) {
    triangle::check_right_hand_sides(rows(), b, x, "A");
    if (rows() == 0) return;
    if (!is_ready_) {
      throw Error("SparseDirectPlan has no factors since update_values failed",
                  "give update_values a matrix that is not singular");
    }
    for (int v = 0; v < b.count; ++v) {
      parallel_for(exec, "heddle::sparse_direct::pack", rows(),
                   suitesparse::PackVector<S>{vector_, b.slice(v, 1)});
      copy_vector(exec, OnHost(right_.data(), right_.size()), OnDevice(vector_, right_.size()));
      factors_->solve(matrix_, right_.data(), solution_.data());
      for (int step = 0; step < options_.refinement_steps; ++step) refine();
      copy_vector(exec, OnDevice(vector_, right_.size()), OnHost(solution_.data(), right_.size()));
      parallel_for(exec, "heddle::sparse_direct::unpack", rows(),
                   suitesparse::UnpackVector<S>{x.slice(v, 1), vector_});
    }
  }

  const Scheme& scheme() const { return scheme_; }
  const SparseDirectForecast& forecast() const { return forecast_; }
  std::string explain() const {
    return scheme_.to_string() + ": " + reason_ +
           "\n  predicted: " + std::to_string(forecast_.bytes) + " bytes, " +
           text_of(forecast_.flops) + " operations, " + text_of(forecast_.factor_entries) +
           " entries\n";
  }
  std::size_t bytes() const { return arena_.bytes(); }
  std::size_t host_bytes() const {
    const std::size_t entries = matrix_.value.size(), n = right_.size();
    return (factors_ ? factors_->bytes() : 0) + entries * (sizeof(S) + sizeof(std::int64_t)) +
           (n + 1) * sizeof(std::int64_t) + 4 * n * sizeof(S) +
           place_.size() * sizeof(std::int64_t);
  }

 private:
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using OnHost = Kokkos::View<S*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using OnDevice = Kokkos::View<S*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Factors = suitesparse::Factors<S>;

  std::int64_t rows() const { return matrix_.rows; }

  template <class To, class From>
  static void copy_vector(const Exec& exec, const To& to, const From& from) {
    Kokkos::deep_copy(kokkos_space(exec), to, from);
    exec.fence("heddle::sparse_direct::copied");
  }

  /// The pattern with ascending columns, each once, and where each entry of A adds up.
  void take_pattern(const Exec& exec, const Matrix& A) {
    const std::int64_t n = A.rows();
    matrix_.rows = n;
    matrix_.begin.assign(static_cast<std::size_t>(n) + 1, 0);
    if (n == 0) return;
    const auto begin =
        ordered::copied_to_host(exec, "heddle::sparse_direct::pattern", A.row_ptr().data(), n + 1);
    const auto column = ordered::copied_to_host(exec, "heddle::sparse_direct::pattern",
                                                A.col_idx().data(), nonzeros_);
    place_.resize(column.size());
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      entries.resize(static_cast<std::size_t>(begin[i + 1] - begin[i]));
      std::iota(entries.begin(), entries.end(), static_cast<std::size_t>(begin[i]));
      std::stable_sort(entries.begin(), entries.end(), [&](std::size_t one, std::size_t other) {
        return column[one] < column[other];
      });
      const std::size_t first = matrix_.column.size();
      for (const std::size_t k : entries) {
        const bool again = matrix_.column.size() > first && matrix_.column.back() == column[k];
        if (!again) matrix_.column.push_back(column[k]);
        place_[k] = static_cast<std::int64_t>(matrix_.column.size()) - 1;
      }
      matrix_.begin[i + 1] = static_cast<SuiteSparse_long>(matrix_.column.size());
    }
    matrix_.value.resize(matrix_.column.size());
  }
  void take_values(const Exec& exec, const Matrix& A) {
    if (nonzeros_ == 0) return;
    if (!A.values().data()) {
      throw Error("the matrix of a direct factorization has no values", "give one for each entry");
    }
    const auto values = ordered::copied_to_host(exec, "heddle::sparse_direct::values",
                                                A.values().data(), nonzeros_);
    std::fill(matrix_.value.begin(), matrix_.value.end(), S(0));
    for (std::size_t k = 0; k < values.size(); ++k) {
      matrix_.value[static_cast<std::size_t>(place_[k])] += values[k];
    }
    each_entry([](std::int64_t i, std::int64_t, const S& value) {
      if (triangle::is_finite(value)) return;
      throw Error("a value is NaN or infinite", Where{.row = i}, "give finite values");
    });
  }
  template <class Body>
  void each_entry(const Body& body) const {
    for (std::int64_t i = 0; i < rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (auto k = matrix_.begin[row]; k < matrix_.begin[row + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        body(i, matrix_.column[entry], matrix_.value[entry]);
      }
    }
  }
  S entry(std::int64_t i, std::int64_t j) const {
    const auto row = matrix_.column.begin();
    const auto first = row + matrix_.begin[static_cast<std::size_t>(i)],
               stop = row + matrix_.begin[static_cast<std::size_t>(i) + 1];
    const auto at = std::lower_bound(first, stop, j);
    return at != stop && *at == j ? matrix_.value[static_cast<std::size_t>(at - row)] : S(0);
  }

  /// The first row in which A differs from its (conjugate) transpose by more than rounding, or
  /// whose diagonal entry is not positive; -1 if there is none.
  std::int64_t row_not_definite() const {
    constexpr double rounding = 100 * std::numeric_limits<double>::epsilon();
    std::int64_t found = -1;
    each_entry([&](std::int64_t i, std::int64_t j, const S& value) {
      if (found >= 0) return;
      const S mirrored = conjugate(entry(j, i));
      const double size = std::max(Kokkos::abs(value), Kokkos::abs(mirrored));
      if (Kokkos::abs(value - mirrored) > rounding * size) found = i;
    });
    for (std::int64_t i = 0; i < rows() && found < 0; ++i) {
      if (!(real_part(entry(i, i)) > 0)) found = i;
    }
    return found;
  }
  void check_hermitian() const {
    if (const std::int64_t row = row_not_definite(); row >= 0) {
      throw Error(
          "the matrix of a Cholesky factorization is not symmetric or Hermitian, or has a "
          "diagonal entry that is not positive",
          Where{.row = row}, "make a plan with SparseDirectMethod::umfpack");
    }
  }

  void check_factored(suitesparse::Factored how) {
    if (how == suitesparse::Factored::singular) {
      throw Error("the matrix is singular, by " + std::string(name(forecast_.method)),
                  "look for an equation or unknown that is missing or given twice");
    }
    if (how == suitesparse::Factored::indefinite) {
      throw Error("the matrix is not positive definite",
                  "make a plan with SparseDirectMethod::umfpack");
    }
    is_ready_ = true;
  }
  template <class Method>
  void analyze() {
    factors_ = std::make_unique<Method>(matrix_);
    forecast_ = factors_->forecast();
  }
  void choose() {
    using suitesparse::Factored;
    const SparseDirectMethod method = options_.method;
    const bool automatic = method == SparseDirectMethod::automatic;
    // SuiteSparse takes arrays without entries for a wrong call.
    if (matrix_.column.empty()) {
      throw Error("the matrix is singular: it has no entries",
                  "look for an equation or unknown that is missing");
    }
    if (method == SparseDirectMethod::cholmod) check_hermitian();
    SparseDirectForecast least{.bytes = std::numeric_limits<std::size_t>::max()};
    const auto fits = [&] {
      if (forecast_.bytes <= options_.max_bytes) return true;
      if (forecast_.bytes <= least.bytes) least = forecast_;
      return false;
    };
    const auto because = [&](const char* reason) {
      reason_ = automatic ? reason : "asked for by the caller";
    };
    if (method == SparseDirectMethod::cholmod || (automatic && row_not_definite() < 0)) {
      analyze<suitesparse::Cholmod<S>>();
      because("the matrix is symmetric or Hermitian positive definite");
      if (fits()) {
        const Factored how = factors_->factor(matrix_);
        if (how == Factored::well || !automatic) return check_factored(how);
      }
    }
    if (method == SparseDirectMethod::klu || automatic) {
      analyze<suitesparse::Klu<S>>();
      because("the factors have little fill");
      const bool little = forecast_.flops >= 0 && forecast_.flops < suitesparse::flops_for_blocks *
                                                                        forecast_.factor_entries;
      if ((little || !automatic) && fits()) return check_factored(factors_->factor(matrix_));
    }
    if (method == SparseDirectMethod::umfpack || automatic) {
      analyze<suitesparse::Umfpack<S>>();
      because("cholmod and klu do not suit the matrix, or need more than options.max_bytes");
      if (fits()) return check_factored(factors_->factor(matrix_));
    }
    throw Error("factors by " + std::string(name(least.method)) + " need " +
                    std::to_string(least.bytes) +
                    " bytes by its symbolic analysis, and "
                    "options.max_bytes is " +
                    std::to_string(options_.max_bytes),
                "raise options.max_bytes, or take an iterative method");
  }

  /// x += M (b - A x), on the host.
  void refine() {
    rest_ = right_;
    each_entry([&](std::int64_t i, std::int64_t j, const S& value) {
      rest_[static_cast<std::size_t>(i)] -= value * solution_[static_cast<std::size_t>(j)];
    });
    factors_->solve(matrix_, rest_.data(), step_.data());
    for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] += step_[i];
  }

  SparseDirectOptions options_;
  std::int64_t nonzeros_;
  PatternKey pattern_;
  suitesparse::HostMatrix<S> matrix_;
  std::vector<std::int64_t> place_;  ///< of each entry of A in matrix_
  std::unique_ptr<Factors> factors_;
  SparseDirectForecast forecast_;
  Scheme scheme_;
  std::string reason_;
  bool is_ready_ = false;
  Arena<Space> arena_;
  S* vector_ = nullptr;
  std::vector<S> right_, solution_, rest_, step_;
};

}  // namespace heddle::detail

namespace heddle {

/// Sparse factors of one matrix on the host, by SuiteSparse, and solves with them: x = A^-1 b. The
/// last resort where iterative methods fail, and a preconditioner of them. Programs link
/// Heddle::direct.
///
/// By default CHOLMOD factors a symmetric or Hermitian A whose diagonal is positive, and keeps it
/// if A is positive definite; else KLU, if its analysis predicts few operations for each entry of
/// the factors, as for circuits; else UMFPACK. A library whose forecast exceeds options.max_bytes
/// is passed over. Scalars are double and complex<double>, ordinals and offsets of any width:
/// SuiteSparse gets 64 bits.
///
/// The plan copies A to the host, and each right-hand side there and back: set-up, update_values
/// and apply wait for `exec`, and apply is not to be recorded in a graph. The order of the
/// operations, and so the bits of x, are SuiteSparse's and its BLAS's. update_values factors with
/// the same symbolic analysis; it throws Error as the constructor does, unlike that of other plans,
/// and after that apply throws until values are good.
///
/// A plan runs one call at a time. It can be moved, not copied. Every call on a plan that is empty
/// or moved from throws Error until another is assigned to it. Members of every plan: detail::Plan;
/// bytes() counts the device's memory, host_bytes() the host's.
///
/// Source: T. Davis, Direct Methods for Sparse Linear Systems (2006); Y. Chen, T. Davis, W. Hager
/// and S. Rajamanickam, "Algorithm 887: CHOLMOD", ACM TOMS 35 (2008); T. Davis, "Algorithm 832:
/// UMFPACK", ACM TOMS 30 (2004); T. Davis and E. Palamadai Natarajan, "Algorithm 907: KLU", ACM
/// TOMS 37 (2010).
template <ExecutionSpace Exec, class Matrix>
class SparseDirectPlan
    : public detail::Plan<SparseDirectPlan<Exec, Matrix>, Exec, Matrix,
                          detail::SparseDirectCore<Exec, SignedOffsets<Matrix>>> {
  using Core = detail::SparseDirectCore<Exec, SignedOffsets<Matrix>>;
  using Form = detail::Plan<SparseDirectPlan, Exec, Matrix, Core>;
  using S = typename Matrix::scalar_type;
  static_assert(std::same_as<S, double> || std::same_as<S, Kokkos::complex<double>>,
                "SparseDirectPlan takes double and Kokkos::complex<double>");

 public:
  static constexpr const char* class_name = "SparseDirectPlan";

  /// An empty plan, to be assigned to: every call on it throws Error.
  SparseDirectPlan() = default;

  /// Copies A to the host, analyzes its pattern, factors it, and waits. A is square; the columns of
  /// a row may be in any order, and repeated entries add up.
  ///
  /// Throws Error if A is not square, has a wrong row pointer or column, no values, or a NaN or an
  /// infinity (naming the row), or is singular; and with SparseDirectMethod::cholmod if A is not
  /// symmetric or Hermitian (naming the row) or not positive definite. Throws Error, with both
  /// numbers, if the factors need more than options.max_bytes by the forecast of the analysis,
  /// before any of them is computed: by default those of the library that needs the fewest bytes.
  /// Throws OutOfMemory if SuiteSparse finds no memory.
  explicit SparseDirectPlan(const Exec& exec, const Matrix& A,
                            const SparseDirectOptions& options = {})
      : Form([&] { return std::make_unique<Core>(exec, with_signed_offsets(A), options); }) {}
  /// The constructor on the default instance.
  explicit SparseDirectPlan(const Matrix& A, const SparseDirectOptions& options = {})
      : SparseDirectPlan(Exec{}, A, options) {}

  using Form::apply;  ///< without exec
  /// x = A^-1 b, with options.refinement_steps steps of refinement. x is not read unless it is b;
  /// otherwise it does not overlap b. Both are of rank 1, or of rank 2 with equal numbers of
  /// vectors. Waits for `exec`, and copies b to the host and x back. Throws Error if shapes do not
  /// fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    detail::assert_vectors<Exec, S, B, X>();
    this->core("apply").apply(exec, multivector_of<const S>(b), multivector_of<S>(x));
  }

  /// The prediction of the symbolic analysis.
  const SparseDirectForecast& forecast() const { return this->core("forecast").forecast(); }
  /// Host memory of the factors, the copy of A and vectors, in bytes.
  std::size_t host_bytes() const { return this->core("host_bytes").host_bytes(); }

  static constexpr bool capturable() { return false; }
  static constexpr bool launches_by_heddle = false;
  /// The interface of a preconditioner for solvers: the inverse is symmetric if A is, up to
  /// rounding.
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "a sparse direct factorization"; }
};

template <ExecutionSpace Exec, class Matrix>
SparseDirectPlan(const Exec&, const Matrix&, const SparseDirectOptions& = {})
    -> SparseDirectPlan<Exec, Matrix>;
template <class Matrix>
SparseDirectPlan(const Matrix&, const SparseDirectOptions& = {})
    -> SparseDirectPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
