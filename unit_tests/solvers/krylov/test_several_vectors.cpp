// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several right-hand sides at a time, by every method that takes them: each has its own iteration,
// and a step launches as many kernels as for one.
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 7 : 20;
using Vector = System::Vector;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// An operator or a preconditioner that takes several vectors in one launch.
struct Together {
  static constexpr bool takes_several_vectors = true;
  PlainOperator<Exec, double> of;
  int applies = 0, most = 0;  ///< most: the largest number of vectors in an apply

  struct Entry {
    PlainOperator<Exec, double>::Row row;
    std::int64_t rows;
    KOKKOS_FUNCTION void operator()(std::int64_t at) const {
      auto of_vector = row;
      of_vector.x += at / rows * rows;
      of_vector.y += at / rows * rows;
      of_vector(at % rows);
    }
  };
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    const auto vectors = static_cast<int>(x.size() / x.extent(0));
    ++applies;
    most = std::max(most, vectors);
    Kokkos::parallel_for(
        "heddle::test::together", range_policy(exec, vectors * of.n),
        Entry{{of.row_ptr.data(), of.col_idx.data(), of.values.data(), x.data(), y.data()}, of.n});
  }
  std::int64_t rows() const { return of.n; }
  std::int64_t columns() const { return of.n; }
};

/// The inverse of a diagonal as a matrix.
PlainOperator<Exec, double> inverse_diagonal(const PlainOperator<Exec, double>& a) {
  std::vector<double> inverse(static_cast<std::size_t>(a.n), 1.0);
  each_entry(a, [&](double value, std::size_t i, std::size_t j) {
    if (i == j) inverse[i] = 1 / value;
  });
  return band<double>(static_cast<int>(a.n), [&](int i, int j) {
    return i == j ? inverse[static_cast<std::size_t>(i)] : 0.0;
  });
}

/// Right-hand sides, guesses, and what each leads to: random ones, zeros, one whose guess is the
/// solution, huge and tiny ones, one from far, and one with NaN.
struct Problem {
  System system;
  Columns b, guess;

  static constexpr int random = 0, zero = 1, solved = 2, huge = 3, tiny = 4, far = 5, nan = 6,
                       count = 7;

  explicit Problem(const std::string& method)
      : system(typical(method, side)),
        b("heddle::test::b", system.b.extent(0), count),
        guess("heddle::test::guess", b.extent(0), count) {
    for (int c = 0; c < count; ++c) {
      Vector of = right_hand_side<double>(system.a.n, static_cast<std::uint64_t>(c) + 1);
      const auto of_b = Kokkos::subview(b, Kokkos::ALL, c),
                 of_guess = Kokkos::subview(guess, Kokkos::ALL, c);
      if (c == zero) {
        Kokkos::deep_copy(of, 0.0);
        Kokkos::deep_copy(of_guess, 5.0);
      }
      if (c == solved) {
        Kokkos::deep_copy(of_guess, of);
        const Vector product("heddle::test::product", of.extent(0));
        system.a.apply(Exec(), of, product);
        Exec().fence("heddle::test::product");
        of = product;
      }
      if (c == huge) heddle::vectors::scale(Exec(), 1e200, of);
      if (c == tiny) heddle::vectors::scale(Exec(), 1e-200, of);
      if (c == far) Kokkos::deep_copy(of_guess, 1e4);
      Exec().fence("heddle::test::made");
      if (c == nan) Kokkos::deep_copy(Kokkos::subview(of, std::size_t{3}), std::nan(""));
      Kokkos::deep_copy(of_b, of);
    }
  }
  void take(int c) {
    Kokkos::deep_copy(system.b, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(system.guess, Kokkos::subview(guess, Kokkos::ALL, c));
  }
};

/// Largest difference between the iterations of two solves that differ by rounding.
int most_apart(const std::string& method, int iterations) {
  return method == "bicgstab" ? 4 + iterations / 10 : method == "minres" ? 3 : 1;
}

/// Calls use(solver) with the solver of a method for options.vectors right-hand sides.
template <class Use>
void with_solver(const std::string& method, std::int64_t rows, const KrylovOptions& options,
                 const Use& use) {
  with_method(method, {}, options, [&]<class Solver>(std::type_identity<Solver>, const auto& of) {
    if constexpr (!std::same_as<Solver, ChebyshevSolver<Exec, double>>) {
      Solver solver(Exec(), rows, of);
      use(solver);
    }
  });
}

struct SolvedTogether {
  std::vector<KrylovResult> results;
  Columns x;
  std::vector<Event> seen;
};

/// Solves for all columns of b from those of the guess.
template <class A, class... M>
SolvedTogether solve_together(const std::string& method, A& a, const Columns& b,
                              const Columns& guess, KrylovOptions options, M&... preconditioner) {
  SolvedTogether solved;
  solved.x = Columns("heddle::test::x", b.extent(0), b.extent(1));
  Kokkos::deep_copy(solved.x, guess);
  options.vectors = static_cast<int>(b.extent(1));
  with_solver(method, a.rows(), options, [&](auto& solver) {
    const Exec exec;
    {
      const Recording recording;
      solver.solve(exec, a, b, solved.x, preconditioner...);
      solved.seen = Recording::seen();
    }
    for (const KrylovResult& result : solver.results(exec)) solved.results.push_back(result);
  });
  CHECK(strangers(solved.seen) == "");
  CHECK(bytes_allocated(solved.seen) == 0);
  return solved;
}

Vector column_of(const Columns& of, int c) {
  const Vector v("heddle::test::column", of.extent(0));
  Kokkos::deep_copy(v, Kokkos::subview(of, Kokkos::ALL, c));
  return v;
}

}  // namespace

TEST_CASE("each right-hand side ends as it does alone, and NaN in one leaves the others alone") {
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    Problem problem(method);
    System& system = problem.system;
    JacobiPreconditioner<Exec, double> jacobi(Exec(), system.a.matrix());
    for (const int every : {0, 1, 7}) {
      if (emulated && every == 1) continue;
      CAPTURE(every);
      KrylovOptions options{.max_iterations = 300, .check_every = every};
      if (is_gmres(method)) options.restart = 6;
      const auto check = [&](auto&... preconditioner) {
        const SolvedTogether together =
            solve_together(method, system.a, problem.b, problem.guess, options, preconditioner...);
        for (int c = 0; c < Problem::count; ++c) {
          CAPTURE(c);
          const KrylovResult& result = together.results[static_cast<std::size_t>(c)];
          problem.take(c);
          const Solved alone = solve_by(method, system, options, preconditioner...);
          CHECK(result.outcome == alone.result.outcome);
          const Vector x = column_of(together.x, c);
          if (c == Problem::nan) {
            CHECK(result.outcome == Outcome::not_a_number);
            CHECK(bits_of(x) == bits_of(system.guess));
            continue;
          }
          CHECK(result.converged());
          CHECK(std::abs(result.iterations - alone.result.iterations) <=
                most_apart(method, alone.result.iterations));
          if (is_gmres(method)) {
            CHECK(std::abs(result.restarts - alone.result.restarts) <= 1);
          }
          CHECK(close(result.reference, alone.result.reference, 1e-12));
          if (c == Problem::zero) {
            CHECK(norm(x) == 0);
            CHECK(result.iterations == 0);
          } else {
            CHECK(residual_norm(system, x) <= 1.0001e-8 * norm(system.b));
          }
          if (c == Problem::solved) CHECK(bits_of(x) == bits_of(system.guess));
        }
      };
      check();
      check(jacobi);
    }
  }
}

TEST_CASE("the bits of a right-hand side depend on no other, nor on when the host checks") {
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    Problem problem(method);
    JacobiPreconditioner<Exec, double> jacobi(Exec(), problem.system.a.matrix());
    for (const int first : {Problem::random, Problem::far}) {
      std::vector<unsigned char> bits;
      for (const int every : {10, 0, 3}) {
        for (int other = 0; other < Problem::count; ++other) {
          if (emulated && (every == 3 || other == Problem::huge)) continue;
          CAPTURE(every);
          CAPTURE(other);
          const Columns b("heddle::test::b", problem.b.extent(0), 2),
              guess("heddle::test::guess", b.extent(0), 2);
          const int mine = every == 0 ? 1 : 0;  // nor on its place
          for (const int place : {0, 1}) {
            const int c = place == mine ? first : other;
            Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, place),
                              Kokkos::subview(problem.b, Kokkos::ALL, c));
            Kokkos::deep_copy(Kokkos::subview(guess, Kokkos::ALL, place),
                              Kokkos::subview(problem.guess, Kokkos::ALL, c));
          }
          KrylovOptions options{.max_iterations = 300, .check_every = every};
          if (is_gmres(method)) options.restart = 6;
          const auto solved = solve_together(method, problem.system.a, b, guess, options, jacobi);
          CHECK(solved.results[static_cast<std::size_t>(mine)].converged());
          const auto of_first = bits_of(column_of(solved.x, mine));
          if (bits.empty()) bits = of_first;
          CHECK(of_first == bits);
        }
      }
    }
  }
}

TEST_CASE("a step with several vectors launches as many kernels as one, and applies M to all") {
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    Problem problem(method);
    KrylovOptions options{.relative_tolerance = 0, .max_iterations = 12, .check_every = 0};
    if (is_gmres(method)) options.restart = 5;
    const auto launches = [&](int vectors) {
      Together a{problem.system.a}, m{inverse_diagonal(problem.system.a)};
      const Columns b("heddle::test::b", problem.b.extent(0), static_cast<std::size_t>(vectors)),
          guess("heddle::test::guess", b.extent(0), b.extent(1));
      for (int c = 0; c < vectors; ++c) {
        Kokkos::deep_copy(
            Kokkos::subview(b, Kokkos::ALL, c),
            right_hand_side<double>(problem.system.a.n, static_cast<std::uint64_t>(c) + 1));
      }
      const auto solved = solve_together(method, a, b, guess, options, m);
      for (const KrylovResult& result : solved.results) CHECK(result.iterations == 12);
      CHECK(count(solved.seen, Event::kernel) == std::ssize(solved.seen));
      CHECK(a.most == vectors);
      CHECK(m.most == vectors);
      return std::make_tuple(std::ssize(solved.seen), a.applies, m.applies);
    };
    const auto of_one = launches(1);
    for (const int vectors : {2, 5, 8}) {
      if (!emulated || vectors == 5) CHECK(launches(vectors) == of_one);
    }
  }
}

TEST_CASE("a right-hand side of gmres whose claim fails waits for the others' cycle") {
  // From far, the residual of the recurrence meets the tolerance long before b - A x does: of the
  // first one within the cycle in which the second one still runs.
  System system = typical("gmres", side);
  const Columns b("heddle::test::b", system.b.extent(0), 2),
      guess("heddle::test::guess", b.extent(0), 2);
  for (const int c : {0, 1}) {
    Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, c), system.b);
    Kokkos::deep_copy(Kokkos::subview(guess, Kokkos::ALL, c), c == 0 ? 1e9 : 1e12);
  }
  for (const int every : {0, 1, 10}) {
    CAPTURE(every);
    const KrylovOptions options{.max_iterations = 400, .check_every = every, .restart = 100};
    const auto together = solve_together("gmres", system.a, b, guess, options);
    for (const int c : {0, 1}) {
      CAPTURE(c);
      Kokkos::deep_copy(system.guess, Kokkos::subview(guess, Kokkos::ALL, c));
      const Solved alone = solve_by("gmres", system, options);
      const KrylovResult& result = together.results[static_cast<std::size_t>(c)];
      CHECK(alone.result.restarts >= 1);
      CHECK(result.converged());
      CHECK(result.restarts == alone.result.restarts);
      CHECK(std::abs(result.iterations - alone.result.iterations) <= 1);
      CHECK(residual_norm(system, column_of(together.x, c)) <= 1.0001e-8 * norm(system.b));
    }
  }
}

TEST_CASE("more right-hand sides than a pass takes, in any layout, by every method") {
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    System system = typical(method, side);
    constexpr int many = 11;
    const Kokkos::View<double**, Kokkos::LayoutRight, Space> b("heddle::test::b",
                                                               system.b.extent(0), many),
        x("heddle::test::x", b.extent(0), many);
    for (int c = 0; c < many; ++c) {
      Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, c),
                        right_hand_side<double>(system.a.n, static_cast<std::uint64_t>(c) + 1));
    }
    KrylovOptions options{.vectors = many};
    if (is_gmres(method)) options.restart = 9;
    with_solver(method, system.a.n, options, [&](auto& solver) {
      CHECK(solver.results().size() == many);
      CHECK(solver.solve(Exec(), system.a, b, x).converged());
      for (int c = 0; c < many; ++c) {
        CAPTURE(c);
        Kokkos::deep_copy(system.b, Kokkos::subview(b, Kokkos::ALL, c));
        Kokkos::deep_copy(system.guess, Kokkos::subview(x, Kokkos::ALL, c));
        CHECK(residual_norm(system, system.guess) <= 1.0001e-8 * norm(system.b));
        CHECK(solver.results()[static_cast<std::size_t>(c)].iterations > 5);
      }
    });
  }
}

}  // namespace heddle::test
