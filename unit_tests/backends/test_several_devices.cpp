// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and solvers on an instance of every device that the program sees, one after the other and
// all at once. With one device, or on CPUs: on two instances of it.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <thread>
#include <vector>

#include "../../solvers/cg.hpp"
#include "../../solvers/gauss_seidel.hpp"
#include "../../solvers/ilu.hpp"
#include "../../solvers/multigrid.hpp"
#include "../../testing/generate.hpp"
#include "../../testing/plan_types.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Storage = CsrStorage<double, int, int, Kokkos::HostSpace>;
using Vector = Kokkos::View<double*, Space>;

#ifdef KOKKOS_ENABLE_CUDA
/// A stream of every device.
class Instances {
 public:
  Instances() {
    int devices = 0, current = 0;
    REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    for (int i = 0; i < std::max(devices, 2); ++i) {
      REQUIRE(cudaSetDevice(i % devices) == cudaSuccess);
      REQUIRE(cudaStreamCreate(&streams_.emplace_back()) == cudaSuccess);
      instances_.emplace_back(streams_.back());
    }
    REQUIRE(cudaSetDevice(current) == cudaSuccess);
  }
  ~Instances() {
    for (const Exec& exec : instances_) exec.fence("heddle::test::instance");
    instances_.clear();
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  Instances(const Instances&) = delete;
  const std::vector<Exec>& all() const { return instances_; }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<Exec> instances_;
};

int device_of(const Exec& exec) { return exec.cuda_device(); }
int device_of(const void* memory) {
  cudaPointerAttributes found;
  REQUIRE(cudaPointerGetAttributes(&found, memory) == cudaSuccess);
  return found.device;
}
#else
class Instances {
 public:
  const std::vector<Exec>& all() const { return instances_; }

 private:
  std::vector<Exec> instances_{Exec(), Exec()};
};

int device_of(const Exec&) { return 0; }
int device_of(const void*) { return 0; }
#endif

/// Poisson's equation in three dimensions.
Storage host_matrix() {
  const Assembled system = generate_system("poisson3d:16", 1);
  const Kokkos::DefaultHostExecutionSpace host;
  Storage A(host, system.rows.size(), system.rows.size(), system.rows.nonzeros());
  host.fence("heddle::test::matrix");
  std::copy(system.rows.row_ptr().begin(), system.rows.row_ptr().end(), A.row_ptr().data());
  std::copy(system.rows.col_idx().begin(), system.rows.col_idx().end(), A.col_idx().data());
  std::copy(system.values.begin(), system.values.end(), A.values().data());
  return A;
}

/// The norm of b - A x over that of b, b = 1.
double residual(const Storage& A, const std::vector<double>& x) {
  double sum = 0;
  for (int i = 0; i < A.rows(); ++i) {
    double rest = 1;
    for (int k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      rest -= A.values()(k) * x[static_cast<std::size_t>(A.col_idx()(k))];
    }
    sum += rest * rest;
  }
  return std::sqrt(sum / A.rows());
}

std::vector<double> host_copy(const Exec& exec, const Vector& x) {
  std::vector<double> values(x.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(values.data(), values.size()),
                    x);
  exec.fence("heddle::test::copied");
  return values;
}

struct Found {
  int device_of_memory = -1;
  std::vector<double> residuals;  // of CG with Jacobi, sweeps, IC(0) and multigrid
  std::vector<double> solution;
};

Found solve_on(const Exec& exec, const Storage& host) {
  Found found;
  const auto device = host.copy_to<Space>(exec);
  const auto A = device.matrix();
  found.device_of_memory = device_of(A.values().data());
  const auto n = static_cast<std::size_t>(A.rows());
  const Vector b(
      Kokkos::view_alloc(exec, std::string("heddle::test::b"), Kokkos::WithoutInitializing), n);
  const Vector x(
      Kokkos::view_alloc(exec, std::string("heddle::test::x"), Kokkos::WithoutInitializing), n);
  Kokkos::deep_copy(exec, b, 1.0);
  SpmvPlan plan(exec, A);
  CgSolver<Exec, double> solver(exec, A.rows(), {.relative_tolerance = 1e-8});
  const auto solve = [&](auto&& preconditioner) {
    Kokkos::deep_copy(exec, x, 0.0);
    solver.solve(exec, plan, b, x, preconditioner);
    found.solution = host_copy(exec, x);
    found.residuals.push_back(residual(host, found.solution));
  };
  solve(JacobiPreconditioner<Exec, double>(exec, A));
  solve(GaussSeidelPlan(exec, A));
  solve(IcPlan(exec, A));
  solve(MultigridPlan(exec, A));
  return found;
}

void check(const Found& found, const Exec& exec, const Found& first) {
  CHECK(found.device_of_memory == device_of(exec));
  REQUIRE(found.residuals.size() == 4);
  for (const double r : found.residuals) CHECK(r <= 1e-7);
  CHECK(found.solution == first.solution);
}

}  // namespace

TEST_CASE("every device solves, alone and beside the others, to the same bits") {
  const Storage A = host_matrix();
  const Instances instances;
  const std::vector<Exec>& all = instances.all();
  const Found first = solve_on(Exec(), A);
  check(first, Exec(), first);
  for (std::size_t i = all.size(); i-- > 0;) check(solve_on(all[i], A), all[i], first);
#ifdef KOKKOS_ENABLE_CUDA  // an OpenMP region a thread would be a pool of threads each
  std::vector<Found> found(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    threads.emplace_back([&, i] { found[i] = solve_on(all[i], A); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all.size(); ++i) check(found[i], all[i], first);
#endif
}

}  // namespace heddle::test
