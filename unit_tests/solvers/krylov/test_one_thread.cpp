// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves that are faster on one thread of a CPU.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>

#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../solvers/krylov/solver.hpp"
#include "../../support/assumed_processors.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr bool on_cpu = backends::BackendIs<Exec, backends::Host>;
constexpr int side = emulated ? 8 : 100;  // passes over vectors have several teams

/// An operator that reports its bytes, and records whether it is applied on one thread.
struct Noted {
  mutable PlainOperator<Exec, double> a;
  double bytes;
  bool* alone;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    *alone = backends::OneThread::is_wanted();
    a.apply(exec, x, y);
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t columns() const { return a.columns(); }
  double moved_bytes(Op, int) const { return bytes; }
};

}  // namespace

TEST_CASE_TEMPLATE("one thread and all give a solve the same bits", Solver, CgSolver<Exec, double>,
                   BicgstabSolver<Exec, double>, GmresSolver<Exec, double>) {
  const Exec exec;
  bool alone = false;
  const auto poisson = [](int i, int j) { return i == j ? 4.0 : -1.0; };
  const Noted a{grid_operator<Exec, double>(side, poisson), 1e4, &alone};
  const auto b = right_hand_side<double>(a.a.n);
  const KrylovOptions options{.max_iterations = 40};
  std::vector<unsigned char> bits;
  const auto solve = [&](const Noted& with, double launch_seconds, bool expected) {
    CAPTURE(launch_seconds);
    const AssumedThreadCosts costs(backends::ThreadCosts{launch_seconds, 0});
    Solver solver(exec, with.a.n, options);
    const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(with.a.n));
    solver.solve(exec, with, b, x);
    CHECK(alone == (expected && on_cpu && exec.concurrency() > 1));
    CHECK(!backends::OneThread::is_wanted());
    if (bits.empty()) bits = bits_of(x);
    CHECK(bits_of(x) == bits);
  };
  solve(a, 0, false);
  solve(a, 1, true);
  solve({a.a, 0, &alone}, 1, false);  // its bytes are unknown
}

TEST_CASE("one thread is faster where launches cost more than others' help saves") {
  using heddle::detail::krylov::one_thread_is_faster;
  const backends::ThreadCosts costs{1e-6, 0.1e-6};
  CHECK(one_thread_is_faster({2, false, costs}, 50e3, 7));
  CHECK(!one_thread_is_faster({2, false, costs}, 50e6, 7));
  CHECK(one_thread_is_faster({2, false, {1, 0}}, 50e6, 7));
  CHECK(one_thread_is_faster({1, true, costs}, 50e6, 7));  // others have no processor
  CHECK(!one_thread_is_faster({1, false, costs}, 50e3, 7));
}

}  // namespace heddle::test
