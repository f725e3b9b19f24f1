// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flexible conjugate gradients and flexible GMRES: preconditioners that change from one apply to
// the next, which other methods do not solve with; test_krylov_table.cpp has the promises of every
// method.
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 12;
using Vector = System::Vector;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// Positive diagonal matrices in turns, with entries between 0.2 and 1.8.
struct Weights {
  std::vector<PlainOperator<Exec, double>> turns;
  std::size_t applies = 0;

  explicit Weights(int rows) {
    Random random(3);
    for (int k = 0; k < 7; ++k) {
      turns.push_back(band<double>(rows, [&](int i, int j) {
        return i == j ? 0.2 + 1.6 * static_cast<double>(random.below(1000)) / 1000 : 0.0;
      }));
    }
  }
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    turns[applies++ % turns.size()].apply(exec, b, x);
  }
};

/// One to three steps of damped Jacobi, in turns.
struct Sweeps {
  PlainOperator<Exec, double> a;
  Diagonal diagonal{JacobiPreconditioner<Exec, double>(Exec(), a.matrix())};
  Vector left{"heddle::test::left", static_cast<std::size_t>(a.n)};
  Vector step{"heddle::test::step", static_cast<std::size_t>(a.n)};
  int applies = 0;

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    diagonal.apply(exec, b, x);
    for (int k = 0; k < applies % 3; ++k) {
      a.apply(exec, x, left);
      heddle::vectors::axpby(exec, 1, b, -1, left);
      diagonal.apply(exec, left, step);
      heddle::vectors::axpby(exec, 0.8, step, 1, x);
    }
    ++applies;
  }
};

/// A few steps of conjugate gradients.
struct Inner {
  PlainOperator<Exec, double> a;
  CgSolver<Exec, double> cg{
      Exec(), a.n, {.max_iterations = 4, .check_every = 0, .zero_guess = true}};

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    cg.solve(exec, a, b, x);
  }
};

/// A lower triangle that is positive definite.
struct Lower {
  PlainOperator<Exec, double> of;

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    of.apply(exec, b, x);
  }
  static bool symmetric() { return false; }
};

/// b / |b|, which is NaN for b = 0. To a vector of norm 1, as those of a basis, it is the identity.
struct Normalizing {
  struct Entry {
    const double* b;
    double* x;
    std::int64_t rows;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      double square = 0;
      for (std::int64_t k = 0; k < rows; ++k) square += b[k] * b[k];
      x[i] = b[i] / Kokkos::sqrt(square);
    }
  };
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    const auto rows = static_cast<std::int64_t>(b.extent(0));
    Kokkos::parallel_for("heddle::test::normalize", range_policy(exec, rows),
                         Entry{b.data(), x.data(), rows});
  }
};

/// The preconditioner of Jacobi, whose result has one NaN in one of its applies.
struct WithOneNan {
  Diagonal diagonal;
  int at, applies = 0;

  struct Write {
    double* x;
    KOKKOS_FUNCTION void operator()(std::int64_t) const {
      x[2] = Kokkos::Experimental::quiet_NaN_v<double>;
    }
  };
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    diagonal.apply(exec, b, x);
    if (++applies != at) return;
    Kokkos::parallel_for("heddle::test::nan", range_policy(exec, 1), Write{x.data()});
  }
};

System grid() { return system_of(star(side, 4.01)); }

}  // namespace

TEST_CASE("with weights that change in each call flexible methods converge, and others do not") {
  for (const std::string solver : {"cg", "gmres"}) {
    CAPTURE(solver);
    System system = grid();
    KrylovOptions options{.max_iterations = 400, .stagnation_window = 400};
    if (solver == "gmres") options.restart = 30;
    const std::string plain = solver == "cg" ? "cg/launches" : solver;
    for (const int every : {0, 10}) {
      CAPTURE(every);
      options.check_every = every;
      const int rows = static_cast<int>(system.a.n);
      Weights of_plain(rows), of_flexible(rows);
      CHECK(!solve_by(plain, system, options, of_plain).result.converged());
      const Solved solved = solve_by(solver + "/flexible", system, options, of_flexible);
      CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
    }
  }
}

TEST_CASE("with sweeps that change flexible conjugate gradients need fewer iterations") {
  System system = grid();
  const auto iterations = [&](const char* method, int recompute) {
    Sweeps sweeps{system.a};
    const Solved solved = solve_by(method, system, {.recompute_every = recompute}, sweeps);
    CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
    return solved.result.iterations;
  };
  const int flexible = iterations("cg/flexible", 0);
  CHECK(4 * flexible < 3 * iterations("cg/launches", 0));
  // b - A x replaces r and p stays: r . z of another z is not the slope along p. The sweeps then
  // come in another order, of which some need a fifth more iterations.
  CHECK(2 * iterations("cg/flexible", 3) < 3 * flexible);
}

TEST_CASE("an inner iteration is a preconditioner") {
  System system = grid();
  const int alone = solve_by("cg/launches", system, {}).result.iterations;
  for (const std::string method : {"cg/flexible", "gmres/flexible"}) {
    CAPTURE(method);
    Inner inner{system.a};
    const KrylovOptions options{.max_iterations = alone};
    const Solved solved = solve_by(method, system, options, inner);
    CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
    CHECK(4 * solved.result.iterations < 3 * alone);
  }
}

TEST_CASE("flexible conjugate gradients take a preconditioner that is not symmetric") {
  System system = system_of(band<double>(100, [](int i, int j) { return i == j ? 2.5 : -1; }));
  // D^-1 - D^-1 L D^-1, the first two terms of (D + L)^-1
  Lower lower{band<double>(100, [](int i, int j) {
    return i == j ? 1 / 2.5 : j < i ? 1 / (2.5 * 2.5) : 0.0;
  })};
  CHECK_THROWS_WITH_AS(solve_by("cg/launches", system, {}, lower),
                       doctest::Contains("is not symmetric"), Error);
  const Solved solved = solve_by("cg/flexible", system, {}, lower);
  CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
}

TEST_CASE("flexible conjugate gradients converge after a step that leaves only rounding") {
  // b and the guess are an eigenvector of A and M, so that the first step removes all of a residual
  // that is larger than b by 1e8. Of what is left r . z and r . p differ.
  const auto turned = [](double angle, double first, double second) {
    const double c = std::cos(angle), s = std::sin(angle);
    return band<double>(2, [=](int i, int j) {
      return i == j ? first * (i == 0 ? c * c : s * s) + second * (i == 0 ? s * s : c * c)
                    : (first - second) * c * s;
    });
  };
  for (int k = 1; k < 100; ++k) {
    CAPTURE(k);
    const double angle = 0.031 * k;
    System system = system_of(turned(angle, 1, 0.32));
    const std::vector<double> b{std::cos(angle), std::sin(angle)};
    system.b = copy_in<Exec::memory_space>(b);
    system.guess = copy_in<Exec::memory_space>(std::vector<double>{1e8 * b[0], 1e8 * b[1]});
    PlainOperator<Exec, double> m = turned(angle, 0.998, 1);
    const KrylovOptions options{.relative_tolerance = 1e-10, .max_iterations = 300};
    const Solved solved = solve_by("cg/flexible", system, options, m);
    CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
  }
}

TEST_CASE("where M stays the same flexible methods take the steps of the others") {
  System system = grid();
  Diagonal diagonal{JacobiPreconditioner<Exec, double>(Exec(), system.a.matrix())};
  for (const std::string solver : {"cg", "gmres"}) {
    CAPTURE(solver);
    const KrylovOptions options{.history = true};
    const std::string plain = solver == "cg" ? "cg/launches" : solver;
    const Solved other = solve_by(plain, system, options, diagonal);
    const int of_other = std::exchange(diagonal.applies, 0);
    const Solved flexible = solve_by(solver + "/flexible", system, options, diagonal);
    CHECK(std::abs(other.result.iterations - flexible.result.iterations) <= 1);
    for (std::size_t i = 0; i < flexible.history.size() / 2; ++i) {
      CHECK(close(flexible.history[i], other.history[i], 1e-6));
    }
    // GMRES keeps M v, and does not apply M again at the end of a cycle.
    if (solver == "gmres") CHECK(diagonal.applies < of_other);
    diagonal.applies = 0;
  }
}

TEST_CASE("flexible GMRES keeps as many vectors more as a cycle has iterations") {
  KrylovOptions options = restarted_after(7);
  const auto bytes = [&] { return GmresSolver<Exec, double>(Exec(), 1000, options).bytes(); };
  const std::size_t plain = bytes();
  options.flexible = true;
  CHECK(bytes() >= plain + 7 * 8000);
  CHECK(bytes() <= plain + 7 * 8000 + arena_alignment_bytes);
}

TEST_CASE("flexible GMRES adds nothing of the steps after the end, where M is given zeros") {
  System system = grid();
  for (const int every : {0, 7, 10}) {  // the end is within a block of one of the last two
    for (const int restart : {14, 60}) {
      CAPTURE(every);
      CAPTURE(restart);
      Normalizing m;
      const KrylovOptions options{.max_iterations = 400, .check_every = every};
      const Solved solved =
          solve_by("gmres/flexible", system, restarted_after(restart, options), m);
      CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
      CHECK(all_finite(solved.x));
    }
  }
}

TEST_CASE("flexible GMRES leaves out a step with a NaN of M") {
  const Exec exec;
  System system = grid();
  for (const int every : {0, 10}) {
    for (const int at : {1, 3, 13}) {
      CAPTURE(every);
      CAPTURE(at);
      const auto solve = [&](int iterations) {
        WithOneNan m{{JacobiPreconditioner<Exec, double>(exec, system.a.matrix())}, at};
        const KrylovOptions options{.max_iterations = iterations, .check_every = every};
        return solve_by("gmres/flexible", system, restarted_after(30, options), m);
      };
      const Solved solved = solve(100), before = solve(at - 1);
      CHECK_MESSAGE(solved.result.outcome == Outcome::not_a_number, name(solved.result.outcome));
      CHECK(solved.result.iterations == at);
      CHECK(all_finite(solved.x));
      const double size = norm(before.x);
      heddle::vectors::axpby(exec, -1, solved.x, 1, before.x);
      CHECK(norm(before.x) <= 1e-12 * size);
    }
  }
}

TEST_CASE("flexible conjugate gradients have a scheme of launches alone") {
  System system = grid();
  KrylovOptions options{.scheme = Scheme("cg/one-team")};
  options.flexible = true;
  CgSolver<Exec, double> cg(Exec(), system.a.n, options);
  const Vector x("heddle::test::x", system.b.extent(0));
  CHECK_THROWS_WITH_AS(cg.solve(system.a, system.b, x), doctest::Contains("options.flexible"),
                       Error);
}

TEST_CASE("several right-hand sides have a beta each") {
  System system = grid();
  KrylovOptions options{.vectors = 2};
  options.flexible = true;
  const Columns b("heddle::test::b", system.b.extent(0), 2), x("heddle::test::x", b.extent(0), 2);
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 0), system.b);
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 1), right_hand_side<double>(system.a.n, 2));
  const Vector of("heddle::test::of", b.extent(0));
  Inner inner{system.a};
  CgSolver<Exec, double> cg(Exec(), system.a.n, options);
  CHECK(cg.solve(system.a, b, x, inner).converged());
  for (const int v : {0, 1}) {
    CAPTURE(v);
    Kokkos::deep_copy(system.b, Kokkos::subview(b, Kokkos::ALL, v));
    Kokkos::deep_copy(of, Kokkos::subview(x, Kokkos::ALL, v));
    CHECK(residual_norm(system, of) <= 1.1e-8 * norm(system.b));
  }
}

}  // namespace heddle::test
