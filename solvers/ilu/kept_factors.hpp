// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "../../formats/inspect/row_features.hpp"
#include "../sptrsv/plan.hpp"
#include "factorization.hpp"
#include "residual.hpp"

namespace heddle::detail::ilu {

template <class Matrix>
void check_input(const Matrix& A, const IluOptions& options, const char* what) {
  const auto want = [](bool holds, const std::string& is, const char* remedy) {
    if (!holds) throw Error(is, remedy);
  };
  want(A.rows() == A.columns(),
       std::string(what) + " of a matrix of " + std::to_string(A.rows()) + " x " +
           std::to_string(A.columns()),
       "give a square matrix");
  want(options.fill_level >= 0, "options.fill_level is " + std::to_string(options.fill_level),
       "give 0 or more");
  want(options.shift >= 0 && options.shift <= std::numeric_limits<double>::max(),
       "options.shift is " + std::to_string(options.shift),
       "give a magnitude below which pivots are lifted, or 0");
  want(options.block_size >= 1, "options.block_size is " + std::to_string(options.block_size),
       "give the rows of a block, or 1");
  want(options.subdomains >= 1, "options.subdomains is " + std::to_string(options.subdomains),
       "give 1 or more");
  const auto& parts = options.partition;
  want(parts.empty() || std::cmp_equal(parts.size(), A.rows()),
       "options.partition has " + std::to_string(parts.size()) + " entries for " +
           std::to_string(A.rows()) + " rows",
       "give each row the number of its subdomain");
  want(parts.empty() || options.subdomains == 1,
       "options.partition and options.subdomains are both given", "give one of them");
  want(options.threads >= 0, "options.threads is " + std::to_string(options.threads),
       "give the threads that are scheduled for, or 0 for those that there are");
}

/// Factors of one matrix as both plans hold them: made in its scalar, kept in Kept for the solves.
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
class KeptFactors {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using KeptMatrix = CsrMatrix<Kept, O, Off, Space>;
  using Solve = SptrsvPlan<Exec, KeptMatrix, S>;

  /// Inspects and factors; waits for `exec`. Throws Error for bad input and bad pivots.
  KeptFactors(const Exec& exec, const Matrix& A, const IluOptions& options, const char* name,
              const char* what, bool lower)
      : name_(what), nonzeros_(A.nonzeros()) {
    check_input(A, options, what);
    row_features(exec, A, Check::columns);
    factorization_ = Made(exec, A, options, name, lower);
    const auto entries = static_cast<std::size_t>(pattern().entries);
    const std::size_t rounded = rounds ? entries : 0;
    memory_ = Arena<Space>(exec, "heddle::ilu::kept", arena_bytes<Kept, std::int64_t>(rounded, 1));
    rounded_ = memory_.template take<Kept>(rounded);
    bad_ = memory_.template take<std::int64_t>(1);
    factor(exec, A);
    std::int64_t bad = 0;
    Kokkos::deep_copy(kokkos_space(exec), HostWord(&bad), Word(factorization_.first_bad()));
    exec.fence("heddle::ilu::factored");
    if (bad != Pivots<S>::none) throw_bad_pivot(bad);
  }

  /// The values of the factors out of those of A; the solves do not have them yet.
  void factor(const Exec& exec, const Matrix& A) {
    check_same(A, "factor");
    factorization_.run(exec, A);
    if constexpr (rounds) {
      Kokkos::parallel_for("heddle::ilu::round", range_policy(exec, pattern().entries),
                           RoundValues<Kept, S>{factorization_.values(), rounded_.data()});
    }
  }
  /// Behind that, once a solve has taken them: whether any pivot is bad.
  void tell_bad_pivot(const Exec& exec, const Solve& solve) {
    Kokkos::parallel_for(
        "heddle::ilu::bad_pivot", range_policy(exec, 1),
        TellBadPivot{factorization_.first_bad(), solve.bad_diagonal().data(), bad_.data()});
  }
  Kokkos::View<const std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> bad_pivot()
      const {
    return Word(bad_.data());
  }
  void check_pivots(const Exec& exec) const {
    std::int64_t bad = 0;
    Kokkos::deep_copy(kokkos_space(exec), HostWord(&bad), Word(bad_.data()));
    exec.fence("heddle::ilu::check_pivots");
    if (bad) throw_bad_pivot(bad - 1);
  }

  template <template <class> class ResidualOf>
  double residual(const Exec& exec, const Matrix& A) const {
    check_same(A, "residual");
    const auto entries = static_cast<std::size_t>(pattern().entries);
    Arena<Space> memory(exec, "heddle::ilu::residual", arena_bytes<S>(entries));
    S* const rest = memory.template take<S>(entries).data();
    load_values(exec, A, factorization_.pattern(), rest);
    const auto factors = factorization_.factors();
    ResidualSums sums;
    Kokkos::parallel_reduce("heddle::ilu::residual", range_policy(exec, pattern().rows),
                            ResidualOf<std::remove_const_t<decltype(factors)>>{{factors, rest}},
                            sums);
    return sums.all > 0 ? std::sqrt(sums.rest / sums.all) : std::sqrt(sums.rest);
  }

  /// L and U in one, or L.
  KeptMatrix matrix() const {
    const auto view = pattern();
    const Kept* values = nullptr;
    if constexpr (rounds) {
      values = rounded_.data();
    } else {
      values = factorization_.values();
    }
    return KeptMatrix(view.rows, view.rows, view.entries, view.row_ptr, view.col_idx, values);
  }
  PatternView<O, Off> pattern() const { return factorization_.pattern().view(); }
  const Scheme& scheme() const { return factorization_.scheme(); }
  bool exact() const { return factorization_.exact(); }
  std::size_t bytes() const { return factorization_.bytes() + memory_.bytes(); }

  static SptrsvOptions of_solve(const IluOptions& options, Triangle triangle, Diagonal diagonal) {
    SptrsvOptions of_solve;
    of_solve.triangle = triangle;
    of_solve.diagonal = diagonal;
    of_solve.ignore_outside = true;
    of_solve.expected_applies = options.expected_applies;
    of_solve.scheme = options.sptrsv_scheme;
    of_solve.vectors = options.vectors;
    of_solve.threads = options.threads;
    return of_solve;
  }

 private:
  using Made = Factorization<Exec, Matrix, RowOf>;
  using Word = Kokkos::View<const std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using HostWord =
      Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr bool rounds = !std::same_as<Kept, S>;

  void check_same(const Matrix& A, const char* called) const {
    triangle::check_same_size(called, A, pattern().rows, static_cast<std::int64_t>(nonzeros_));
  }
  [[noreturn]] void throw_bad_pivot(std::int64_t row) const {
    throw Error("the pivot of " + std::string(name_) + " is " + pivot_is, Where{.row = row},
                "lift small pivots by options.shift, or make the diagonal of A larger");
  }
  static constexpr const char* pivot_is =
      std::same_as<RowOf<Factors<S, O, Off>>, CholeskyRow<Factors<S, O, Off>>>
          ? "not positive, or not finite"
          : "zero, or not finite";

  const char* name_;
  Off nonzeros_;
  Made factorization_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<Kept> rounded_;
  typename Arena<Space>::template Array<std::int64_t> bad_;
};

}  // namespace heddle::detail::ilu
