// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and solvers on an instance of every device, one after another and all at once, whichever
// device is the caller's current one. With one device, or on CPUs: on two instances of it. Then by
// four threads on one device. HEDDLE_STRESS_SECONDS: seconds to repeat this after the first round.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "../../backends/several_devices.hpp"
#include "../../solvers/bicgstab.hpp"
#include "../../solvers/cg.hpp"
#include "../../solvers/gauss_seidel.hpp"
#include "../../solvers/gmres.hpp"
#include "../../solvers/ilu.hpp"
#include "../../solvers/multigrid.hpp"
#include "../../solvers/sptrsv.hpp"
#include "../../testing/generate.hpp"
#include "../../testing/matrices.hpp"
#include "../../testing/plan_types.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Storage = CsrStorage<double, int, int, Kokkos::HostSpace>;
using Vector = Kokkos::View<double*, Space>;

#ifdef KOKKOS_ENABLE_CUDA
/// One stream of every device, or `count` streams of the first device.
class Instances {
 public:
  explicit Instances(int count = 0) {
    int devices = 0, current = 0;
    REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    if (count > 0) devices = 1;
    for (int i = 0; i < std::max({devices, count, 2}); ++i) {
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
/// Makes another device the current one of this thread, if there is another.
void leave(const Exec& exec) {
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  REQUIRE(cudaSetDevice((exec.cuda_device() + 1) % devices) == cudaSuccess);
}
int device_of(const void* memory) {
  cudaPointerAttributes found;
  REQUIRE(cudaPointerGetAttributes(&found, memory) == cudaSuccess);
  return found.device;
}
#else
class Instances {
 public:
  explicit Instances(int count = 2) : instances_(static_cast<std::size_t>(count)) {}
  const std::vector<Exec>& all() const { return instances_; }

 private:
  std::vector<Exec> instances_;
};

int device_of(const Exec&) { return 0; }
void leave(const Exec&) {}
int device_of(const void*) { return 0; }
#endif

/// Poisson's equation in three dimensions, 16^3 unknowns.
Storage poisson() {
  const Assembled system = generate_system("poisson3d:16", 1);
  return host_matrix<double, int, int>(system.columns, system.rows.row_ptr(), system.rows.col_idx(),
                                       [&](std::size_t k) { return system.values[k]; });
}

/// ||b - A x|| / ||b|| for b = 1; if `lower`, with the lower triangle of A.
double residual(const Storage& A, const std::vector<double>& x, bool lower = false) {
  double sum = 0;
  for (int i = 0; i < A.rows(); ++i) {
    double rest = 1;
    for (int k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      if (lower && A.col_idx()(k) > i) continue;
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
  std::vector<double> residuals;  // one for each solve
  int replays = 0;
  std::vector<std::vector<double>> vectors;
};

/// Vectors of one instance, and the results of its plans and solvers.
class Work {
 public:
  Work(const Exec& exec, const Storage& host)
      : exec_(exec),
        host_(host),
        device_(host.copy_to<Space>(exec)),
        b_(vector("heddle::test::b")),
        x_(vector("heddle::test::x")) {
    found.device_of_memory = device_of(matrix().values().data());
    Kokkos::deep_copy(exec_, b_, 1.0);
  }

  void products() {
    for (const char* scheme : {"csr/merge", "csr/adaptive", "blocked-ell/sigma=256", "dia"}) {
      leave(exec_);
      SpmvPlan plan(exec_, matrix(), {.scheme = scheme, .ops = {Op::transpose}});
      for (const Op op : {Op::none, Op::transpose}) {
        leave(exec_);
        plan.apply(exec_, op, 1.0, b_, 0.0, x_);
        keep();
      }
    }
  }
  void triangles() {
    for (const char* scheme : {"", "sptrsv/in-order", "sptrsv/blocks,inner=inverse"}) {
      leave(exec_);
      SptrsvOptions options{.ignore_outside = true};
      if (*scheme) options.scheme = scheme;
      const SptrsvPlan plan(exec_, matrix(), options);
      leave(exec_);
      plan.apply(exec_, 1.0, b_, x_);
      keep(residual(host_, keep(), true));
    }
  }
  void solves() {
    const KrylovOptions options{.relative_tolerance = 1e-8};
    CgSolver<Exec, double> cg(exec_, matrix().rows(), options);
    const JacobiPreconditioner<Exec, double> jacobi(exec_, matrix());
    solve(cg, jacobi);
    solve(cg, GaussSeidelPlan(exec_, matrix()));
    solve(cg, IcPlan(exec_, matrix()));
    solve(cg, MultigridPlan(exec_, matrix()));
    BicgstabSolver<Exec, double> bicgstab(exec_, matrix().rows(), options);
    solve(bicgstab, jacobi);
    GmresSolver<Exec, double> gmres(exec_, matrix().rows(), options);
    solve(gmres, jacobi);
  }

  Found found;

 private:
  CsrMatrix<double, int, int, Space> matrix() const { return device_.matrix(); }
  Vector vector(const char* label) const {
    return Vector(Kokkos::view_alloc(exec_, std::string(label), Kokkos::WithoutInitializing),
                  static_cast<std::size_t>(host_.rows()));
  }
  const std::vector<double>& keep() { return found.vectors.emplace_back(host_copy(exec_, x_)); }
  void keep(double residual) { found.residuals.push_back(residual); }

  /// Solves twice: the second solve launches the graph that the first one recorded.
  template <class Solver, class Preconditioner>
  void solve(Solver& solver, Preconditioner&& preconditioner) {
    SpmvPlan plan(exec_, matrix());
    for (int time = 0; time < 2; ++time) {
      Kokkos::deep_copy(exec_, x_, 0.0);
      leave(exec_);
      solver.solve(exec_, plan, b_, x_, preconditioner);
      keep(residual(host_, keep()));
    }
    found.replays += solver.replays();
  }

  Exec exec_;
  const Storage& host_;
  CsrStorage<double, int, int, Space> device_;
  Vector b_, x_;
};

Found work_on(const Exec& exec, const Storage& host) {
  Work work(exec, host);
  work.products();
  work.triangles();
  work.solves();
  return work.found;
}

/// Steps by one thread, each of which needs the one before: takes a while on a GPU.
struct CountSlowly {
  Kokkos::View<std::int64_t, Space> to;
  KOKKOS_FUNCTION void operator()(int) const {
    for (int i = 0; i < 100000; ++i) Kokkos::atomic_add(&to(), std::int64_t{1});
  }
};

void check(const Found& found, const Exec& exec, const Found& first) {
  CHECK(found.device_of_memory == device_of(exec));
  REQUIRE(found.residuals.size() == 15);
  for (const double r : found.residuals) CHECK(r <= 1e-7);
  CHECK((found.replays > 0) == backends::Graph<Exec>::exists);
  CHECK(found.vectors == first.vectors);
}

}  // namespace

TEST_CASE("an event holds the queue of another device until the work before it has ended") {
  const int devices = device_count<Exec>();
  REQUIRE(devices >= 1);
  using Number = Kokkos::View<std::int64_t, Space>;
  const DeviceQueue<Exec> first(0), second(devices - 1);
  CHECK(device_of(first.exec()) == 0);
  CHECK(device_of(second.exec()) == devices - 1);
  connect_devices(first.exec(), second.exec());
  const Number from(Kokkos::view_alloc(first.exec(), "heddle::test::from"));
  const Number to(Kokkos::view_alloc(second.exec(), "heddle::test::to"));
  CHECK(device_of(to.data()) == device_of(second.exec()));
  DeviceEvent<Exec> counted(first.exec()), copied(second.exec());
  counted.hold(second.exec());  // nothing is recorded yet
  for (int time = 1; time <= 3; ++time) {
    copied.hold(first.exec());
    Kokkos::parallel_for("heddle::test::count", Kokkos::RangePolicy<Exec>(first.exec(), 0, 1),
                         CountSlowly{from});
    counted.record(first.exec());
    counted.hold(second.exec());
    Kokkos::deep_copy(second.exec(), to, from);
    copied.record(second.exec());
    std::int64_t found = 0;
    Kokkos::deep_copy(second.exec(), found, to);
    second.exec().fence("heddle::test::found");
    CHECK(found == 100000 * time);
  }
  first.exec().fence("heddle::test::counted");
}

TEST_CASE("every device multiplies and solves, alone and beside the others, to the same bits") {
  const Storage A = poisson();
  const Instances instances;
  const std::vector<Exec>& all = instances.all();
  const Found first = work_on(Exec(), A);
  check(first, Exec(), first);
  for (std::size_t i = all.size(); i-- > 0;) check(work_on(all[i], A), all[i], first);
#ifdef KOKKOS_ENABLE_CUDA  // an OpenMP region in each thread would start a pool of threads each
  std::vector<Found> found(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    threads.emplace_back([&, i] { found[i] = work_on(all[i], A); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all.size(); ++i) check(found[i], all[i], first);
#endif
}

TEST_CASE("threads of one device allocate, free, make plans and solve beside each other") {
  const Storage A = poisson();
  constexpr int threads_at_once = 4;
  const Instances instances(threads_at_once);
  const Found first = work_on(Exec(), A);
  const char* const given = std::getenv("HEDDLE_STRESS_SECONDS");
  const double seconds = given ? std::atof(given) : 0;
  std::vector<Found> found(threads_at_once);
  std::vector<int> rounds(threads_at_once, 0), different(threads_at_once, 0);
  std::vector<std::thread> threads;
  const Kokkos::Timer timer;
  for (std::size_t i = 0; i < threads_at_once; ++i) {
    threads.emplace_back([&, i] {
      do {
        found[i] = work_on(instances.all()[i], A);
        different[i] += found[i].vectors != first.vectors;
        ++rounds[i];
      } while (timer.seconds() < seconds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < threads_at_once; ++i) {
    check(found[i], instances.all()[i], first);
    CHECK(different[i] == 0);
    MESSAGE("rounds of thread " << i << ": " << rounds[i]);
  }
}

}  // namespace heddle::test
