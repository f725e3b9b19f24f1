// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain sequential Krylov methods and preconditioners, on one thread.
#include "../bench/common/sequential.hpp"
#include "../bench/solve/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SolveProblem<S, Off>;

class Program : public SequentialKernels<S, Off> {
 public:
  enum class With { none, jacobi, ssor, ilu0, ic0 };

  Program(const Exec&, const Problem& problem, With with)
      : SequentialKernels<S, Off>(problem.host), A_(problem.host), with_(with) {
    if (with_ == With::none) return;
    if (with_ == With::ilu0 || with_ == With::ic0) {
      factors_.emplace(A_, IluOptions(), with_ == With::ic0);
    } else {
      diagonal_.resize(static_cast<std::size_t>(A_.rows()));
      inverse_.resize(diagonal_.size());
      find_diagonal();
    }
  }

  void precondition(const Vector& r, const Vector& z) const {
    if (with_ == With::ssor) return sweep(r, z);
    if (factors_) return factors_->solve(as_column(r), as_column(z));
    for (std::size_t i = 0; i < r.extent(0); ++i) {
      z(i) = with_ == With::none ? r(i) : r(i) * inverse_[i];
    }
  }
  bool updates() const { return with_ != With::none; }
  void update_values() {
    if (factors_) return factors_->factor();
    find_diagonal();
  }
  std::size_t bytes() const {
    return factors_ ? factors_->bytes() : diagonal_.size() * (sizeof(Off) + sizeof(S));
  }

 private:
  std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(A_.row_ptr()(i)); }
  std::size_t diagonal(std::size_t i) const { return static_cast<std::size_t>(diagonal_[i]); }
  S entry(std::size_t k, const Vector& z) const {
    return A_.values()(k) * z(static_cast<std::size_t>(A_.col_idx()(k)));
  }

  void find_diagonal() {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      std::size_t k = begin(i);
      while (static_cast<std::size_t>(A_.col_idx()(k)) != i) ++k;
      diagonal_[i] = static_cast<Off>(k);
      inverse_[i] = S(1) / A_.values()(k);
    }
  }
  /// A symmetric Gauss-Seidel sweep from zero: (D + L) y = r, (D + U) z = D y.
  void sweep(const Vector& r, const Vector& z) const {
    for (std::size_t i = 0; i < r.extent(0); ++i) {
      S sum = r(i);
      for (std::size_t k = begin(i); k < diagonal(i); ++k) sum -= entry(k, z);
      z(i) = sum * inverse_[i];
    }
    for (std::size_t i = r.extent(0); i-- > 0;) {
      S sum(0);
      for (std::size_t k = diagonal(i) + 1; k < begin(i + 1); ++k) sum += entry(k, z);
      z(i) -= sum * inverse_[i];
    }
  }

  HostStorage<S, Off> A_;
  With with_;
  std::vector<Off> diagonal_;  // positions of the diagonal entries
  std::vector<S> inverse_;
  std::optional<SequentialFactors<S, Off>> factors_;
};

[[maybe_unused]] const bool entered = [] {
  const auto add = [](const char* name, const char* description, Program::With with) {
    add_contestant<LoopSolve<S, Off, Program>, Problem>(name, description, with);
  };
  add("program-none", "loops on one thread", Program::With::none);
  add("program-jacobi", "loops on one thread, the diagonal", Program::With::jacobi);
  add("program-ssor", "loops on one thread, a symmetric Gauss-Seidel sweep", Program::With::ssor);
  add("program-ilu0", "loops on one thread, ILU(0)", Program::With::ilu0);
  add("program-ic0", "loops on one thread, IC(0)", Program::With::ic0);
  return true;
}();

}  // namespace

}  // namespace heddle::bench
