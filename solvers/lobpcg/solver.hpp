// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/move_only.hpp"
#include "basis.hpp"

namespace heddle {

/// The smallest or largest eigenvalues of a symmetric (Hermitian) A, or of A x = lambda B x with a
/// positive definite B, and eigenvectors, with products alone: locally optimal block preconditioned
/// conjugate gradients. M is a preconditioner, symmetric and positive definite, of A (or of A minus
/// a shift below what is wanted).
///
/// Made once for a size, with all memory: 14 vectors for each pair, 20 with B, 2 or 3 for each
/// constraint, bytes(). It moves, and does not copy. An iteration waits once, for two matrices of
/// at most 3 count rows, and a second time where a new direction is nearly one of the basis. The
/// host solves their eigenproblems: with n rows it is for n much larger than count. Directions that
/// depend on others are left out, so that no factorization fails. Pairs that have converged stay in
/// the basis and are multiplied no more (soft locking). A X is kept by combinations; where all
/// pairs seem to have converged it is computed anew, and the residuals that it gives are what
/// counts.
///
/// The same bits on every run, if A, B and M give the same bits.
///
/// Source: A. Knyazev (2001); the basis is that of U. Hetmaniuk and R. Lehoucq (2006).
template <ExecutionSpace Exec, Scalar S>
class LobpcgSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;

  LobpcgSolver() : only_moves_(detail::made_empty) {}
  /// For matrices of `rows` rows. Throws Error if options make no sense.
  LobpcgSolver(const Exec& exec, std::int64_t rows, const LobpcgOptions& options = {})
      : options_(options), rows_(rows), k_(options.count) {
    detail::lobpcg::check_options(options, rows);
    basis_ = Basis(exec, rows, options);
  }

  /// The pairs of A x = lambda B x, from the guess in x, which is a View of rank 2 with a column
  /// for each pair (or of rank 1 for one); what the guess lacks of independent columns is filled up
  /// by a fixed sequence of random numbers. `constraints`, a View like x, are vectors that all x
  /// shall be orthogonal to, y' B x = 0, such as eigenvectors that are known; those that depend on
  /// others count once. Leaves x with X' B X = I. Throws Error if sizes do not fit, M says that it
  /// is not symmetric, or B or constraints were not announced in the options, or were and are not
  /// given.
  template <class A, WritableVectorView X, class M, class B, class Y = NoConstraints>
  LobpcgResult solve(const Exec& exec, A&& matrix, const X& x, M&& preconditioner, B&& mass,
                     const Y& constraints = {}) {
    only_moves_.check("LobpcgSolver", "solve");
    check_sizes(matrix.rows(), matrix.columns(), detail::vectors::to_write(x));
    if (!detail::krylov::symmetric(preconditioner)) {
      throw Error(detail::krylov::name_of(preconditioner) + " is not symmetric",
                  "LOBPCG needs a symmetric preconditioner");
    }
    detail::lobpcg::check_mass(options_, rows_, mass);
    detail::krylov::reserve(exec, preconditioner, k_);
    const Kokkos::Timer timer;
    LobpcgResult result;
    basis_.largest_a = basis_.largest_b = 0;
    basis_.take_constraints(exec, mass, constraints);
    heddle::vectors::axpby(exec, 1, x, 0, basis_.span(basis_.now.vectors, 0, k_));
    if (begin(exec, matrix, mass, result))
      iterate(exec, matrix, preconditioner, mass, timer, result);
    heddle::vectors::axpby(exec, 1, basis_.span(basis_.now.vectors, 0, k_), 0, x);
    exec.fence("heddle::lobpcg::solution");
    return result;
  }
  template <class A, WritableVectorView X, class M>
  LobpcgResult solve(const Exec& exec, A&& matrix, const X& x, M&& preconditioner) {
    return solve(exec, matrix, x, preconditioner, NoMassMatrix());
  }
  template <class A, WritableVectorView X>
  LobpcgResult solve(const Exec& exec, A&& matrix, const X& x) {
    return solve(exec, matrix, x, NoPreconditioner(), NoMassMatrix());
  }

  std::size_t bytes() const { return basis_.bytes(); }

 private:
  using Basis = detail::lobpcg::Basis<Exec, S>;
  using Sum = typename Basis::Sum;
  using Vectors = typename Basis::Vectors;
  using Dense = detail::lobpcg::Dense<Sum>;
  using Ritz = detail::lobpcg::Ritz<Sum>;
  static constexpr double epsilon = Basis::epsilon;

  template <class To>
  void check_sizes(std::int64_t rows, std::int64_t columns, const To& x) const {
    if (rows == rows_ && columns == rows_ && x.rows == rows_ && x.count == k_) return;
    throw Error("the solver is for " + std::to_string(rows_) + " rows and " + std::to_string(k_) +
                    " pairs, A is " + std::to_string(rows) + " x " + std::to_string(columns) +
                    ", and x " + std::to_string(x.rows) + " x " + std::to_string(x.count),
                "make a solver for this size");
  }

  double tolerance() const {
    return options_.tolerance.value_or(std::is_same_v<RealOf<S>, float> ? 1e-5 : 1e-8);
  }
  /// How much of a Gram matrix of vectors of norm one is rounding, or less than 0 where B is not
  /// positive definite by more than that. With B the terms of a sum may be larger than it.
  double noise_of(const Dense& g, const std::vector<double>& norms) const {
    const double noise = 16 * epsilon * k_;
    double growth = 1;
    for (int j = 0; options_.generalized && j < g.rows; ++j) {
      const double norm = norms[static_cast<std::size_t>(k_ + j)];
      const double terms = basis_.largest_b * norm * norm;
      const double sum = detail::lobpcg::real_part(g(j, j));
      if (sum < -100 * noise * terms) return -1;
      if (sum > 0) growth = std::max(growth, terms / sum);
    }
    return noise * growth;
  }
  /// Zeros in place of vectors of which, once of norm one, projections left no more than rounding:
  /// that has parts of the constraints and of anything.
  void leave_out_rounding(Dense& g, Dense& h, const std::vector<double>& norms) const {
    double longest = 1, of_b = 1;
    if (options_.generalized) {
      of_b = basis_.largest_b;
      for (int j = 0; j < g.rows; ++j) {
        longest = std::max(longest, norms[static_cast<std::size_t>(k_ + j)]);
      }
    }
    const double rounding = 1e3 * epsilon * longest;
    for (int j = 0; j < g.rows; ++j) {
      if (detail::lobpcg::real_part(g(j, j)) > rounding * rounding * of_b) continue;
      for (int i = 0; i < g.rows; ++i) g(i, j) = g(j, i) = h(i, j) = h(j, i) = 0;
    }
  }
  /// Whether projections have left more of each W, once of norm one, than [X P] may be less than
  /// orthonormal by.
  bool apart(const Dense& g, int kept) const {
    const double bound = 1e-8 * (options_.generalized ? basis_.largest_b : 1);
    for (int j = kept; j < g.rows; ++j) {
      if (!(detail::lobpcg::real_part(g(j, j)) > bound)) return false;
    }
    return true;
  }
  bool indefinite(const Ritz& ritz, double noise) const {
    return options_.generalized && (noise < 0 || ritz.least < -100 * noise);
  }
  /// Whether A or B is less symmetric than the tolerance needs, and than rounding explains, which
  /// combinations of almost dependent vectors have multiplied.
  bool unsymmetric(const Dense& g, const Dense& h, const std::vector<double>& norms,
                   const LobpcgResult& result) const {
    const double allowed = std::max(std::pow(epsilon, 0.25), tolerance());
    const auto size = [&](int j) {
      return options_.generalized ? norms[static_cast<std::size_t>(k_ + j)]
                                  : std::sqrt(std::abs(detail::lobpcg::real_part(g(j, j))));
    };
    const double of_a = options_.generalized ? basis_.largest_a : result.scale;
    return detail::lobpcg::asymmetry(h, size) > allowed * of_a ||
           (options_.generalized &&
            detail::lobpcg::asymmetry(g, size) > allowed * basis_.largest_b);
  }

  /// X of norm one with its Ritz values, of the guess.
  template <class A, class B>
  bool begin(const Exec& exec, A& matrix, B& mass, LobpcgResult& result) {
    result.pairs.assign(static_cast<std::size_t>(k_), {});
    std::vector<double> norms;
    constexpr int most_tries = 4;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
      const Vectors x = basis_.span(basis_.now.vectors, 0, k_);
      basis_.normalize(exec, x);
      for (int twice = 0; twice < 2; ++twice) basis_.project_constraints(exec, x);
      basis_.multiply(exec, matrix, mass, 0, k_);
      Dense g, h;
      basis_.measure(exec, k_, 0, g, h, norms);
      if (!Basis::finite(g) || !Basis::finite(h)) {
        result.outcome = EigenOutcome::not_a_number;
        return false;
      }
      const double noise = noise_of(g, norms);
      leave_out_rounding(g, h, norms);
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, {}, options_.wanted, noise);
      if (indefinite(ritz, noise)) {
        result.outcome = EigenOutcome::indefinite;
        return false;
      }
      basis_.combine(exec, k_, ritz);
      if (ritz.found == k_) {
        note(ritz, result);
        return true;
      }
      const int first = ritz.found;
      detail::parallel_for(exec, "heddle::lobpcg::random", (k_ - first) * rows_,
                           detail::lobpcg::RandomEntry<S>{basis_.now.vectors + first * rows_,
                                                          static_cast<std::uint64_t>(attempt + 1)});
    }
    result.outcome = EigenOutcome::rank_deficient;
    return false;
  }

  void note(const Ritz& ritz, LobpcgResult& result) const {
    for (int j = 0; j < k_; ++j) {
      result.pairs[static_cast<std::size_t>(j)].value = ritz.values[static_cast<std::size_t>(j)];
    }
    result.scale = std::max(result.scale, ritz.scale);
  }

  /// Whether the sum of the Ritz values is another than `sum` by more than rounding, which it then
  /// becomes: residuals may stay as they are, or grow, while these still move.
  bool values_moved(const LobpcgResult& result, double& sum) const {
    double now = 0;
    for (const auto& pair : result.pairs) now += pair.value;
    const double unit = options_.generalized ? result.scale / basis_.largest_b : result.scale;
    if (std::abs(now - sum) <= 16 * k_ * epsilon * unit) return false;
    sum = now;
    return true;
  }

  /// Residuals into the result; the largest.
  double judge(const std::vector<double>& norms, LobpcgResult& result,
               std::vector<int>& active) const {
    double largest = 0, scale = 0;
    active.clear();
    for (int j = 0; j < k_; ++j) {
      auto& pair = result.pairs[static_cast<std::size_t>(j)];
      pair.residual = norms[static_cast<std::size_t>(j)];
      double bound = result.scale;
      if (options_.generalized) {
        pair.residual /= norms[static_cast<std::size_t>(k_ + j)];
        bound = basis_.largest_a + std::abs(pair.value) * basis_.largest_b;
        scale = std::max(scale, bound);
      }
      pair.converged = pair.residual <= tolerance() * bound;
      if (!pair.converged) active.push_back(j);
      if (!(pair.residual <= largest)) largest = pair.residual;
    }
    if (options_.generalized) result.scale = scale;
    return largest;
  }
  /// X made orthonormal anew, which combinations of an ill-conditioned basis have left less so, its
  /// Ritz values, and its true residuals.
  template <class A, class B>
  double verify(const Exec& exec, A& matrix, B& mass, LobpcgResult& result,
                std::vector<int>& active) {
    basis_.project_constraints(exec, basis_.span(basis_.now.vectors, 0, k_));
    basis_.multiply(exec, matrix, mass, 0, k_);
    Dense g, h;
    std::vector<double> of_basis;
    basis_.measure(exec, k_, 0, g, h, of_basis);
    if (Basis::finite(g) && Basis::finite(h)) {
      const double noise = noise_of(g, of_basis);
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, {}, options_.wanted, noise);
      if (ritz.found == k_ && !indefinite(ritz, noise)) {
        basis_.combine(exec, k_, ritz);
        note(ritz, result);
      }
    }
    std::vector<double> values;
    for (const auto& pair : result.pairs) values.push_back(pair.value);
    basis_.take_residuals(exec, values);
    std::vector<double> norms;
    basis_.read_norms(exec, k_, norms);
    return judge(norms, result, active);
  }

  /// W of the active columns behind [X P], orthogonal to these and to the constraints, and its
  /// products.
  template <class A, class M, class B>
  void widen(const Exec& exec, A& matrix, M& preconditioner, B& mass,
             const std::vector<int>& active, int kept) {
    const int count = static_cast<int>(active.size());
    const Vectors w = basis_.span(basis_.now.vectors, kept, count);
    const Vectors gathered =
        detail::krylov::no_preconditioner<M> ? w : basis_.span(basis_.gathered, 0, count);
    for (std::size_t at = 0; at < active.size();) {
      const int run = detail::lobpcg::run_length(active, at);
      heddle::vectors::axpby(exec, 1, basis_.span(basis_.residual, active[at], run), 0,
                             basis_.span(gathered.data(), static_cast<int>(at), run));
      at += static_cast<std::size_t>(run);
    }
    if constexpr (!detail::krylov::no_preconditioner<M>) {
      detail::krylov::apply<Exec, S>(exec, preconditioner, gathered, w);
    }
    basis_.normalize(exec, w);
    for (int twice = 0; twice < 2; ++twice) {
      basis_.project_constraints(exec, w);
      basis_.project(exec, basis_.now.vectors, basis_.now.mass, kept, w);
    }
    basis_.multiply(exec, matrix, mass, kept, count);
  }

  template <class A, class M, class B>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, B& mass, const Kokkos::Timer& timer,
               LobpcgResult& result) {
    std::vector<int> active;
    std::vector<double> norms;
    double claimed = verify(exec, matrix, mass, result, active);
    double smallest = std::numeric_limits<double>::infinity(), sum = smallest;
    int directions = 0, no_smaller = 0, since_measured = 0;
    constexpr int measured_every = 16;  // all of the basis: rounding adds up in what is not
    Dense g, h;
    const auto end_with = [&](EigenOutcome outcome) {
      verify(exec, matrix, mass, result, active);
      result.outcome = outcome;
    };
    while (!active.empty() && result.iterations < options_.max_iterations) {
      ++result.iterations;
      const int kept = k_ + directions, m = kept + static_cast<int>(active.size());
      widen(exec, matrix, preconditioner, mass, active, kept);
      if (since_measured == measured_every) since_measured = 0;
      if (since_measured++ > 0) basis_.measure(exec, m, kept, g, h, norms);
      if (since_measured == 1 || !apart(g, kept)) {
        since_measured = 1;
        basis_.measure(exec, m, 0, g, h, norms);
      }
      if (!Basis::finite(g) || !Basis::finite(h)) {
        result.outcome = EigenOutcome::not_a_number;
        for (auto& pair : result.pairs) pair.converged = false;
        return;
      }
      result.history.push_back(judge(norms, result, active));
      if (options_.callback && !options_.callback(result.iterations, result.history.back())) {
        return end_with(EigenOutcome::stopped_by_user);
      }
      if (!active.empty() && timer.seconds() > options_.max_seconds) {
        return end_with(EigenOutcome::out_of_time);
      }
      if (active.empty()) {
        const double truly = verify(exec, matrix, mass, result, active);
        if (!active.empty() && truly > 0.5 * claimed) {
          result.outcome = EigenOutcome::attainable_accuracy;
          return;
        }
        claimed = truly;
        directions = since_measured = 0;
        continue;
      }
      const bool moved = values_moved(result, sum);
      no_smaller = moved || result.history.back() < smallest ? 0 : no_smaller + 1;
      smallest = std::min(smallest, result.history.back());
      if (no_smaller == options_.stagnation_window) return end_with(EigenOutcome::stagnated);
      if (unsymmetric(g, h, norms, result)) return end_with(EigenOutcome::not_symmetric);
      const double noise = noise_of(g, norms);
      leave_out_rounding(g, h, norms);
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, active, options_.wanted, noise);
      if (indefinite(ritz, noise)) return end_with(EigenOutcome::indefinite);
      if (ritz.found < k_) return end_with(EigenOutcome::rank_deficient);
      basis_.combine(exec, m, ritz);
      note(ritz, result);
      directions = ritz.c.columns - k_;
      h = ritz.h;
      constexpr double most_growth = 1e4;
      if (noise > most_growth * 16 * epsilon * k_ * ritz.kept || !apart(g, kept))
        since_measured = 0;
      basis_.take_residuals(exec, ritz.values);
    }
    if (!active.empty()) verify(exec, matrix, mass, result, active);
    result.outcome = active.empty() ? EigenOutcome::converged : EigenOutcome::iteration_limit;
  }

  LobpcgOptions options_;
  std::int64_t rows_ = 0;
  int k_ = 0;
  Basis basis_;
  detail::MoveOnly only_moves_;
};

}  // namespace heddle
