// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cholmod.h>
#include <klu.h>
#include <umfpack.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "sparse_options.hpp"

/// CHOLMOD, UMFPACK and KLU in one form, with indices of 64 bits. They hold matrices by columns,
/// and the rows of A are the columns of its transpose: so UMFPACK and KLU factor A' and solve with
/// the transpose of that, and CHOLMOD reads the conjugate of a Hermitian A.
namespace heddle::detail::suitesparse {

static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));

/// A square matrix on the host: ascending columns, each once in a row.
template <Scalar S>
struct HostMatrix {
  std::int64_t rows = 0;
  std::vector<SuiteSparse_long> begin, column;
  std::vector<S> value;
};

/// How a numeric factorization ended.
enum class Factored { well, singular, indefinite };

template <Scalar S>
class Factors {
 public:
  virtual ~Factors() = default;
  virtual Factored factor(const HostMatrix<S>& A) = 0;
  virtual void solve(const HostMatrix<S>& A, const S* b, S* x) = 0;
  /// Bytes of the factors that there are.
  virtual std::size_t bytes() const = 0;
  const SparseDirectForecast& forecast() const { return forecast_; }

 protected:
  SparseDirectForecast forecast_;
};

[[noreturn, gnu::cold]] inline void fail(const char* library, int status, bool no_memory) {
  const std::string text = std::string(library) + " failed, with status " + std::to_string(status);
  if (no_memory) throw OutOfMemory(text + ": no memory", "free memory, or set options.max_bytes");
  throw Error(text, "look it up in the header of " + std::string(library));
}

/// A predicted number of bytes, which may be larger than any integer.
inline std::size_t whole_bytes(double bytes) {
  return static_cast<std::size_t>(std::clamp(bytes, 0.0, 0x1p63));
}

template <Scalar S>
const double* numbers(const S* values) {
  return reinterpret_cast<const double*>(values);
}
template <Scalar S>
double* numbers(S* values) {
  return reinterpret_cast<double*>(values);
}

/// LU factors by UMFPACK, unsymmetric multifrontal.
template <Scalar S>
class Umfpack final : public Factors<S> {
 public:
  explicit Umfpack(const HostMatrix<S>& A) {
    if constexpr (is_complex<S>) {
      umfpack_zl_defaults(control_);
    } else {
      umfpack_dl_defaults(control_);
    }
    control_[UMFPACK_IRSTEP] = 0;
    // Without values, so that the analysis is that of the pattern.
    int status = UMFPACK_OK;
    if constexpr (is_complex<S>) {
      status = umfpack_zl_symbolic(A.rows, A.rows, A.begin.data(), A.column.data(), nullptr,
                                   nullptr, &symbolic_, control_, info_);
    } else {
      status = umfpack_dl_symbolic(A.rows, A.rows, A.begin.data(), A.column.data(), nullptr,
                                   &symbolic_, control_, info_);
    }
    if (status != UMFPACK_OK) {
      free_all();
      fail("UMFPACK", status, status == UMFPACK_ERROR_out_of_memory);
    }
    this->forecast_ = {
        SparseDirectMethod::umfpack,
        whole_bytes(info_[UMFPACK_PEAK_MEMORY_ESTIMATE] * info_[UMFPACK_SIZE_OF_UNIT]),
        info_[UMFPACK_FLOPS_ESTIMATE], info_[UMFPACK_LNZ_ESTIMATE] + info_[UMFPACK_UNZ_ESTIMATE]};
  }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;
  ~Umfpack() override { free_all(); }

  Factored factor(const HostMatrix<S>& A) override {
    free_numeric();
    int status = UMFPACK_OK;
    if constexpr (is_complex<S>) {
      status = umfpack_zl_numeric(A.begin.data(), A.column.data(), numbers(A.value.data()), nullptr,
                                  symbolic_, &numeric_, control_, info_);
    } else {
      status = umfpack_dl_numeric(A.begin.data(), A.column.data(), A.value.data(), symbolic_,
                                  &numeric_, control_, info_);
    }
    if (status == UMFPACK_WARNING_singular_matrix) return Factored::singular;
    if (status != UMFPACK_OK) fail("UMFPACK", status, status == UMFPACK_ERROR_out_of_memory);
    return Factored::well;
  }
  void solve(const HostMatrix<S>& A, const S* b, S* x) override {
    double info[UMFPACK_INFO];
    int status = UMFPACK_OK;
    if constexpr (is_complex<S>) {
      status = umfpack_zl_solve(UMFPACK_Aat, A.begin.data(), A.column.data(),
                                numbers(A.value.data()), nullptr, numbers(x), nullptr, numbers(b),
                                nullptr, numeric_, control_, info);
    } else {
      status = umfpack_dl_solve(UMFPACK_Aat, A.begin.data(), A.column.data(), A.value.data(), x, b,
                                numeric_, control_, info);
    }
    if (status != UMFPACK_OK && status != UMFPACK_WARNING_singular_matrix) {
      fail("UMFPACK", status, status == UMFPACK_ERROR_out_of_memory);
    }
  }
  std::size_t bytes() const override {
    if (!numeric_) return 0;
    return static_cast<std::size_t>(info_[UMFPACK_NUMERIC_SIZE] * info_[UMFPACK_SIZE_OF_UNIT]);
  }

 private:
  void free_numeric() {
    if constexpr (is_complex<S>) {
      umfpack_zl_free_numeric(&numeric_);
    } else {
      umfpack_dl_free_numeric(&numeric_);
    }
  }
  void free_all() {
    free_numeric();
    if constexpr (is_complex<S>) {
      umfpack_zl_free_symbolic(&symbolic_);
    } else {
      umfpack_dl_free_symbolic(&symbolic_);
    }
  }

  void *symbolic_ = nullptr, *numeric_ = nullptr;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO];
};

/// LU factors by KLU, with blocks of the block triangular form and little fill.
template <Scalar S>
class Klu final : public Factors<S> {
 public:
  explicit Klu(const HostMatrix<S>& A) {
    this->forecast_.method = SparseDirectMethod::klu;
    klu_l_defaults(&common_);
    symbolic_ = klu_l_analyze(A.rows, indices(A.begin), indices(A.column), &common_);
    if (!symbolic_ && common_.status != KLU_SINGULAR) {
      fail("KLU", static_cast<int>(common_.status), common_.status == KLU_OUT_OF_MEMORY);
    }
    if (!symbolic_) return;  // structurally singular, which factor() says
    const double entries = symbolic_->lnz + symbolic_->unz;
    this->forecast_ = {SparseDirectMethod::klu,
                       whole_bytes(entries * (sizeof(S) + sizeof(SuiteSparse_long))),
                       symbolic_->est_flops, entries};
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() override {
    free_numeric();
    klu_l_free_symbolic(&symbolic_, &common_);
  }

  Factored factor(const HostMatrix<S>& A) override {
    if (!symbolic_) return Factored::singular;
    free_numeric();
    double* const values = const_cast<double*>(numbers(A.value.data()));  // which KLU only reads
    if constexpr (is_complex<S>) {
      numeric_ = klu_zl_factor(indices(A.begin), indices(A.column), values, symbolic_, &common_);
    } else {
      numeric_ = klu_l_factor(indices(A.begin), indices(A.column), values, symbolic_, &common_);
    }
    if (common_.status == KLU_SINGULAR) return Factored::singular;
    if (!numeric_)
      fail("KLU", static_cast<int>(common_.status), common_.status == KLU_OUT_OF_MEMORY);
    return Factored::well;
  }
  void solve(const HostMatrix<S>& A, const S* b, S* x) override {
    std::copy(b, b + A.rows, x);
    if constexpr (is_complex<S>) {
      klu_zl_tsolve(symbolic_, numeric_, A.rows, 1, numbers(x), 0, &common_);
    } else {
      klu_l_tsolve(symbolic_, numeric_, A.rows, 1, x, &common_);
    }
  }
  std::size_t bytes() const override { return common_.memusage; }

 private:
  static SuiteSparse_long* indices(const std::vector<SuiteSparse_long>& from) {
    return const_cast<SuiteSparse_long*>(from.data());  // which KLU only reads
  }
  void free_numeric() {
    if constexpr (is_complex<S>) {
      klu_zl_free_numeric(&numeric_, &common_);
    } else {
      klu_l_free_numeric(&numeric_, &common_);
    }
  }

  klu_l_common common_;
  klu_l_symbolic* symbolic_ = nullptr;
  klu_l_numeric* numeric_ = nullptr;
};

/// Cholesky factors by CHOLMOD, simplicial or supernodal. Reads the lower triangle of A.
template <Scalar S>
class Cholmod final : public Factors<S> {
 public:
  explicit Cholmod(const HostMatrix<S>& A) {
    cholmod_l_start(&common_);
    common_.print = 0;
    cholmod_sparse view = of(A, nullptr);
    view.xtype = CHOLMOD_PATTERN;
    factor_ = cholmod_l_analyze(&view, &common_);
    if (!factor_) {
      const int status = common_.status;
      cholmod_l_finish(&common_);
      fail("CHOLMOD", status, status == CHOLMOD_OUT_OF_MEMORY);
    }
    const double bytes = factor_->is_super
                             ? static_cast<double>(factor_->xsize) * sizeof(S) +
                                   static_cast<double>(factor_->ssize) * sizeof(SuiteSparse_long)
                             : common_.lnz * (sizeof(S) + sizeof(SuiteSparse_long));
    this->forecast_ = {SparseDirectMethod::cholmod, whole_bytes(bytes), common_.fl, common_.lnz};
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;
  ~Cholmod() override {
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_finish(&common_);
  }

  Factored factor(const HostMatrix<S>& A) override {
    std::vector<S> conjugates;
    const S* values = A.value.data();
    if constexpr (is_complex<S>) {
      for (const S& value : A.value) conjugates.push_back(conjugate(value));
      values = conjugates.data();
    }
    cholmod_sparse view = of(A, values);
    cholmod_l_factorize(&view, factor_, &common_);
    if (common_.status < CHOLMOD_OK) {
      fail("CHOLMOD", common_.status, common_.status == CHOLMOD_OUT_OF_MEMORY);
    }
    const bool is_whole = common_.status != CHOLMOD_NOT_POSDEF && factor_->minor == factor_->n;
    return is_whole && has_positive_pivots() ? Factored::well : Factored::indefinite;
  }
  void solve(const HostMatrix<S>& A, const S* b, S* x) override {
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = static_cast<std::size_t>(A.rows);
    right.ncol = 1;
    right.x = const_cast<S*>(b);  // which CHOLMOD only reads
    right.xtype = is_complex<S> ? CHOLMOD_COMPLEX : CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* solution = cholmod_l_solve(CHOLMOD_A, factor_, &right, &common_);
    if (!solution) fail("CHOLMOD", common_.status, common_.status == CHOLMOD_OUT_OF_MEMORY);
    const S* const from = static_cast<const S*>(solution->x);
    std::copy(from, from + A.rows, x);
    cholmod_l_free_dense(&solution, &common_);
  }
  std::size_t bytes() const override { return common_.memory_inuse; }

 private:
  /// The rows of A as columns, of which the upper triangle counts.
  static cholmod_sparse of(const HostMatrix<S>& A, const S* values) {
    cholmod_sparse view{};
    view.nrow = view.ncol = static_cast<std::size_t>(A.rows);
    view.nzmax = A.column.size();
    view.p = const_cast<SuiteSparse_long*>(A.begin.data());
    view.i = const_cast<SuiteSparse_long*>(A.column.data());
    view.x = const_cast<S*>(values);
    view.stype = 1;
    view.itype = CHOLMOD_LONG;
    view.xtype = is_complex<S> ? CHOLMOD_COMPLEX : CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    return view;
  }
  /// Simplicial factors are L D L*, which indefinite matrices have too.
  bool has_positive_pivots() const {
    if (factor_->is_super || factor_->is_ll) return true;
    const auto* const begin = static_cast<const SuiteSparse_long*>(factor_->p);
    const auto* const values = static_cast<const double*>(factor_->x);
    constexpr std::int64_t each = is_complex<S> ? 2 : 1;
    for (std::size_t j = 0; j < factor_->n; ++j) {
      if (!(values[each * begin[j]] > 0)) return false;
    }
    return true;
  }

  cholmod_common common_;
  cholmod_factor* factor_ = nullptr;
};

}  // namespace heddle::detail::suitesparse
