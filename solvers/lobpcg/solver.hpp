// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/move_only.hpp"
#include "basis.hpp"

namespace heddle {

/// LOBPCG: finds the smallest or largest eigenvalues of a symmetric (Hermitian) A, or of A x =
/// lambda B x with a positive definite B, and their eigenvectors, by products only: locally optimal
/// block preconditioned conjugate gradients. M is a symmetric positive definite preconditioner of A
/// (or of A minus a shift below the wanted eigenvalues).
///
/// A solver is made once for a size, with all its memory, bytes(): 14 vectors for each pair, 20
/// with B, 2 or 3 for each constraint. It can be moved, not copied. An iteration waits once, for
/// two matrices of at most 3 count rows, and a second time if a new direction nearly depends on the
/// basis. The host solves their eigenproblems, so the number of rows should be much larger than
/// count. Directions that depend on others are dropped, so that no factorization fails. Pairs that
/// have converged stay in the basis and are multiplied no more (soft locking). A X is updated by
/// combinations; when all pairs seem to have converged it is computed again, and its residuals
/// count.
///
/// The bits are the same on every run if those of A, B and M are.
///
/// Source: A. Knyazev (2001); the basis is that of U. Hetmaniuk and R. Lehoucq (2006).
template <ExecutionSpace Exec, Scalar S>
class LobpcgSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;

  LobpcgSolver() : only_moves_(detail::made_empty) {}
  /// A solver for matrices of `rows` rows. Throws Error if options are invalid. Without `exec`,
  /// here and below: on the default instance.
  LobpcgSolver(const Exec& exec, std::int64_t rows, const LobpcgOptions& options = {})
      : options_(options), rows_(rows), k_(options.count) {
    detail::lobpcg::check_options(options, rows);
    basis_ = Basis(exec, rows, options);
  }
  explicit LobpcgSolver(std::int64_t rows, const LobpcgOptions& options = {})
      : LobpcgSolver(Exec(), rows, options) {}

  /// Finds the pairs of A x = lambda B x, from the guess in x, a View of rank 2 with a column for
  /// each pair (or of rank 1 for one). If the guess has too few independent columns, a fixed
  /// sequence of random numbers replaces the others. `constraints`, a View like x, are vectors to
  /// which all x shall be orthogonal, y' B x = 0, such as known eigenvectors; dependent ones count
  /// once. Leaves x with X' B X = I. Waits for `exec`. Throws Error if sizes do not fit, if M says
  /// that it is not symmetric, or if B or constraints are given but not in the options, or in the
  /// options but not given.
  template <class A, WritableVectorView X, class M = NoPreconditioner, class B = NoMassMatrix,
            class Y = NoConstraints>
  LobpcgResult solve(const Exec& exec, A&& matrix, const X& x, M&& preconditioner = M(),
                     B&& mass = B(), const Y& constraints = {}) {
    only_moves_.check("LobpcgSolver", "solve");
    check_sizes(matrix.rows(), matrix.columns(), detail::vectors::to_write(x));
    if (!detail::krylov::symmetric(preconditioner)) {
      throw Error(detail::krylov::name_of(preconditioner) + " is not symmetric",
                  "give LOBPCG a symmetric preconditioner");
    }
    detail::lobpcg::check_mass(options_, rows_, mass);
    detail::krylov::reserve(exec, preconditioner, k_);
    detail::vectors::assert_defined<Exec, S, S>();
    const Kokkos::Timer timer;
    LobpcgResult& result = result_ = {};
    basis_.begin_sizes(exec, matrix, mass);
    basis_.take_constraints(exec, mass, constraints);
    heddle::vectors::axpby(exec, 1, x, 0, basis_.span(basis_.now.vectors, 0, k_));
    if (begin(exec, matrix, mass, result))
      iterate(exec, matrix, preconditioner, mass, timer, result);
    heddle::vectors::axpby(exec, 1, basis_.span(basis_.now.vectors, 0, k_), 0, x);
    exec.fence("heddle::lobpcg::solution");
    return result;
  }
  template <class A, WritableVectorView X, class M = NoPreconditioner, class B = NoMassMatrix,
            class Y = NoConstraints>
  LobpcgResult solve(A&& matrix, const X& x, M&& preconditioner = M(), B&& mass = B(),
                     const Y& constraints = {}) {
    return solve(Exec(), matrix, x, preconditioner, mass, constraints);
  }

  /// The result of the last solve.
  const LobpcgResult& result() const {
    only_moves_.check("LobpcgSolver", "result");
    return result_;
  }

  std::size_t bytes() const { return basis_.bytes(); }

 private:
  using Basis = detail::lobpcg::Basis<Exec, S>;
  using Sum = typename Basis::Sum;
  using Vectors = typename Basis::Vectors;
  using Dense = detail::lobpcg::Dense<Sum>;
  using Ritz = detail::lobpcg::Ritz<Sum>;
  using Norms = detail::lobpcg::Norms;
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
    return options_.relative_tolerance.value_or(std::is_same_v<RealOf<S>, float> ? 1e-5 : 1e-8);
  }
  /// Rounding error of s' B s for vector j of the basis. Terms of the sum may be larger than it.
  double rounding_in(const Norms& norms, int j) const {
    return 16 * epsilon * k_ * basis_.largest_b * norms.vector(j) * norms.vector(j);
  }
  /// Writes zeros for vectors of norm one of which projections left no more than rounding, which
  /// has parts of the constraints and of anything. Rounding grows with the norm of the orthonormal
  /// `kept` vectors v before, relative to B: with |v| sqrt(|B|), which is 1 without B.
  void leave_out_rounding(Dense& g, Dense& h, const Norms& norms, int kept) const {
    double longest = 1, of_b = 1;
    if (options_.generalized) {
      of_b = basis_.largest_b;
      for (int j = 0; j < kept; ++j) {
        longest = std::max(longest, norms.vector(j) * std::sqrt(of_b));
      }
    }
    const double left = 1e3 * epsilon * longest;
    for (int j = kept; j < g.rows; ++j) {
      const double square = detail::real_part(g(j, j));
      const double in_sum = options_.generalized ? rounding_in(norms, j) : 0;
      if (square > std::max(left * left * of_b, 2 * in_sum) || square < -100 * in_sum) continue;
      for (int i = 0; i < g.rows; ++i) g(i, j) = g(j, i) = h(i, j) = h(j, i) = 0;
    }
  }
  /// Rounding error in a Gram matrix of vectors of norm one; negative if B is indefinite by more
  /// than rounding.
  double noise_of(const Dense& g, const Norms& norms) const {
    double noise = 16 * epsilon * k_;
    for (int j = 0; options_.generalized && j < g.rows; ++j) {
      const double square = detail::real_part(g(j, j)), in_sum = rounding_in(norms, j);
      if (square < -100 * in_sum) return -1;
      if (square > 0) noise = std::max(noise, in_sum / square);
    }
    return noise;
  }
  /// Whether projections have left more of each vector of W, which had norm one, than the error of
  /// orthonormality that [X P] may have.
  bool apart(const Dense& g, int kept) const {
    const double bound = 1e-8 * (options_.generalized ? basis_.largest_b : 1);
    for (int j = kept; j < g.rows; ++j) {
      if (!(detail::real_part(g(j, j)) > bound)) return false;
    }
    return true;
  }
  bool indefinite(const Ritz& ritz, double noise) const {
    return options_.generalized && (noise < 0 || ritz.least < -100 * noise);
  }
  /// Whether A or B is less symmetric than the tolerance needs and than rounding explains, by the
  /// vectors from `multiplied` on. Products with those before are combinations, in which an almost
  /// dependent basis has amplified rounding.
  bool unsymmetric(const Dense& g, const Dense& h, const Norms& norms, int multiplied) const {
    const double allowed = std::max(1e3 * epsilon, tolerance());
    const auto size = [&](int j) {
      return options_.generalized ? norms.vector(j)
                                  : std::sqrt(std::abs(detail::real_part(g(j, j))));
    };
    return detail::lobpcg::asymmetry(h, size, multiplied) > allowed * basis_.largest_a ||
           (options_.generalized &&
            detail::lobpcg::asymmetry(g, size, multiplied) > allowed * basis_.largest_b);
  }

  /// Computes X of norm one and its Ritz values from the guess. Missing independent columns are
  /// random, and made orthogonal to those found.
  template <class A, class B>
  bool begin(const Exec& exec, A& matrix, B& mass, LobpcgResult& result) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    result.pairs.assign(static_cast<std::size_t>(k_),
                        {.value = nan, .residual = nan, .error = nan});
    Norms norms;
    int found = 0;
    constexpr int most_tries = 4;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
      const Vectors fresh = basis_.span(basis_.now.vectors, found, k_ - found);
      basis_.normalize(exec, fresh);
      for (int twice = 0; twice < 2; ++twice) {
        basis_.project_constraints(exec, fresh);
        basis_.project(exec, basis_.now.vectors, basis_.now.mass, found, fresh);
      }
      basis_.multiply(exec, matrix, mass, found, k_ - found);
      Dense g, h;
      basis_.measure(exec, k_, 0, g, h, norms);
      if (!Basis::finite(g) || !Basis::finite(h)) {
        result.outcome = EigenOutcome::not_a_number;
        return false;
      }
      leave_out_rounding(g, h, norms, found);
      const double noise = noise_of(g, norms);
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, {}, options_.wanted, noise);
      if (indefinite(ritz, noise)) {
        result.outcome = EigenOutcome::indefinite;
        return false;
      }
      basis_.combine(exec, k_, ritz);
      found = ritz.found;
      if (found == k_) {
        keep_values(ritz, result);
        return true;
      }
      basis_.randomize(exec, basis_.span(basis_.now.vectors, found, k_ - found),
                       static_cast<std::uint64_t>(attempt + 1));
    }
    result.outcome = EigenOutcome::rank_deficient;
    return false;
  }

  void keep_values(const Ritz& ritz, LobpcgResult& result) {
    for (int j = 0; j < k_; ++j) {
      result.pairs[static_cast<std::size_t>(j)].value = ritz.values[static_cast<std::size_t>(j)];
    }
    if (!options_.generalized) basis_.largest_a = std::max(basis_.largest_a, ritz.scale);
  }

  /// Estimate of |A x| + |lambda| |B x| for x of norm one: the unit of a residual.
  double unit_of(double value) const {
    return basis_.largest_a + (options_.generalized ? std::abs(value) * basis_.largest_b : 0);
  }
  /// Whether the sum of the Ritz values differs from `sum` by more than rounding; `sum` is then set
  /// to it. Residuals may stay as they are, or grow, while Ritz values still move.
  bool values_moved(const LobpcgResult& result, double& sum) const {
    double now = 0, unit = 0;
    for (const auto& pair : result.pairs) {
      now += pair.value;
      unit = std::max(unit, unit_of(pair.value));
    }
    if (options_.generalized) unit /= basis_.largest_b;
    if (std::abs(now - sum) <= 16 * k_ * epsilon * unit) return false;
    sum = now;
    return true;
  }

  /// Writes residuals and errors of the values to the result. Returns the largest residual.
  double assess(const Norms& norms, LobpcgResult& result, std::vector<int>& active) const {
    double largest = 0;
    result.scale = 0;
    active.clear();
    for (int j = 0; j < k_; ++j) {
      auto& pair = result.pairs[static_cast<std::size_t>(j)];
      pair.residual = pair.error = norms.residual(j);
      double of_b = 1;  // |B x| / |x|
      if (options_.generalized) {
        const double norm = norms.vector(j);
        pair.residual /= norm;
        pair.error *= std::max(norm, 1 / std::sqrt(basis_.smallest_b));  // since x' B x = 1
        of_b = norms.mass(j) / norm;
      }
      const double scale = options_.relative_to == EigenRelativeTo::norm
                               ? unit_of(pair.value)
                               : std::abs(pair.value) * of_b;
      result.scale = std::max(result.scale, scale);
      pair.converged = pair.residual <= tolerance() * scale;
      if (!pair.converged) active.push_back(j);
      if (!(pair.residual <= largest)) largest = pair.residual;
    }
    return largest;
  }
  /// Makes X orthonormal again, since combinations of an ill-conditioned basis have left it less
  /// so, and computes its Ritz values and true residuals.
  template <class A, class B>
  double verify(const Exec& exec, A& matrix, B& mass, LobpcgResult& result,
                std::vector<int>& active) {
    basis_.project_constraints(exec, basis_.span(basis_.now.vectors, 0, k_));
    basis_.multiply(exec, matrix, mass, 0, k_);
    Dense g, h;
    Norms norms;
    basis_.measure(exec, k_, 0, g, h, norms);
    if (Basis::finite(g) && Basis::finite(h)) {
      const double noise = noise_of(g, norms);
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, {}, options_.wanted, noise);
      if (ritz.found == k_ && !indefinite(ritz, noise)) {
        basis_.combine(exec, k_, ritz);
        keep_values(ritz, result);
      }
    }
    std::vector<double> values;
    for (const auto& pair : result.pairs) values.push_back(pair.value);
    basis_.take_residuals(exec, values);
    basis_.read_norms(exec, k_, k_, norms);
    return assess(norms, result, active);
  }

  /// Appends W of the active columns to [X P], orthogonal to these and to the constraints, and
  /// computes its products.
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
    Norms norms;
    double claimed = verify(exec, matrix, mass, result, active);
    double smallest = std::numeric_limits<double>::infinity(), sum = smallest;
    int directions = 0, no_smaller = 0, since_measured = 0;
    bool verified = true;               // whether A X and B X are products
    constexpr int measured_every = 16;  // iterations; rounding adds up in parts not measured
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
      result.history.push_back(assess(norms, result, active));
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
        verified = true;
        continue;
      }
      const bool moved = values_moved(result, sum);
      no_smaller = moved || result.history.back() < smallest ? 0 : no_smaller + 1;
      smallest = std::min(smallest, result.history.back());
      if (no_smaller == options_.stagnation_window) return end_with(EigenOutcome::stagnated);
      leave_out_rounding(g, h, norms, kept);
      const double noise = noise_of(g, norms);
      if (unsymmetric(g, h, norms, std::exchange(verified, false) ? 0 : kept)) {
        return end_with(EigenOutcome::not_symmetric);
      }
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, active, options_.wanted, noise);
      if (indefinite(ritz, noise)) return end_with(EigenOutcome::indefinite);
      if (ritz.found < k_) return end_with(EigenOutcome::rank_deficient);
      basis_.combine(exec, m, ritz);
      keep_values(ritz, result);
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
  LobpcgResult result_;
  detail::MoveOnly only_moves_;
};

/// The scalar is double if none is named.
template <ExecutionSpace Exec>
LobpcgSolver(const Exec&, std::int64_t, const LobpcgOptions& = {}) -> LobpcgSolver<Exec, double>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// The instances of LOBPCG for a scalar that the compiled part (compiled.hpp) holds: all but the
/// search over an operator and a preconditioner, and the small matrices of the host, which LAPACK
/// may solve.
#define HEDDLE_LOBPCG_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_LOBPCG_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_LOBPCG_INSTANCES_ON(EXTERN, SCALAR, EXEC)             \
  EXTERN template class heddle::detail::lobpcg::Basis<EXEC, SCALAR>; \
  EXTERN template class heddle::LobpcgSolver<EXEC, SCALAR>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_LOBPCG_INSTANCES, HEDDLE_EXTERN)
