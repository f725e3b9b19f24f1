// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "../../backends/algorithms/same_pattern.hpp"
#include "../../core/check_size.hpp"
#include "../../core/error.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../ordered/choice.hpp"
#include "factor_plan.hpp"
#include "factorization.hpp"
#include "fields.hpp"
#include "find_pattern.hpp"
#include "options.hpp"
#include "row.hpp"
#include "shared_factorization.hpp"

namespace heddle::detail::ilu {

/// Throws Error if the matrix or options are unfit for factors that `what` names.
template <class Matrix>
void check_input(const Matrix& A, const IluOptions& options, const char* what) {
  check_square(A, what);
  check_fields(options);
  const auto& parts = options.partition;
  if (!parts.empty() && !std::cmp_equal(parts.size(), A.rows())) {
    throw Error("options.partition has " + std::to_string(parts.size()) + " entries for " +
                    std::to_string(A.rows()) + " rows",
                "give each row the number of its subdomain");
  }
  if (!parts.empty() && options.subdomains != 1) {
    throw Error("options.partition and options.subdomains are both given", "give one of them");
  }
}

/// Sums of squares of A minus the product of its factors, and of A, over the pattern.
struct ResidualSums {
  double rest = 0;
  double all = 0;

  KOKKOS_INLINE_FUNCTION ResidualSums& operator+=(const ResidualSums& other) {
    rest += other.rest;
    all += other.all;
    return *this;
  }
};

template <class View>
struct ResidualOfRow {
  using value_type = ResidualSums;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  View factors;
  S* rest;  ///< initially the values of A

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = ResidualSums(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const { sums += other; }
  KOKKOS_FUNCTION double squares(std::int64_t i) const {
    double sum = 0;
    for (Off k = factors.row_ptr[i]; k < factors.row_ptr[i + 1]; ++k) {
      const auto size = static_cast<double>(Kokkos::abs(rest[k]));
      sum += size * size;
    }
    return sum;
  }
};

/// The residual of LU, where L has ones on the diagonal.
template <class View>
struct LuResidual : ResidualOfRow<View> {
  using typename ResidualOfRow<View>::O;
  using typename ResidualOfRow<View>::Off;

  KOKKOS_FUNCTION void operator()(std::int64_t i, ResidualSums& sums) const {
    const View& f = this->factors;
    sums.all += this->squares(i);
    const Off begin = f.row_ptr[i], pivot = f.diagonal[i], stop = f.row_ptr[i + 1];
    for (Off k = begin; k < pivot; ++k) {
      const O t = f.col_idx[k];
      const Off of_t = f.diagonal[t];
      each_common(OneLane(), f.col_idx + begin, static_cast<O>(k - begin),
                  static_cast<O>(stop - begin), f.col_idx + of_t,
                  static_cast<O>(f.row_ptr[t + 1] - of_t),
                  [&](O p, O q) { this->rest[begin + p] -= f.values[k] * f.values[of_t + q]; });
    }
    for (Off k = pivot; k < stop; ++k) this->rest[k] -= f.values[k];
    sums.rest += this->squares(i);
  }
};

/// The residual of L and its conjugate transpose, on the lower triangle.
template <class View>
struct CholeskyResidual : ResidualOfRow<View> {
  using typename ResidualOfRow<View>::O;
  using typename ResidualOfRow<View>::Off;

  KOKKOS_FUNCTION void operator()(std::int64_t i, ResidualSums& sums) const {
    const View& f = this->factors;
    sums.all += this->squares(i);
    const Off begin = f.row_ptr[i], stop = f.row_ptr[i + 1];
    for (Off k = begin; k < stop; ++k) {
      const O t = f.col_idx[k];
      const Off of_t = f.row_ptr[t];
      each_common(OneLane(), f.col_idx + begin, O(0), static_cast<O>(k + 1 - begin),
                  f.col_idx + of_t, static_cast<O>(f.diagonal[t] + 1 - of_t), [&](O p, O q) {
                    this->rest[k] -= f.values[begin + p] * conjugate(f.values[of_t + q]);
                  });
    }
    sums.rest += this->squares(i);
  }
};

/// to[k] = from[k], rounded if To is narrower.
template <Scalar To, Scalar From>
struct ConvertValues {
  const From* from;
  To* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = rounded<To>(from[k]); }
};

/// Factors of one matrix with signed offsets and the solves with them: computed in its scalar,
/// stored in Stored. On a CPU that stores in that scalar, factors are made in the arrays of the
/// solves; else in their own array, which the solves copy. With Cholesky the solve with `lower` has
/// both triangles.
template <ExecutionSpace Exec, class Matrix, Scalar Stored, template <class> class RowOf>
class StoredFactors final : public AnyFactors<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using StoredMatrix = CsrMatrix<Stored, O, Off, Space>;
  using typename AnyFactors<Exec, Matrix>::Storage;
  using typename AnyFactors<Exec, Matrix>::Word;
  using Solve = SptrsvPlanCore<Exec, StoredMatrix, S, S>;
  static constexpr bool cholesky = is_cholesky<RowOf>;
  static constexpr const char* plan = cholesky ? "IcPlan" : "IluPlan";

  /// Inspects and factors; waits for `exec`. Throws Error for bad input and bad pivots,
  /// OutOfMemory.
  StoredFactors(const Exec& exec, const Matrix& A, const IluOptions& options) try
      : nonzeros_(A.nonzeros()), transposes_(needs_transposes(options)), retries_(options.retries) {
    check_input(A, options, what);
    check_csr(exec, A);
    if constexpr (cholesky) check_real_diagonal(exec, A);
    key_ = pattern_key(exec, A, options.check_pattern);
    const bool shares = can_share && !(options.scheme && options.scheme->has("sweeps")) &&
                        !(options.sptrsv_scheme && options.sptrsv_scheme->has("supernodes"));
    FactorPattern<Exec, O, Off> pattern =
        find_pattern(exec, A.rows(), A.nonzeros(), A.row_ptr().data(), A.col_idx().data(), options,
                     cholesky, !shares);
    if constexpr (can_share) {
      if (shares) {
        make_solves(exec, options, pattern);
        shared_.emplace(exec, std::move(pattern), options, name, lower(), upper());
      }
    }
    if (!shares) {
      // NOLINTNEXTLINE(bugprone-use-after-move): it is moved above only if `shares`
      own_.emplace(exec, std::move(pattern), options, name);
      rounded_memory_ =
          Arena<Space>(exec, "heddle::ilu::rounded",
                       arena_array(rounded_, rounds ? own_->pattern().view().entries : 0));
    }
    const AskedScheme asked(options, name, backends::describe(exec));
    if (!asked.pinned.idle.empty()) shown_ = asked.pinned.shown(scheme());
    idle_ = asked.pinned.explain();
    run(exec, A);
    check_values(exec);
    if (!shares) copy_to_solves(exec, options);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(std::string("the host lacks memory for ") + what, "free some");
  }

  /// Computes the values of the factors, and of the solves, from those of A.
  void update_values(const Exec& exec, const Matrix& A) override {
    check_same(exec, A, "update_values");
    run(exec, A);
    if (!own_) return;
    lower_->take_values(exec, matrix(), bad());
    if constexpr (!cholesky) upper_->take_values(exec, matrix(), bad());
  }

  void execute(const Exec& exec, Triangle triangle, Op op, const Multivector<const S>& b,
               const Multivector<S>& x) override {
    (triangle == Triangle::lower ? lower() : upper()).execute(exec, op, S(1), b, x);
  }

  Word bad_row() const override { return Word(bad()); }
  void check_values(const Exec& exec) const override {
    const std::int64_t bad = bad_on_host(exec, "heddle::ilu::check_values");
    if (bad) throw_bad_pivot(bad - 1);
  }

  double residual(const Exec& exec, const Matrix& A) const override {
    check_same(exec, A, "residual");
    const auto entries = static_cast<std::size_t>(pattern().view().entries);
    const auto rows = static_cast<std::size_t>(pattern().view().rows);
    const Storage made = copy(exec);
    S* rest = nullptr;
    Off* diagonal = nullptr;
    const Arena<Space> memory(exec, "heddle::ilu::residual", arena_array(rest, entries),
                              arena_array(diagonal, rows));
    const PatternView<O, Off> view{made.row_ptr().data(), made.col_idx().data(), nullptr,
                                   pattern().view().rows, pattern().view().entries};
    find_diagonal(exec, view, diagonal);
    with_values(A, pattern(), view, rest, [&](std::int64_t n, const auto& load) {
      Kokkos::parallel_for("heddle::ilu::load", range_policy(exec, n), load);
    });
    using View = Factors<S, O, Off>;
    using Residual = std::conditional_t<cholesky, CholeskyResidual<View>, LuResidual<View>>;
    const View factors{view.row_ptr,         view.col_idx, diagonal, made.values().data(),
                       made.values().data(), {},           {}};
    ResidualSums sums;
    Kokkos::parallel_reduce("heddle::ilu::residual", range_policy(exec, view.rows),
                            Residual{{factors, rest}}, sums);
    return sums.all > 0 ? std::sqrt(sums.rest / sums.all) : std::sqrt(sums.rest);
  }

  /// A copy: L and U combined, or L; with ascending columns. Allocates, waits for `exec`.
  Storage factors(const Exec& exec) const override {
    if constexpr (rounds) {
      return stored_copy(exec, matrix());
    } else {
      return copy(exec);
    }
  }
  const Scheme& scheme() const override {
    if (shown_) return *shown_;
    return made([](const auto& by) -> const Scheme& { return by.scheme(); });
  }
  const Scheme& sptrsv_scheme(Triangle triangle, Op op) const override {
    return (triangle == Triangle::lower ? lower() : upper()).scheme(op);
  }
  std::string explain() const override {
    std::string text = scheme().to_string() + ": the factorization\n" + idle_;
    const auto add = [&](const char* factor, const Solve& solve, Op op) {
      text += std::string("solve with ") + factor + ", " + solve.explain(op);
    };
    add("L", lower(), Op::none);
    if (!cholesky) add("U", upper(), Op::none);
    if (transposes_) add(cholesky ? "the adjoint of L" : "L transposed", lower(), Op::transpose);
    if (transposes_ && !cholesky) add("U transposed", upper(), Op::transpose);
    return text;
  }
  double diagonal_growth() const override { return growth_; }
  bool exact() const override { return !own_ || own_->exact(); }
  std::size_t bytes() const override {
    std::size_t bytes = rounded_memory_.bytes() + lower_->bytes();
    if (upper_) bytes += upper_->bytes();
    return bytes + made([](const auto& by) { return by.bytes(); });
  }

 private:
  using Own = Factorization<Exec, Matrix, RowOf>;
  static constexpr bool rounds = !std::same_as<Stored, S>;
  static constexpr bool can_share = ordered::on_threads<Exec> && !rounds;
  struct NoSharing {};
  using Shared =
      typename std::conditional_t<can_share,
                                  std::type_identity<SharedFactorization<Exec, Matrix, RowOf>>,
                                  std::type_identity<NoSharing>>::type;

  static constexpr const char* name = cholesky ? "ic" : "ilu";
  static constexpr const char* what =
      cholesky ? "an incomplete Cholesky factorization" : "an incomplete LU factorization";
  static constexpr const char* pivot_is =
      !cholesky       ? "zero, or not finite"
      : is_complex<S> ? "not positive, or not finite, or the diagonal has an imaginary part"
                      : "not positive, or not finite";
  static constexpr const char* lifted =
      cholesky ? "lower pivots, negative ones too," : "pivots of a smaller magnitude";

  Solve& lower() { return *lower_; }
  Solve& upper() { return cholesky ? *lower_ : *upper_; }
  const Solve& lower() const { return *lower_; }
  const Solve& upper() const { return cholesky ? *lower_ : *upper_; }

  static bool needs_transposes(const IluOptions& options) {
    return cholesky || std::any_of(options.ops.begin(), options.ops.end(),
                                   [](Op op) { return heddle::transposes(op); });
  }
  static SptrsvOptions of_solve(const IluOptions& options) {
    SptrsvOptions of_solve;
    of_solve.ignore_outside = true;
    of_solve.check_pattern = false;  // the arrays are the plan's own
    of_solve.expected_applies = options.expected_applies;
    of_solve.measure_seconds = options.measure_seconds;
    of_solve.cache = options.cache;
    of_solve.scheme = options.sptrsv_scheme;
    of_solve.vectors = options.vectors;
    of_solve.threads = options.threads;
    of_solve.ops = options.ops;
    if (cholesky) of_solve.ops = {Op::conjugate_transpose};
    return of_solve;
  }
  static SptrsvOptions of_lower(const IluOptions& options) {
    SptrsvOptions of_lower = of_solve(options);
    of_lower.triangle = Triangle::lower;
    of_lower.diagonal = cholesky ? Diagonal::stored : Diagonal::unit;
    return of_lower;
  }
  static SptrsvOptions of_upper(const IluOptions& options) {
    SptrsvOptions of_upper = of_solve(options);
    of_upper.triangle = Triangle::upper;
    return of_upper;
  }

  /// Makes solves without values, which the factorization writes.
  void make_solves(const Exec& exec, const IluOptions& options,
                   const FactorPattern<Exec, O, Off>& pattern) {
    const auto view = pattern.view();
    const StoredMatrix none(view.rows, view.rows, view.entries, view.row_ptr, view.col_idx,
                            static_cast<const Stored*>(nullptr));
    triangle::TriangleSums sums;
    sums.entries = pattern.entries_below();
    lower_.emplace(exec, none, of_lower(options), sums);
    if constexpr (!cholesky) {
      sums.entries = pattern.entries_above();
      upper_.emplace(exec, none, of_upper(options), sums);
    }
  }
  /// Makes solves with a copy of the factors.
  void copy_to_solves(const Exec& exec, const IluOptions& options) {
    const auto sums_of = [&](const SptrsvOptions& of_solve, std::int64_t entries) {
      triangle::TriangleSums sums;
      sums.entries = entries;
      if (rounds) {  // rounding may make a diagonal entry zero
        sums = triangle::check_triangle<triangle::DiagonalOf<Stored, S>>(
            exec, matrix(), of_solve.triangle, of_solve.diagonal, true);
      }
      return sums;
    };
    const SptrsvOptions of_L = of_lower(options), of_U = of_upper(options);
    lower_.emplace(exec, matrix(), of_L, sums_of(of_L, pattern().entries_below()), own_->levels());
    own_->forget_levels();
    if constexpr (!cholesky) {
      upper_.emplace(exec, matrix(), of_U, sums_of(of_U, pattern().entries_above()));
    }
  }
  /// Factors, and repeats it up to retries_ times while a pivot is bad.
  void run(const Exec& exec, const Matrix& A) {
    run(exec, A, 0);
    for (int left = retries_; left > 0 && bad_on_host(exec, "heddle::ilu::factored"); --left) {
      run(exec, A, growth_ > 0 ? 2 * growth_ : 1e-3);
    }
  }
  void run(const Exec& exec, const Matrix& A, double growth) {
    growth_ = growth;
    if constexpr (can_share) {
      if (shared_) return shared_->run(exec, A, growth, lower(), upper(), transposes_);
    }
    own_->run(exec, A, growth);
    if constexpr (rounds) {
      Kokkos::parallel_for("heddle::ilu::round", range_policy(exec, pattern().view().entries),
                           ConvertValues<Stored, S>{own_->values(), rounded_.data()});
    }
  }

  /// use(the factorization, own or shared).
  template <class Use>
  decltype(auto) made(const Use& use) const {
    if constexpr (can_share) {
      if (shared_) return use(*shared_);
    }
    return use(*own_);
  }
  const FactorPattern<Exec, O, Off>& pattern() const {
    return made([](const auto& by) -> const auto& { return by.pattern(); });
  }
  /// The factors as stored, which the solves copy.
  StoredMatrix matrix() const {
    const auto view = pattern().view();
    const Stored* values = nullptr;
    if constexpr (rounds) {
      values = rounded_.data();
    } else {
      values = own_->values();
    }
    return StoredMatrix(view.rows, view.rows, view.entries, view.row_ptr, view.col_idx, values);
  }
  /// A copy of the factors, not rounded.
  Storage copy(const Exec& exec) const {
    if constexpr (can_share) {
      if (shared_) return shared_->copy(exec, lower(), upper());
    }
    const auto view = pattern().view();
    return stored_copy(
        exec, CsrMatrix<S, O, Off, Space>(view.rows, view.rows, view.entries, view.row_ptr,
                                          view.col_idx, static_cast<const S*>(own_->values())));
  }
  template <class M>
  static Storage stored_copy(const Exec& exec, const M& from) {
    using T = typename M::scalar_type;
    Storage to(exec, from.rows(), from.columns(), from.nonzeros());
    const auto nonzeros = static_cast<std::int64_t>(from.nonzeros());
    heddle::detail::copy(exec, "heddle::ilu::copy", to.row_ptr().data(), from.rows() + 1,
                         from.row_ptr().data());
    heddle::detail::copy(exec, "heddle::ilu::copy", to.col_idx().data(), nonzeros,
                         from.col_idx().data());
    Kokkos::parallel_for("heddle::ilu::copy", range_policy(exec, nonzeros),
                         ConvertValues<S, T>{from.values().data(), to.values().data()});
    exec.fence("heddle::ilu::copied");
    return to;
  }

  std::int64_t* bad() const {
    return made([](const auto& by) { return by.bad(); });
  }
  std::int64_t bad_on_host(const Exec& exec, const char* label) const {
    std::int64_t value = 0;
    Kokkos::deep_copy(kokkos_space(exec), value, Word(bad()));
    exec.fence(label);
    return value;
  }
  void check_same(const Exec& exec, const Matrix& A, const char* called) const {
    const std::int64_t rows = pattern().view().rows;
    check_same_size(called, A, rows, rows, static_cast<std::int64_t>(nonzeros_));
    check_same_pattern(exec, key_, A, plan);
  }
  [[noreturn]] void throw_bad_pivot(std::int64_t row) const {
    std::string is = "the pivot of " + std::string(what) + " is " + pivot_is;
    if (retries_ > 0) {
      is += ", after " + std::to_string(retries_) + " retries, with the diagonal of A larger by " +
            std::to_string(growth_) + " of itself";
    }
    throw Error(is, Where{.row = row},
                std::string("give options.pivot_floor, to which ") + lifted +
                    " are lifted, or options.retries, with which the diagonal of A grows");
  }

  Off nonzeros_;
  PatternKey key_;
  bool transposes_;
  int retries_;
  double growth_ = 0;
  std::optional<Scheme> shown_;  // scheme with idle terms, if there are any
  std::string idle_;             // explanation of idle terms
  std::optional<Solve> lower_, upper_;
  std::optional<Own> own_;
  std::optional<Shared> shared_;
  Arena<Space> rounded_memory_;
  typename Arena<Space>::template Array<Stored> rounded_;
};

}  // namespace heddle::detail::ilu

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix, template <class> class RowOf>
inline constexpr bool is_defined<FactorPlan<Exec, Matrix, RowOf>> = true;

template <ExecutionSpace Exec, class Matrix, Scalar Stored, template <class> class RowOf>
std::unique_ptr<ilu::AnyFactors<Exec, Matrix>> ilu::make_factors(const Exec& exec, const Matrix& A,
                                                                 const IluOptions& options) {
  return std::make_unique<StoredFactors<Exec, Matrix, Stored, RowOf>>(exec, A, options);
}

}  // namespace heddle::detail

#include "plan.hpp"  // after the class that it makes
