// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string>

#include "../../core/hash.hpp"
#include "../../core/loops.hpp"
#include "../../core/move_only.hpp"
#include "../krylov/apply.hpp"
#include "../krylov/squares.hpp"
#include "../vectors/instantiate.hpp"
#include "ritz.hpp"

namespace heddle {

namespace detail::lobpcg {

/// A number in [-1, 1) of its place and a seed, alike on all devices.
template <Scalar S>
struct RandomEntry {
  S* to;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(i) * golden_ratio + seed);
    to[i] = S(static_cast<heddle::RealOf<S>>(static_cast<double>(bits >> 11) * 0x1p-52 - 1));
  }
};

}  // namespace detail::lobpcg

/// The smallest or largest eigenvalues of a symmetric (Hermitian) A, and eigenvectors, with
/// products alone: locally optimal block preconditioned conjugate gradients. M is a preconditioner,
/// symmetric and positive definite, of A (or of A minus a shift below what is wanted).
///
/// Made once for a size, with all memory: 14 vectors for each pair, bytes(). It moves, and does not
/// copy. An iteration waits once, for two matrices of at most 3 count rows, whose eigenproblems the
/// host solves: with n rows it is for n much larger than count. Directions that depend on others
/// are left out, so that no factorization fails. Pairs that have converged stay in the basis and
/// are multiplied no more (soft locking). A X is kept by combinations; where all pairs seem to have
/// converged it is computed anew, and the residuals that it gives are what counts.
///
/// The same bits on every run, if A and M give the same bits.
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
    check();
    const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(k_);
    const std::size_t numbers = 2 * 9 * k * k, coefficients = 9 * k * k;
    arena_ = Arena<Space>(exec, "heddle::lobpcg::vectors",
                          arena_bytes<S, Sum, Sum, double>(14 * n * k, numbers, coefficients, k));
    S* next = arena_.template take<S>(14 * n * k).data();
    for (S** const to : {&basis_, &image_, &next_basis_, &next_image_}) {
      *to = next;
      next += 3 * n * k;
    }
    residual_ = next;
    gathered_ = next + n * k;
    grams_ = arena_.template take<Sum>(numbers).data();
    coefficients_ = arena_.template take<Sum>(coefficients).data();
    norms_ = arena_.template take<double>(k).data();
    workspace_ = VectorWorkspace<Exec, Sum>(exec, 9 * k_ * k_);
  }

  /// The pairs of A, from the guess in x, which is a View of rank 2 with a column for each pair (or
  /// of rank 1 for one); what the guess lacks of independent columns is filled up by a fixed
  /// sequence of random numbers. Leaves orthonormal vectors in x. Throws Error if sizes do not fit,
  /// or M says that it is not symmetric.
  template <class A, WritableVectorView X, class M>
  LobpcgResult solve(const Exec& exec, A&& matrix, const X& x, M&& preconditioner) {
    only_moves_.check("LobpcgSolver", "solve");
    check_sizes(matrix.rows(), matrix.columns(), detail::vectors::to_write(x));
    if (!detail::krylov::symmetric(preconditioner)) {
      throw Error(detail::krylov::name_of(preconditioner) + " is not symmetric",
                  "LOBPCG needs a symmetric preconditioner");
    }
    LobpcgResult result;
    heddle::vectors::axpby(exec, 1, x, 0, span(basis_, 0, k_));
    if (begin(exec, matrix, result)) iterate(exec, matrix, preconditioner, result);
    heddle::vectors::axpby(exec, 1, span(basis_, 0, k_), 0, x);
    exec.fence("heddle::lobpcg::solution");
    return result;
  }
  template <class A, WritableVectorView X>
  LobpcgResult solve(const Exec& exec, A&& matrix, const X& x) {
    return solve(exec, matrix, x, NoPreconditioner());
  }

  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }

 private:
  using Space = typename Exec::memory_space;
  using Sum = detail::krylov::Wide<S>;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;
  using Dense = detail::lobpcg::Dense<Sum>;
  using Ritz = detail::lobpcg::Ritz<Sum>;
  template <class T>
  using Small =
      Kokkos::View<T**, Kokkos::LayoutLeft, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T>
  using OnHost = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T>
  using Numbers = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr double epsilon = std::numeric_limits<RealOf<S>>::epsilon();

  void check() const {
    if (rows_ < 1 || k_ < 1 || k_ > rows_) {
      throw Error("options.count is " + std::to_string(k_) + ", of a matrix of " +
                      std::to_string(rows_) + " rows",
                  "ask for at least one pair, and no more than there are");
    }
    if (options_.tolerance && !(*options_.tolerance > 0)) {
      throw Error("options.tolerance is " + std::to_string(*options_.tolerance),
                  "give a positive one");
    }
    if (options_.max_iterations < 0) {
      throw Error("options.max_iterations is " + std::to_string(options_.max_iterations),
                  "give none or more");
    }
  }
  template <class To>
  void check_sizes(std::int64_t rows, std::int64_t columns, const To& x) const {
    if (rows == rows_ && columns == rows_ && x.rows == rows_ && x.count == k_) return;
    throw Error("the solver is for " + std::to_string(rows_) + " rows and " + std::to_string(k_) +
                    " pairs, A is " + std::to_string(rows) + " x " + std::to_string(columns) +
                    ", and x " + std::to_string(x.rows) + " x " + std::to_string(x.count),
                "make a solver for this size");
  }

  Vectors span(S* of, int first, int count) const {
    const auto n = static_cast<std::size_t>(rows_);
    return Vectors(of + static_cast<std::size_t>(first) * n, n, static_cast<std::size_t>(count));
  }
  double tolerance() const {
    return options_.tolerance.value_or(std::is_same_v<RealOf<S>, float> ? 1e-5 : 1e-8);
  }

  /// S' S and S' A S of the first m vectors, and the norms of R: the wait of an iteration.
  void measure(const Exec& exec, int m, Dense& g, Dense& h, std::vector<double>& norms) {
    const auto square = static_cast<std::size_t>(m) * static_cast<std::size_t>(m);
    const Small<Sum> on_device(grams_, m, m), second(grams_ + square, m, m);
    heddle::vectors::inner_products(exec, span(basis_, 0, m), span(basis_, 0, m), workspace_,
                                    on_device);
    heddle::vectors::inner_products(exec, span(basis_, 0, m), span(image_, 0, m), workspace_,
                                    second);
    g = Dense(m, m);
    h = Dense(m, m);
    Kokkos::deep_copy(kokkos_space(exec), OnHost<Sum>(g.entries.data(), m, m), on_device);
    Kokkos::deep_copy(kokkos_space(exec), OnHost<Sum>(h.entries.data(), m, m), second);
    read_norms(exec, norms);
  }
  void read_norms(const Exec& exec, std::vector<double>& norms) {
    norms.resize(static_cast<std::size_t>(k_));
    Kokkos::deep_copy(kokkos_space(exec), OnHost<double>(norms.data(), k_, 1),
                      Small<double>(norms_, k_, 1));
    exec.fence("heddle::lobpcg::check");
  }
  static bool finite(const Dense& of) {
    return std::all_of(of.entries.begin(), of.entries.end(), [](const Sum& value) {
      return std::isfinite(static_cast<double>(Kokkos::abs(value)));
    });
  }

  /// [X P] = S [C_x C_p], and the same of A S.
  void combine(const Exec& exec, int m, const Ritz& ritz) {
    const int columns = ritz.x.columns + ritz.p.columns;
    sent_ = ritz.x.entries;  // which lives until the next wait
    sent_.insert(sent_.end(), ritz.p.entries.begin(), ritz.p.entries.end());
    const Small<Sum> on_device(coefficients_, m, columns);
    Kokkos::deep_copy(kokkos_space(exec), on_device, OnHost<Sum>(sent_.data(), m, columns));
    heddle::vectors::combine(exec, 1, span(basis_, 0, m), on_device, 0,
                             span(next_basis_, 0, columns));
    heddle::vectors::combine(exec, 1, span(image_, 0, m), on_device, 0,
                             span(next_image_, 0, columns));
    std::swap(basis_, next_basis_);
    std::swap(image_, next_image_);
  }

  /// R = A X - X Lambda, and its norms.
  void take_residuals(const Exec& exec, const std::vector<double>& values) {
    const Vectors r = span(residual_, 0, k_);
    heddle::vectors::axpby(exec, 1, span(image_, 0, k_), 0, r);
    for (int j = 0; j < k_; ++j) {
      heddle::vectors::axpby(exec, -values[static_cast<std::size_t>(j)], span(basis_, j, 1), 1,
                             span(residual_, j, 1));
    }
    heddle::vectors::norm(exec, r, workspace_,
                          Numbers<double>(norms_, static_cast<std::size_t>(k_)));
  }

  /// Random numbers in vectors [first, k).
  void fill_up(const Exec& exec, int first, std::uint64_t seed) {
    S* const data = basis_;
    const std::int64_t from = first * rows_;
    detail::parallel_for(exec, "heddle::lobpcg::random", (k_ - first) * rows_,
                         detail::lobpcg::RandomEntry<S>{data + from, seed});
  }

  /// Orthonormal X with its Ritz values, of the guess.
  template <class A>
  bool begin(const Exec& exec, A& matrix, LobpcgResult& result) {
    std::vector<double> unused;
    constexpr int most_tries = 4;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
      detail::krylov::apply<Exec, S>(exec, matrix, span(basis_, 0, k_), span(image_, 0, k_));
      Dense g, h;
      measure(exec, k_, g, h, unused);
      if (!finite(g) || !finite(h)) {
        result.outcome = EigenOutcome::not_a_number;
        result.pairs.assign(static_cast<std::size_t>(k_), {});
        return false;
      }
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, {}, options_.wanted, drop());
      combine(exec, k_, ritz);
      if (ritz.x.columns == k_) {
        note(ritz, result);
        return true;
      }
      fill_up(exec, ritz.x.columns, static_cast<std::uint64_t>(attempt + 1));
    }
    result.outcome = EigenOutcome::rank_deficient;
    result.pairs.assign(static_cast<std::size_t>(k_), {});
    return false;
  }
  double drop() const { return 16 * epsilon * k_; }

  void note(const Ritz& ritz, LobpcgResult& result) const {
    result.pairs.resize(static_cast<std::size_t>(k_));
    for (int j = 0; j < k_; ++j) {
      result.pairs[static_cast<std::size_t>(j)].value = ritz.values[static_cast<std::size_t>(j)];
    }
    result.scale = std::max(result.scale, ritz.scale);
  }
  static std::vector<double> values_of(const LobpcgResult& result) {
    std::vector<double> values;
    for (const auto& pair : result.pairs) values.push_back(pair.value);
    return values;
  }

  /// Residuals into the result; the largest.
  double judge(const std::vector<double>& norms, LobpcgResult& result,
               std::vector<int>& active) const {
    double largest = 0;
    active.clear();
    for (int j = 0; j < k_; ++j) {
      auto& pair = result.pairs[static_cast<std::size_t>(j)];
      pair.residual = norms[static_cast<std::size_t>(j)];
      pair.converged = pair.residual <= tolerance() * result.scale;
      if (!pair.converged) active.push_back(j);
      if (!(pair.residual <= largest)) largest = pair.residual;
    }
    return largest;
  }
  /// The true residuals of X.
  template <class A>
  double verify(const Exec& exec, A& matrix, LobpcgResult& result, std::vector<int>& active) {
    detail::krylov::apply<Exec, S>(exec, matrix, span(basis_, 0, k_), span(image_, 0, k_));
    take_residuals(exec, values_of(result));
    std::vector<double> norms;
    read_norms(exec, norms);
    return judge(norms, result, active);
  }

  /// W of the active columns behind [X P], orthogonal to these, and A W.
  template <class A, class M>
  void widen(const Exec& exec, A& matrix, M& preconditioner, const std::vector<int>& active,
             int kept) {
    const int count = static_cast<int>(active.size());
    const Vectors w = span(basis_, kept, count);
    const bool direct = detail::krylov::no_preconditioner<M>;
    for (int j = 0; j < count; ++j) {
      heddle::vectors::axpby(exec, 1, span(residual_, active[static_cast<std::size_t>(j)], 1), 0,
                             direct ? span(basis_, kept + j, 1) : span(gathered_, j, 1));
    }
    if constexpr (!detail::krylov::no_preconditioner<M>) {
      detail::krylov::apply<Exec, S>(exec, preconditioner, span(gathered_, 0, count), w);
    }
    const Vectors v = span(basis_, 0, kept);
    const Small<Sum> along(coefficients_, kept, count);
    for (int twice = 0; twice < 2; ++twice) {
      heddle::vectors::inner_products(exec, v, w, workspace_, along);
      heddle::vectors::combine(exec, -1, v, along, 1, w);
    }
    detail::krylov::apply<Exec, S>(exec, matrix, w, span(image_, kept, count));
  }

  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, LobpcgResult& result) {
    std::vector<int> active;
    std::vector<double> norms;
    double claimed = verify(exec, matrix, result, active);
    int directions = 0;
    while (!active.empty() && result.iterations < options_.max_iterations) {
      ++result.iterations;
      const int kept = k_ + directions, m = kept + static_cast<int>(active.size());
      widen(exec, matrix, preconditioner, active, kept);
      Dense g, h;
      measure(exec, m, g, h, norms);
      if (!finite(g) || !finite(h)) {
        result.outcome = EigenOutcome::not_a_number;
        for (auto& pair : result.pairs) pair.converged = false;
        return;
      }
      result.history.push_back(judge(norms, result, active));
      if (active.empty()) {
        const double truly = verify(exec, matrix, result, active);
        if (!active.empty() && truly > 0.5 * claimed) {
          result.outcome = EigenOutcome::attainable_accuracy;
          return;
        }
        claimed = truly;
        directions = 0;
        continue;
      }
      const Ritz ritz = detail::lobpcg::rayleigh_ritz(g, h, k_, active, options_.wanted, drop());
      if (ritz.x.columns < k_) {
        result.outcome = EigenOutcome::rank_deficient;
        return;
      }
      combine(exec, m, ritz);
      note(ritz, result);
      directions = ritz.p.columns;
      take_residuals(exec, ritz.values);
    }
    if (!active.empty()) verify(exec, matrix, result, active);
    result.outcome = active.empty() ? EigenOutcome::converged : EigenOutcome::iteration_limit;
  }

  LobpcgOptions options_;
  std::int64_t rows_ = 0;
  int k_ = 0;
  Arena<Space> arena_;
  VectorWorkspace<Exec, Sum> workspace_;
  S *basis_ = nullptr, *image_ = nullptr, *next_basis_ = nullptr, *next_image_ = nullptr;
  S *residual_ = nullptr, *gathered_ = nullptr;
  Sum *grams_ = nullptr, *coefficients_ = nullptr;
  double* norms_ = nullptr;
  std::vector<Sum> sent_;
  detail::MoveOnly only_moves_;
};

}  // namespace heddle
