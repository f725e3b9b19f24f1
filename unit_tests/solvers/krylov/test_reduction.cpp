// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// options.reduction: one system in parts, solved by several processes in step, as by one. Here they
// are threads that wait for each other; unit_tests/petsc/ has processes.
#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../solvers/krylov/minres_definitions.hpp"
#include "../../support/krylov_methods.hpp"
#include "../../support/processes.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 7 : 20;

/// The first row of each process.
using Cuts = std::vector<std::int64_t>;

/// The rows of one process. An apply gathers the whole x.
template <Scalar S>
struct Rows {
  using Vector = Kokkos::View<S*, Space>;
  Processes::Process* process = nullptr;
  Cuts first;  ///< first row of each process, and the number of all rows
  PlainOperator<Exec, S> whole_rows, own_block;
  Vector whole_x;

  std::int64_t begin(int p) const { return first[static_cast<std::size_t>(p)]; }
  std::int64_t rows() const { return whole_rows.n; }
  std::int64_t columns() const { return whole_rows.n; }
  template <class V>
  auto part(const V& of_all, int p) const {
    return Kokkos::subview(of_all, std::pair(begin(p), begin(p + 1)));
  }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    exec.fence("heddle::test::own_x");
    process->exchange(x.data(), [&](int p, const S* data) {
      const auto to = part(whole_x, p);
      const Kokkos::View<const S*, Space, Kokkos::MemoryUnmanaged> from(data, to.extent(0));
      Kokkos::deep_copy(kokkos_space(exec), to, from);
      exec.fence("heddle::test::gather");
    });
    whole_rows.apply(exec, whole_x, y);
  }

  Rows(Processes::Process& of, Cuts cuts, const PlainOperator<Exec, S>& a)
      : process(&of),
        first(std::move(cuts)),
        whole_x("heddle::test::x", static_cast<std::size_t>(a.n)) {
    first.push_back(a.n);
    std::vector<int> row_ptr{0}, col_idx, block_row_ptr{0}, block_col_idx;
    std::vector<S> values, block_values;
    const auto from = begin(of.number()), to = begin(of.number() + 1);
    each_entry(a, [&](S value, std::size_t i, std::size_t j) {
      const auto row = static_cast<std::int64_t>(i), column = static_cast<std::int64_t>(j);
      if (row < from || row >= to) return;
      row_ptr.resize(static_cast<std::size_t>(row - from + 2), row_ptr.back());
      block_row_ptr.resize(row_ptr.size(), block_row_ptr.back());
      ++row_ptr.back();
      col_idx.push_back(static_cast<int>(j));
      values.push_back(value);
      if (column < from || column >= to) return;
      ++block_row_ptr.back();
      block_col_idx.push_back(static_cast<int>(column - from));
      block_values.push_back(value);
    });
    whole_rows = plain_operator<Exec>(row_ptr, col_idx, values);
    own_block = plain_operator<Exec>(block_row_ptr, block_col_idx, block_values);
  }
};

/// with_method, and of scalars that the compiled part has not conjugate gradients and gmres alone.
template <Scalar S, class Use>
void with_solver(const std::string& method, const SystemOf<Exec, S>& system,
                 const KrylovOptions& options, const Use& use) {
  if constexpr (std::same_as<S, double>) {
    with_method(method, system.bounds, options, use);
  } else if (is_gmres(method)) {
    use(std::type_identity<GmresSolver<Exec, S>>(), options);
  } else {
    use(std::type_identity<CgSolver<Exec, S>>(), options);
  }
}

enum class With { none, jacobi, one_of_the_users };

template <Scalar S>
struct Parted {
  std::vector<KrylovResult> results;  ///< of each process
  std::vector<std::string> errors;
  Kokkos::View<S*, Space> x;  ///< of all
  int reductions = 0;
};

/// Solves by `method` in parts. each(number, options) may change a process's options.
template <Scalar S, class Each>
Parted<S> solve_parted(const std::string& method, const SystemOf<Exec, S>& system, const Cuts& cuts,
                       const KrylovOptions& given, With with, const Each& each) {
  Processes processes(static_cast<int>(std::ssize(cuts)));
  Parted<S> parted;
  parted.results.resize(cuts.size());
  parted.x = Kokkos::View<S*, Space>("heddle::test::x", system.b.extent(0));
  Kokkos::deep_copy(parted.x, system.guess);
  parted.errors = processes.run([&](Processes::Process& process) {
    const Exec exec;
    Rows<S> a(process, cuts, system.a);
    KrylovOptions options = given;
    options.reduction = [&](std::span<double> numbers) { process.sum(numbers); };
    each(process.number(), options);
    with_method<S>(method, system.bounds, options,
                   [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& of_method) {
                     Solver solver(exec, a.rows(), of_method);
                     const auto b = a.part(system.b, process.number());
                     const auto x = a.part(parted.x, process.number());
                     auto& result = parted.results[static_cast<std::size_t>(process.number())];
                     if (with == With::none) {
                       result = solver.solve(exec, a, b, x);
                     } else if constexpr (std::same_as<S, double>) {
                       JacobiPreconditioner<Exec, S> jacobi(exec, a.own_block.matrix());
                       if (with == With::jacobi) {
                         result = solver.solve(exec, a, b, x, jacobi);
                       } else {
                         result = solver.solve(exec, a, b, x, Diagonal{std::move(jacobi)});
                       }
                     }
                   });
    parted.reductions = process.reductions;
  });
  return parted;
}
template <Scalar S>
Parted<S> solve_parted(const std::string& method, const SystemOf<Exec, S>& system, const Cuts& cuts,
                       const KrylovOptions& given = {}, With with = With::none) {
  return solve_parted(method, system, cuts, given, with, [](int, KrylovOptions&) {});
}

std::vector<std::string> methods() {
  std::vector<std::string> some = krylov_methods();
  std::erase_if(some, in_one_launch);
  return some;
}

/// Largest difference between the iterations of two solves that differ by rounding.
int most_apart(const std::string& method, int iterations) {
  return method == "bicgstab" ? 4 + iterations / 10 : method == "minres" ? 3 : 1;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Checks that every process has the same result.
template <Scalar S>
void check_agreement(const Parted<S>& parted) {
  for (const std::string& error : parted.errors) CHECK(error == "");
  for (const KrylovResult& result : parted.results) {
    CHECK(result.outcome == parted.results[0].outcome);
    CHECK(result.iterations == parted.results[0].iterations);
    CHECK(result.restarts == parted.results[0].restarts);
    CHECK(same(result.residual, parted.results[0].residual));
    CHECK(same(result.reference, parted.results[0].reference));
  }
}

/// Cuts of n rows for one process, for two, and for four of which one has no rows and one has one.
std::vector<Cuts> some_cuts(std::int64_t n) {
  return {{0}, {0, n / 3}, {0, n / 2, n / 2, n / 2 + 1}};
}

}  // namespace

TEST_CASE("a system in parts takes the iterations of the whole, by every method") {
  for (const std::string& method : methods()) {
    CAPTURE(method);
    System system = typical(method, side);
    for (const With with : {With::none, With::jacobi, With::one_of_the_users}) {
      if (method == "chebyshev" && with != With::none) continue;
      CAPTURE(int(with));
      const auto whole = [&] {
        if (with == With::none) return solve_by(method, system, {});
        JacobiPreconditioner<Exec, double> jacobi(Exec(), system.a.matrix());
        if (with == With::jacobi) return solve_by(method, system, {}, jacobi);
        Diagonal diagonal{std::move(jacobi)};
        return solve_by(method, system, {}, diagonal);
      }();
      for (const Cuts& cuts : some_cuts(system.a.n)) {
        CAPTURE(cuts.size());
        const auto parted = solve_parted(method, system, cuts, {}, with);
        check_agreement(parted);
        const KrylovResult& result = parted.results[0];
        CHECK(result.converged());
        CHECK(std::abs(result.iterations - whole.result.iterations) <=
              most_apart(method, whole.result.iterations));
        const double residual = residual_norm(system, parted.x);
        CHECK(residual <= 1.0001e-8 * norm(system.b));
        CHECK(close(residual, result.residual, 1e-4));
        if (cuts.size() > 1) continue;
        // The sums of one process are those of a solver without a reduction. What follows from them
        // is another kernel, in which products and sums may be contracted otherwise.
        CHECK(result.iterations == whole.result.iterations);
        const auto of_one = copy_out(parted.x), expected = copy_out(whole.x);
        double furthest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          furthest = std::max(furthest, std::abs(of_one[i] - expected[i]));
        }
        CHECK(furthest <= 1e-7);
      }
    }
  }
}

TEST_CASE_TEMPLATE("complex systems and those in float", S, Kokkos::complex<double>, float) {
  for (const std::string method : {"cg/launches", "gmres"}) {
    CAPTURE(method);
    auto system =
        is_gmres(method) ? system_of(flow<Exec, S>(side)) : system_of(laplacian<Exec, S>(side, 10));
    int whole = 0;
    with_solver<S>(
        method, system, {}, [&]<class Solver>(std::type_identity<Solver>, const auto& of) {
          const typename SystemOf<Exec, S>::Vector x("heddle::test::x", system.b.extent(0));
          whole = Solver(Exec(), system.a.n, of).solve(Exec(), system.a, system.b, x).iterations;
        });
    for (const Cuts& cuts : some_cuts(system.a.n)) {
      const auto parted = solve_parted(method, system, cuts);
      check_agreement(parted);
      CHECK(parted.results[0].converged());
      CHECK(std::abs(parted.results[0].iterations - whole) <= 1);
      const double tolerance = std::same_as<S, float> ? 1.01e-5 : 1.0001e-8;
      CHECK(residual_norm(system, parted.x) <= tolerance * norm(system.b));
    }
  }
}

TEST_CASE("the reductions of an iteration are as few as the page says") {
  const auto reductions = [](const std::string& method, const With with, int iterations) {
    const System system = typical(method, side);
    const KrylovOptions options{
        .relative_tolerance = 0, .max_iterations = iterations, .check_every = 100};
    const auto parted = solve_parted(method, system, {0, system.a.n / 2}, options, with);
    check_agreement(parted);
    CHECK(parted.results[0].iterations == iterations);
    return parted.reductions;
  };
  for (const With with : {With::none, With::jacobi, With::one_of_the_users}) {
    CAPTURE(int(with));
    for (const std::string method : {"cg/launches", "cg/flexible"}) {
      CAPTURE(method);
      CHECK(reductions(method, with, 12) - reductions(method, with, 7) == 2 * 5);
    }
    for (const std::string method : {"gmres", "gmres/flexible"}) {
      CAPTURE(method);
      CHECK(reductions(method, with, 6) - reductions(method, with, 3) == 3);
    }
  }
  CHECK(reductions("minres", With::none, 12) - reductions("minres", With::none, 7) == 3 * 5);
  CHECK(reductions("bicgstab", With::none, 12) - reductions("bicgstab", With::none, 8) == 4 * 2);
  CHECK(reductions("chebyshev", With::none, 12) == reductions("chebyshev", With::none, 7));
}

TEST_CASE("several right-hand sides") {
  constexpr int count = emulated ? 3 : 10;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    System system = typical(method, side);
    const auto n = static_cast<std::size_t>(system.a.n);
    const Columns b("heddle::test::b", n, count), x("heddle::test::x", n, count);
    for (int c = 1; c < count; ++c) {  // b of the first one is zero
      Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, c),
                        right_hand_side<double>(system.a.n, static_cast<std::uint64_t>(c)));
    }
    std::vector<std::vector<KrylovResult>> results(3);
    const Cuts cuts{0, system.a.n / 4, system.a.n / 2};
    const auto errors = Processes(3).run([&](Processes::Process& process) {
      const Exec exec;
      Rows<double> a(process, cuts, system.a);
      KrylovOptions options{.vectors = count};
      options.reduction = [&](std::span<double> numbers) { process.sum(numbers); };
      with_method(
          method, {}, options, [&]<class Solver>(std::type_identity<Solver>, const auto& of) {
            if constexpr (!std::same_as<Solver, ChebyshevSolver<Exec, double>>) {
              const std::pair own(a.begin(process.number()), a.begin(process.number() + 1));
              Solver solver(exec, a.rows(), of);
              solver.solve(exec, a, Kokkos::subview(b, own, Kokkos::ALL),
                           Kokkos::subview(x, own, Kokkos::ALL));
              const auto of_all = solver.results();
              results[static_cast<std::size_t>(process.number())] = {of_all.begin(), of_all.end()};
            }
          });
    });
    for (const std::string& error : errors) CHECK(error == "");
    for (int c = 0; c < count; ++c) {
      CAPTURE(c);
      const auto column = static_cast<std::size_t>(c);
      for (const auto& of_process : results) {
        REQUIRE(of_process.size() == count);
        CHECK(of_process[column].converged());
        CHECK(of_process[column].iterations == results[0][column].iterations);
        CHECK(of_process[column].residual == results[0][column].residual);
      }
      Kokkos::deep_copy(system.b, Kokkos::subview(b, Kokkos::ALL, c));
      const System::Vector of_x("heddle::test::x", n);
      Kokkos::deep_copy(of_x, Kokkos::subview(x, Kokkos::ALL, c));
      CHECK(residual_norm(system, of_x) <= 1.0001e-8 * norm(system.b));
    }
  }
}

TEST_CASE("a singular system in parts, with its nullspace") {
  constexpr int n = 40;
  const auto chain = band<double>(n, [](int i, int j) {
    return i != j ? -1.0 : i == 0 || i == n - 1 ? 1.0 : 2.0;
  });
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> ones("heddle::test::ones", n, 1);
  Kokkos::deep_copy(ones, 1.0);
  for (const double mean : {0.0, 1e-3}) {
    CAPTURE(mean);
    System system = system_of(chain);
    auto b = copy_out(system.b);
    double sum = 0;
    for (const double entry : b) sum += entry;
    for (double& entry : b) entry += mean - sum / n;
    system.b = copy_in<Space>(b);
    for (const std::string method : {"cg/launches", "gmres", "minres"}) {
      CAPTURE(method);
      for (const bool given : {false, true}) {
        CAPTURE(given);
        const Cuts cuts{0, 13, 13};
        const auto parted = solve_parted(
            method, system, cuts, {}, With::jacobi, [&](int p, KrylovOptions& options) {
              const std::size_t end = p == 0 ? 13 : p == 1 ? 13 : n, begin = p == 0 ? 0 : 13;
              options.nullspace =
                  given ? Nullspace(Kokkos::subview(ones, std::pair(begin, end), Kokkos::ALL))
                        : Nullspace::constant();
              if (is_gmres(method)) options.restart = n;
            });
        check_agreement(parted);
        CHECK(parted.results[0].outcome == (mean > 0 ? Outcome::inconsistent : Outcome::converged));
        CHECK(residual_norm(system, parted.x) <=
              std::hypot(mean * std::sqrt(n), 1.01e-8 * norm(system.b)));
      }
    }
  }
}

TEST_CASE("what one process decides or finds ends the solve on all") {
  const System system = typical("cg/launches", side);
  const Cuts cuts{0, system.a.n / 3, system.a.n / 2};
  const auto outcome = [&](const std::string& method, const System& of, const auto& each) {
    const auto parted = solve_parted(method, of, cuts, {.check_every = 2}, With::jacobi, each);
    check_agreement(parted);
    return parted.results[0].outcome;
  };
  for (const std::string method : {"cg/launches", "gmres"}) {
    CAPTURE(method);
    CHECK(outcome(method, system, [](int p, KrylovOptions& options) {
            if (p == 2) options.callback = [](int iterations, double) { return iterations < 4; };
          }) == Outcome::stopped_by_user);
    CHECK(outcome(method, system, [](int p, KrylovOptions& options) {
            if (p == 1) options.max_seconds = 0;
          }) == Outcome::out_of_time);
    System with_nan = typical(method, side);
    Kokkos::deep_copy(Kokkos::subview(with_nan.b, std::size_t{1}), std::nan(""));
    CHECK(outcome(method, with_nan, [](int, KrylovOptions&) {}) == Outcome::not_a_number);
  }
  const System indefinite = system_of(star(side, 1.5));
  CHECK(outcome("cg/launches", indefinite, [](int, KrylovOptions&) {}) == Outcome::indefinite);
}

TEST_CASE("an error on one process is an error on all, before the first iteration") {
  const System system = typical("gmres", side);
  const Cuts cuts{0, system.a.n / 3, system.a.n / 2};
  for (const std::string method : {"cg/launches", "gmres"}) {
    CAPTURE(method);
    const auto errors = Processes(3).run([&](Processes::Process& process) {
      const Exec exec;
      Rows<double> a(process, cuts, system.a);
      KrylovOptions options;
      options.reduction = [&](std::span<double> numbers) { process.sum(numbers); };
      with_method(method, {}, options,
                  [&]<class Solver>(std::type_identity<Solver>, const auto& of) {
                    Solver solver(exec, a.rows(), of);
                    const int short_of = process.number() == 1 ? 1 : 0;
                    const System::Vector b("heddle::test::b",
                                           static_cast<std::size_t>(a.rows() - short_of)),
                        x("heddle::test::x", b.extent(0));
                    solver.solve(exec, a, b, x);
                  });
    });
    CHECK(errors[1].find("the solver is for") != std::string::npos);
    CHECK(errors[0].find("another process") != std::string::npos);
    CHECK(errors[2] == errors[0]);
  }
}

TEST_CASE("what a reduction rules out is refused by name") {
  const Exec exec;
  auto a = MatrixWithRows(star(side, 4.1));
  KrylovOptions options{.check_every = 0};
  options.reduction = [](std::span<double>) {};
  CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(exec, a.n, options)),
                       doctest::Contains("options.check_every"), Error);
  options.check_every = 10;
  const auto b = right_hand_side<double>(a.n);
  const System::Vector x("heddle::test::x", b.extent(0));
  CgSolver<Exec, double> any(exec, a.n, options);
  CHECK(any.solve(exec, a, b, x).converged());
  CHECK(any.scheme() == Scheme("cg/launches"));
  CHECK(any.replays() == 0);
  options.scheme = Scheme("cg/one-team");
  CgSolver<Exec, double> pinned(exec, a.n, options);
  CHECK_THROWS_WITH_AS(pinned.solve(exec, a, b, x), doctest::Contains("options.reduction"), Error);
}

}  // namespace heddle::test
