// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of iterations as graphs, with every preconditioner and over several solves: the same bits
// as by launches. Without graphs all runs by launches.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/minres.hpp>
#include <heddle/single_precision.hpp>
#include <heddle/sptrsv.hpp>

#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../solvers/krylov/jacobi.hpp"
#include "../../../solvers/krylov/minres_definitions.hpp"
#include "../../../solvers/krylov/polynomial.hpp"
#include "../../../solvers/krylov/single_precision_definitions.hpp"
#include "../../../solvers/krylov/with_rows.hpp"
#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/krylov.hpp"
#include "../../support/shared_factors.hpp"
#include "../../support/shared_formats.hpp"
#include "../../support/shared_sweeps.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;
constexpr bool graphs = heddle::backends::Graph<Exec>::exists;
using System = PlainOperator<Exec, double>;
using Matrix = System::Matrix;
using Csr = Formats<Shared<CsrFormat>>;
using Plan = SpmvPlan<Exec, Matrix, double, double, Csr>;
using Sweeps = GaussSeidelPlan<Exec, Matrix, SweepFormats<Exec, Matrix>>;
using Vector = Kokkos::View<double*, Space>;
using Rounded = SinglePrecision<Exec, Matrix, JacobiPreconditioner<Exec, float>>;
/// Makes what a Rounded holds.
constexpr auto jacobi_in_float = [](const auto& rounded) {
  return JacobiPreconditioner<Exec, float>(Exec(), rounded);
};
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// An operator without a version, so that no block is recorded.
struct ByLaunches {
  static constexpr bool takes_several_vectors = true;
  Plan& plan;
  std::int64_t rows() const { return plan.rows(); }
  std::int64_t columns() const { return plan.columns(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    plan.apply(exec, x, y);
  }
  template <class X, class Y, class Result>
  void apply_dot(const Exec& exec, const X& x, const Y& y,
                 const VectorWorkspace<Exec, double>& workspace, const Result& result) {
    plan.apply_dot(exec, x, y, workspace, result);
  }
};

/// A user's symmetric Gauss-Seidel, of two solves.
template <bool has_version>
struct TwoSolves {
  SptrsvPlan<Exec, Matrix> forward, backward;
  Version version_{};

  TwoSolves(const Exec& exec, const Matrix& A)
      : forward(exec, A, {.triangle = Triangle::lower, .ignore_outside = true}),
        backward(exec, A, {.triangle = Triangle::upper, .ignore_outside = true}) {}
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    forward.apply(exec, 4.0, b, x);
    backward.apply(exec, 1.0, x, x);
  }
  static bool capturable() { return true; }
  VersionNumber version() const
    requires has_version
  {
    return version_.number();
  }
};

KrylovOptions blocks_of(int iterations) {
  KrylovOptions options;
  options.check_every = iterations;
  options.relative_tolerance = 1e-10;
  return options;
}

/// Solves by a solver that has solved before, in blocks that may be recorded, and by a new one with
/// launches, and compares x bit by bit.
template <class Solver>
struct Compare {
  const Exec exec{};
  System& system;
  KrylovOptions options;
  Plan plan{exec, system.matrix()};
  Solver solver{exec, system.n, options};
  Columns b{"heddle::test::b", static_cast<std::size_t>(system.n),
            static_cast<std::size_t>(options.vectors)};

  explicit Compare(System& of, const KrylovOptions& with = blocks_of(3))
      : system(of), options(with) {
    for (int c = 0; c < options.vectors; ++c) {
      Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, c),
                        right_hand_side<double>(system.n, static_cast<std::uint64_t>(c) + 1));
    }
  }

  template <class... M>
  KrylovResult operator()(M&... preconditioner) {
    return with(plan, preconditioner...);
  }
  template <class A, class... M>
  KrylovResult with(A& matrix, M&... preconditioner) {
    const Columns x("heddle::test::x", b.extent(0), b.extent(1)),
        y("heddle::test::y", b.extent(0), b.extent(1));
    const int before = solver.replays();
    const KrylovResult result = solver.solve(exec, matrix, b, x, preconditioner...);
    replays = solver.replays() - before;
    Solver fresh(exec, system.n, options);
    ByLaunches unrecorded{plan};
    const KrylovResult expected = fresh.solve(exec, unrecorded, b, y, preconditioner...);
    CHECK(fresh.replays() == 0);
    CHECK(result.converged());
    CHECK(result.iterations == expected.iterations);
    CHECK((bits_of(x) == bits_of(y)));
    return result;
  }
  int replays = 0;  ///< in the last solve
};

}  // namespace

TEST_CASE("every preconditioner is recorded, and one is never run for another") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  const Matrix A = a.matrix();
  Compare<CgSolver<Exec, double>> compare(a);
  NoPreconditioner none;
  JacobiPreconditioner<Exec, double> jacobi(exec, A);
  BlockJacobiPreconditioner<Exec, double> blocks(exec, A, 4);
  ChebyshevPreconditioner polynomial(exec, compare.plan, jacobi, SpectrumBounds{0.05, 2.0}, 2);
  Sweeps natural(exec, A);
  Sweeps colored(exec, A, {.order = GaussSeidelOrder::multicolor});
  Sweeps split(exec, A, {.scheme = "gauss-seidel/split"});
  IluPlan<Exec, Matrix> lu(exec, A);
  IcPlan<Exec, Matrix> cholesky(exec, A, {.subdomains = 2});
  Rounded in_float(exec, A, jacobi_in_float);
  TwoSolves<true> versioned(exec, A);
  TwoSolves<false> unversioned(exec, A);
  for (const bool again : {false, true}) {
    const auto solve = [&](const std::string& name, auto& preconditioner) {
      CAPTURE(name);
      CAPTURE(again);
      const KrylovResult result = compare(preconditioner);
      const int whole_blocks = result.iterations / 3;
      CHECK(whole_blocks > 1);
      if (graphs) CHECK(compare.replays >= whole_blocks - 1);
    };
    solve("none", none);
    solve("Jacobi", jacobi);
    solve("block Jacobi", blocks);
    solve("polynomial", polynomial);
    solve("Gauss-Seidel", natural);
    solve("Gauss-Seidel by colors", colored);
    solve("Gauss-Seidel, split", split);
    solve("ILU", lu);
    solve("IC", cholesky);
    solve("Jacobi in single precision", in_float);
    solve("two solves", versioned);
    solve("two solves without a version", unversioned);
  }
}

TEST_CASE("blocks are kept for the next solve, and recorded again after new values") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10), other = laplacian<Exec, double>(side, 2);
  Compare<CgSolver<Exec, double>> compare(a);
  IluPlan<Exec, Matrix> lu(exec, a.matrix());
  Sweeps sweeps(exec, a.matrix());
  const auto solve_twice = [&](auto& preconditioner) {
    const int blocks = (compare(preconditioner).iterations + 2) / 3;
    if (graphs) CHECK(compare.replays == blocks - 1);  // the first block ran before it was recorded
    compare(preconditioner);
    if (graphs) CHECK(compare.replays == blocks);
  };
  solve_twice(lu);
  solve_twice(sweeps);
  lu.update_values(exec, other.matrix());  // factors of another matrix: worse
  solve_twice(lu);
  sweeps.update_values(exec, other.matrix());
  solve_twice(sweeps);
  compare.plan.update_values(exec, other.matrix());
  solve_twice(sweeps);
  IluPlan<Exec, Matrix> moved = std::move(lu);
  solve_twice(moved);
  Rounded in_float(exec, a.matrix(), jacobi_in_float);
  solve_twice(in_float);
  in_float.update_values(exec, other.matrix());
  solve_twice(in_float);
  in_float.reserve(exec, 2);
  solve_twice(in_float);
  TwoSolves<false> unversioned(exec, a.matrix());
  for (int solve = 0; solve < 2; ++solve) {
    const int blocks = (compare(unversioned).iterations + 2) / 3;
    if (graphs) CHECK(compare.replays == blocks - 1);
  }
  auto with_matrix = with_rows(compare.plan, other.matrix());
  static_assert(HasVersion<decltype(with_matrix)>);
  for (int solve = 0; solve < 2; ++solve) {
    CgSolver<Exec, double>& cg = compare.solver;
    const int before = cg.replays();
    const Columns x("heddle::test::x", compare.b.extent(0), 1);
    cg.solve(exec, with_matrix, compare.b, x, sweeps);
    CHECK((cg.replays() > before) == graphs);
  }
}

/// Solves with a part, then with another of its type in its place; each has its own memory.
template <class Part, class Make>
void one_after_the_other(Compare<CgSolver<Exec, double>>& compare, const Make& make) {
  std::optional<Part> part;
  const Part* place = nullptr;
  for (const bool first : {true, false, true}) {
    CAPTURE(first);
    make(part, first);
    if (place) CHECK(place == &*part);
    place = &*part;
    const int blocks = (compare(*part).iterations + 2) / 3;
    if (graphs) CHECK(compare.replays == blocks - 1);  // recorded again
  }
}

TEST_CASE("a part that has gone is not run for another of its type at its address") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10), other = laplacian<Exec, double>(side, 2);
  Compare<CgSolver<Exec, double>> compare(a);
  const auto matrix = [&](bool first) { return first ? a.matrix() : other.matrix(); };
  const auto check = [&]<class Part>(std::type_identity<Part>) {
    one_after_the_other<Part>(compare, [&](std::optional<Part>& part, bool first) {
      if constexpr (std::same_as<Part, Sweeps>) {
        part.emplace(exec, matrix(first), GaussSeidelOptions{});
      } else if constexpr (std::same_as<Part, BlockJacobiPreconditioner<Exec, double>>) {
        part.emplace(exec, matrix(first), 4);
      } else if constexpr (std::same_as<Part, Rounded>) {
        part.emplace(exec, matrix(first), jacobi_in_float);
      } else {
        part.emplace(exec, matrix(first));
      }
    });
  };
  check(std::type_identity<JacobiPreconditioner<Exec, double>>());
  check(std::type_identity<BlockJacobiPreconditioner<Exec, double>>());
  check(std::type_identity<Sweeps>());
  check(std::type_identity<IluPlan<Exec, Matrix>>());
  check(std::type_identity<IcPlan<Exec, Matrix>>());
  check(std::type_identity<Rounded>());
  check(std::type_identity<TwoSolves<true>>());
  check(std::type_identity<TwoSolves<false>>());
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  using Polynomial = ChebyshevPreconditioner<Exec, double, Plan>;
  one_after_the_other<Polynomial>(compare, [&](std::optional<Polynomial>& part, bool first) {
    part.emplace(exec, compare.plan, jacobi, SpectrumBounds{first ? 0.05 : 0.2, 2.0}, 2);
  });
}

TEST_CASE("an operator that has gone is not run for another at its address") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10), other = laplacian<Exec, double>(side, 2);
  const auto b = right_hand_side<double>(a.n);
  CgSolver<Exec, double> cg(exec, a.n, blocks_of(3));
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  std::optional<Plan> plan;
  int iterations[2] = {0, 0};
  for (int solve = 0; solve < 4; ++solve) {
    System& system = solve % 2 ? other : a;
    plan.emplace(exec, system.matrix());
    const Vector x("heddle::test::x", b.extent(0));
    const KrylovResult result = cg.solve(exec, *plan, b, x, jacobi);
    CHECK(relative_residual(system, b, x) < 1e-9);
    int& before = iterations[solve % 2];
    if (before > 0) CHECK(result.iterations == before);
    before = result.iterations;
  }
  CHECK((cg.replays() > 0) == graphs);
}

/// An operator that says that it is capturable, but waits.
struct Waiting : ByLaunches {
  static bool capturable() { return true; }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    plan.apply(exec, x, y);
    exec.fence("heddle::test::wait");
  }
};

TEST_CASE("a block that cannot be recorded runs by launches, and the result says so") {
  if constexpr (emulated) return;  // an emulated device throws
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  Plan plan(exec, a.matrix());
  const auto b = right_hand_side<double>(a.n);
  const Vector x("heddle::test::x", b.extent(0)), y("heddle::test::y", b.extent(0));
  Waiting waiting{{plan}};
  BicgstabSolver<Exec, double> solver(exec, a.n, blocks_of(3));
  const KrylovResult failed = solver.solve(exec, waiting, b, x);
  CHECK(failed.converged());
  CHECK(failed.recording_failed == graphs);
  CHECK(solver.replays() == 0);
  const KrylovResult recorded = solver.solve(exec, plan, b, y);
  CHECK_FALSE(recorded.recording_failed);
  CHECK((solver.replays() > 0) == graphs);
  CHECK((bits_of(x) == bits_of(y)));
}

/// Solves twice with no preconditioner, Jacobi and one more: each records blocks.
template <class Compared, class M>
void records_all(Compared& compare, System& a, M& other) {
  JacobiPreconditioner<Exec, double> jacobi(Exec(), a.matrix());
  for (const bool again : {false, true}) {
    CAPTURE(again);
    const auto solve = [&](auto&... preconditioner) {
      compare(preconditioner...);
      if (graphs) CHECK(compare.replays > 0);
    };
    solve();
    solve(jacobi);
    solve(other);
  }
}

TEST_CASE("MINRES and flexible methods record every preconditioner too") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10), unsymmetric = flow<Exec, double>(side);
  IcPlan<Exec, Matrix> cholesky(exec, a.matrix());
  IluPlan<Exec, Matrix> lu(exec, unsymmetric.matrix());
  Compare<MinresSolver<Exec, double>> minres(a);
  records_all(minres, a, cholesky);
  KrylovOptions flexible = blocks_of(3);
  flexible.flexible = true;
  Compare<CgSolver<Exec, double>> cg(a, flexible);
  records_all(cg, a, cholesky);
  flexible.restart = 6;
  Compare<GmresSolver<Exec, double>> gmres(unsymmetric, flexible);
  records_all(gmres, unsymmetric, lu);
}

TEST_CASE("several right-hand sides and a basis in float are recorded too") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  KrylovOptions options = blocks_of(1);
  options.vectors = 3;
  Compare<BicgstabSolver<Exec, double>> bicgstab(a, options);
  records_all(bicgstab, a, jacobi);
  options = blocks_of(3);
  options.restart = 6;
  for (const KrylovBasis basis : {KrylovBasis::in_scalar, KrylovBasis::in_float}) {
    for (const int vectors : {1, 3}) {
      options.basis = basis;
      options.vectors = vectors;
      Compare<GmresSolver<Exec, double>> gmres(a, options);
      records_all(gmres, a, jacobi);
    }
  }
}

TEST_CASE("BiCGStab records every preconditioner too") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  Compare<BicgstabSolver<Exec, double>> compare(a, blocks_of(1));
  SptrsvPlan<Exec, Matrix> triangle(exec, a.matrix(),
                                    {.triangle = Triangle::lower, .ignore_outside = true});
  IluPlan<Exec, Matrix> lu(exec, a.matrix());
  records_all(compare, a, triangle);
  records_all(compare, a, lu);
}

void check_gmres(int block, int restart) {
  CAPTURE(block);
  CAPTURE(restart);
  const Exec exec;
  auto a = flow<Exec, double>(side);
  Compare<GmresSolver<Exec, double>> compare(a, restarted_after(restart, blocks_of(block)));
  IluPlan<Exec, Matrix> lu(exec, a.matrix());
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const auto solve = [&](auto&... preconditioner) {
    const KrylovResult result = compare(preconditioner...);
    CHECK(result.iterations > 2 * restart);
    if (graphs) CHECK(compare.replays > 0);
  };
  for (const bool again : {false, true}) {
    CAPTURE(again);
    solve();
    solve(jacobi);
  }
  compare(lu);
}

TEST_CASE("GMRES records a graph for each block of a cycle") {
  check_gmres(3, 6);
  check_gmres(4, 6);  // the last block is shorter: the host checks within a cycle
  check_gmres(6, 4);
}

// When a block is recorded, and when its graph is replayed: by a graph that is none

namespace {

using heddle::detail::krylov::IterationGraph;
using heddle::detail::krylov::PartVersions;

/// The iterations that ran or were recorded: "3-6 " ran by launches, "[3-6] " was recorded, "* " is
/// a replay.
std::string log;
bool recording = false, refuses = false;

struct FakeGraph {
  static constexpr bool exists = true;
  std::size_t count = 0;

  template <class Body>
  bool record(int /*exec*/, const Body& body) {
    if (refuses) return false;
    recording = true;
    body();
    recording = false;
    count = 1;
    return true;
  }
  void launch(int /*exec*/) const { log += "* "; }
  std::size_t launches() const { return count; }
  void clear() { count = 0; }
};

void queue(int first, int stop) {
  const std::string range = std::to_string(first) + "-" + std::to_string(stop);
  log += recording ? "[" + range + "] " : range + " ";
}

template <class Graph>
std::string run(IterationGraph<Graph>& blocks, const std::optional<PartVersions>& versions,
                int first, int stop) {
  log.clear();
  blocks.run(0, versions, first, stop, queue);
  return log;
}

PartVersions some_versions() { return {Version().number(), Version().number()}; }

}  // namespace

TEST_CASE("a block is recorded at its second run, and again when a version changes") {
  IterationGraph<FakeGraph> blocks(10);
  Version matrix, preconditioner;
  const auto versions = [&] { return PartVersions{matrix.number(), preconditioner.number()}; };
  CHECK(run(blocks, versions(), 0, 10) == "0-10 ");
  CHECK(run(blocks, versions(), 10, 20) == "[10-20] * ");
  CHECK(run(blocks, versions(), 20, 30) == "* ");
  CHECK(run(blocks, versions(), 30, 35) == "30-35 ");  // the last is shorter
  CHECK(run(blocks, versions(), 0, 10) == "* ");       // a replay in another solve
  CHECK(blocks.replays() == 3);
  for (Version* const changed : {&matrix, &preconditioner}) {
    changed->renew();
    CHECK(run(blocks, versions(), 0, 10) == "0-10 ");
    CHECK(run(blocks, versions(), 10, 20) == "[10-20] * ");
    CHECK(run(blocks, versions(), 20, 30) == "* ");
  }
  CHECK(run(blocks, std::nullopt, 30, 40) == "30-40 ");
  CHECK(blocks.replays() == 7);
}

TEST_CASE("where the host never looks, blocks are graphs too") {
  IterationGraph<FakeGraph> blocks(0);
  CHECK(run(blocks, some_versions(), 0, 70) == "0-16 [16-32] * * * 64-70 ");
  CHECK(run(blocks, std::nullopt, 0, 70) == "0-70 ");
}

TEST_CASE("what cannot be recorded runs by launches, and is not tried again in that solve") {
  refuses = true;
  IterationGraph<FakeGraph> blocks(2);
  const PartVersions versions = some_versions();
  CHECK(run(blocks, versions, 0, 6) == "0-2 2-4 4-6 ");
  CHECK(blocks.refused());
  refuses = false;
  CHECK(run(blocks, versions, 0, 2) == "0-2 ");
  blocks.begin();  // another solve
  CHECK(!blocks.refused());
  CHECK(run(blocks, versions, 0, 2) == "[0-2] * ");
  CHECK(run(blocks, some_versions(), 0, 4) == "0-2 [2-4] * ");
  IterationGraph<heddle::backends::NoGraph> none(2);
  CHECK(run(none, versions, 0, 6) == "0-6 ");
  CHECK(none.replays() == 0);
}

TEST_CASE("blocks are kept for later solves only where both parts hold a version") {
  struct Silent {};
  struct Unversioned {
    static bool capturable() { return true; }
  };
  struct MadeUp {
    static bool capturable() { return true; }
    static std::uint64_t version() { return 0; }
  };
  struct Part {
    Version version_;
    static bool capturable() { return true; }
    VersionNumber version() const { return version_.number(); }
  };
  using heddle::detail::krylov::versions_to_record;
  const Part part, other;
  const NoPreconditioner none;
  CHECK(!versions_to_record(part, Silent()));
  CHECK(!versions_to_record(Silent(), part));
  CHECK(versions_to_record(part, none) == versions_to_record(part, NoPreconditioner()));
  CHECK(versions_to_record(part, none) != versions_to_record(other, none));
  CHECK(versions_to_record(part, none) != versions_to_record(part, other));
  const auto recorded_anew = [&](const auto& matrix, const auto& preconditioner) {
    IterationGraph<FakeGraph> blocks(2);
    for (int solve = 0; solve < 2; ++solve) {
      const auto versions = versions_to_record(matrix, preconditioner);
      CHECK(run(blocks, versions, 0, 6) == "0-2 [2-4] * * ");
    }
  };
  recorded_anew(Unversioned(), part);
  recorded_anew(part, Unversioned());
  recorded_anew(MadeUp(), none);
  recorded_anew(part, MadeUp());
}

}  // namespace heddle::test
