// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Poisson's equation on a box that is cut into slabs, one for each device of this process: products
// and conjugate gradients without MPI, with a host thread for each device. A device has a plan for
// its own columns and one for those of its neighbours, whose entries of x are copied from device to
// device while own columns are multiplied. Prints how products and iterations scale from one device
// to all, each with side^3 points. Without a second device: with two queues of the first.
//
//   heddle_example_several_devices --side 160 --devices 4 --products 200
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <heddle/cg.hpp>
#include <heddle/several_devices.hpp>
#include <heddle/spmv.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Queue = heddle::DeviceQueue<Exec>;
using Event = heddle::DeviceEvent<Exec>;
template <class T>
using Array = Kokkos::View<T*, Space>;
using Matrix = heddle::CsrMatrix<double, int, int, Space>;
using Plan = decltype(heddle::SpmvPlan(std::declval<Exec>(), std::declval<Matrix>()));

/// Memory of the device of `exec`.
template <class T>
Array<T> array(const Exec& exec, const char* label, int n) {
  return Array<T>(Kokkos::view_alloc(exec, std::string(label)), static_cast<std::size_t>(n));
}

/// A matrix in compressed rows.
struct Rows {
  int rows;
  Array<int> row_ptr, col_idx;
  Array<double> values;

  Rows(const Exec& exec, int n, int entries)
      : rows(n),
        row_ptr(array<int>(exec, "example::row_ptr", n + 1)),
        col_idx(array<int>(exec, "example::col_idx", entries)),
        values(array<double>(exec, "example::values", entries)) {}
  Matrix csr() const { return {rows, rows, row_ptr, col_idx, values}; }
};

/// The seven-point Laplacian on n x n x planes points, as one device sees it that has no others.
Rows laplacian(const Exec& exec, int n, int planes) {
  const int face = n * n, rows = face * planes;
  const Rows A(exec, rows, 7 * rows - 4 * n * planes - 2 * face);
  Kokkos::parallel_scan(
      "example::laplacian", Kokkos::RangePolicy<Exec>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(int i, int& k, bool last) {
        if (last) A.row_ptr(i) = k;
        if (i == rows) return;
        const int x = i % n, y = i / n % n, z = i / face;
        const int steps[7] = {-face, -n, -1, 0, 1, n, face};
        const bool inside[7] = {z > 0, y > 0, x > 0, true, x < n - 1, y < n - 1, z < planes - 1};
        for (int s = 0; s < 7; ++s) {
          if (!inside[s]) continue;
          if (last) A.col_idx(k) = i + steps[s];
          if (last) A.values(k) = s == 3 ? 6 : -1;
          ++k;
        }
      });
  exec.fence("example::laplacian");
  return A;
}

/// Columns of neighbours in the rows that have any: one in each row here.
Rows minus_identity(const Exec& exec, int n) {
  const Rows A(exec, n, n);
  Kokkos::parallel_for(
      "example::minus_identity", Kokkos::RangePolicy<Exec>(exec, 0, n + 1), KOKKOS_LAMBDA(int i) {
        A.row_ptr(i) = i;
        if (i == n) return;
        A.col_idx(i) = i;
        A.values(i) = -1;
      });
  exec.fence("example::minus_identity");
  return A;
}

/// The rows that have columns of neighbours: the first `face` of them lie together, and so do the
/// others, after those that are skipped.
struct ListBoundary {
  Array<int> rows;
  int face, first, skipped;

  KOKKOS_FUNCTION void operator()(int i) const { rows(i) = first + (i < face ? i : i + skipped); }
};

/// y += t in rows that have columns of neighbours, and *dot += *part, if dot is not null.
struct AddBoundary {
  Array<const int> rows;
  Array<const double> t;
  double* y;
  double* dot;
  Kokkos::View<const double, Space> part;

  KOKKOS_FUNCTION void operator()(int i) const {
    y[rows(i)] += t(i);
    if (i == 0 && dot) *dot += part();
  }
};
/// The sum of x . t over these rows.
struct DotOfBoundary {
  Array<const int> rows;
  Array<const double> t;
  const double* x;

  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += x[rows(i)] * t(i); }
};
/// A number that a kernel leaves in memory of the host, as a solver's sums.
struct WriteNumber {
  Kokkos::View<double, Kokkos::SharedHostPinnedSpace> to;

  KOKKOS_FUNCTION void operator()(int) const { to() = 1; }
};

/// The rows of one device: an operator for its thread's solver. Copies to neighbours and products
/// with what they sent have a queue of their own, beside the product of own columns. Events order
/// devices; the host does not wait for any. A thread waits for its neighbours' threads until they
/// have queued their copies, since an event has to be recorded before a queue can wait for it.
class Slab {
 public:
  Slab(int device, int n, int planes)
      : queue_(device),
        beside_(device, heddle::QueuePriority::high),
        face_(n * n),
        own_rows_(laplacian(exec(), n, planes)),
        own_(exec(), own_rows_.csr()),
        ready_(exec()),
        part_(Kokkos::view_alloc(exec(), std::string("example::part"))) {}

  /// Makes two slabs neighbours.
  static void join(Slab& below, Slab& above) {
    heddle::connect_devices(below.exec(), above.exec());
    below.above_ = &above;
    above.below_ = &below;
  }
  /// Prepares the columns of neighbours, which are known now.
  void prepare() {
    const int sides = (below_ ? 1 : 0) + (above_ ? 1 : 0);
    if (sides == 0) return;
    const int n = sides * face_, first = below_ ? 0 : own_rows_.rows - face_;
    boundary_ = array<int>(exec(), "example::boundary", n);
    Kokkos::parallel_for("example::boundary", Kokkos::RangePolicy<Exec>(exec(), 0, n),
                         ListBoundary{boundary_, face_, first, own_rows_.rows - 2 * face_});
    for (Turn& turn : turns_) turn.ghosts = array<double>(exec(), "example::ghosts", n);
    t_ = array<double>(exec(), "example::t", n);
    ghost_rows_ = std::make_unique<Rows>(minus_identity(exec(), n));
    ghost_plan_ = std::make_unique<Plan>(exec(), ghost_rows_->csr());
    exec().fence("example::prepare");
  }

  const Exec& exec() const { return queue_.exec(); }
  const Rows& own() const { return own_rows_; }
  std::int64_t rows() const { return own_rows_.rows; }
  std::int64_t columns() const { return own_rows_.rows; }
  bool has_dot() const { return own_.has_dot(); }

  template <class X, class Y>
  void apply(const Exec& on, const X& x, const Y& y) {
    send(on, x.data());
    own_.apply(on, x, y);
    add_neighbours(on, x.data(), y.data(), nullptr);
  }
  /// The dot of own columns costs CG no pass over vectors; that of neighbours' columns is added.
  template <class X, class Y, class Workspace, class Result>
  void apply_dot(const Exec& on, const X& x, const Y& y, const Workspace& workspace,
                 const Result& result) {
    send(on, x.data());
    own_.apply_dot(on, x, y, workspace, result);
    add_neighbours(on, x.data(), y.data(), result.data());
  }

  /// The parts of a product, which are measured alone.
  template <class X, class Y>
  void apply_own(const Exec& on, const X& x, const Y& y) {
    own_.apply(on, x, y);
  }
  template <class X>
  void exchange(const Exec& on, const X& x) {
    send(on, x.data());
    receive();
    finish(on);
  }
  std::string scheme() const { return own_.scheme().to_string(); }

 private:
  using OnDevice = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  using ConstOnDevice = Kokkos::View<const double*, Space, Kokkos::MemoryUnmanaged>;

  /// Entries of neighbours are received in two places by turns. So a neighbour may send those of
  /// the next product while this device still reads those of the last one.
  struct Turn {
    Array<double> ghosts;  ///< of the plane below, then of the plane above
    Event sent, used;

    explicit Turn(const Exec& exec) : sent(exec), used(exec) {}
  };

  Turn& turn() { return turns_[static_cast<std::size_t>(products_ % 2)]; }

  /// Queues copies of the outer planes of x to the neighbours.
  void send(const Exec& on, const double* x) {
    if (!below_ && !above_) return;
    ready_.record(on);
    ready_.hold(beside_.exec());
    if (below_) copy_to(*below_, below_->below_ ? face_ : 0, x);
    if (above_) copy_to(*above_, 0, x + (own_rows_.rows - face_));
    turn().sent.record(beside_.exec());
    queued_.store(products_ + 1, std::memory_order_release);
  }
  void copy_to(Slab& neighbour, int place, const double* from) {
    const Turn& there = neighbour.turns_[static_cast<std::size_t>(products_ % 2)];
    there.used.hold(beside_.exec());  // by the product before the last one
    const auto face = static_cast<std::size_t>(face_);
    Kokkos::deep_copy(beside_.exec(), OnDevice(there.ghosts.data() + place, face),
                      ConstOnDevice(from, face));
  }
  /// Work that is queued beside from now on begins after the neighbours' entries have arrived.
  void receive() {
    for (Slab* neighbour : {below_, above_}) {
      if (!neighbour) continue;
      while (neighbour->queued_.load(std::memory_order_acquire) <= products_) {
        std::this_thread::yield();
      }
      neighbour->turns_[static_cast<std::size_t>(products_ % 2)].sent.hold(beside_.exec());
    }
  }
  /// Lets work that is queued from now on read what was computed beside, and change x.
  void finish(const Exec& on) {
    turn().used.record(beside_.exec());
    turn().used.hold(on);
    ++products_;
  }
  /// y += neighbours' columns, and *dot += their part of x . y.
  void add_neighbours(const Exec& on, const double* x, double* y, double* dot) {
    if (!ghost_plan_) return;
    receive();
    const int n = static_cast<int>(t_.extent(0));
    ghost_plan_->apply(beside_.exec(), turn().ghosts, t_);
    if (dot) {
      Kokkos::parallel_reduce("example::dot_of_boundary",
                              Kokkos::RangePolicy<Exec>(beside_.exec(), 0, n),
                              DotOfBoundary{boundary_, t_, x}, part_);
    }
    finish(on);
    Kokkos::parallel_for("example::add_boundary", Kokkos::RangePolicy<Exec>(on, 0, n),
                         AddBoundary{boundary_, t_, y, dot, part_});
  }

  Queue queue_, beside_;
  int face_;
  Rows own_rows_;
  Plan own_;
  Slab *below_ = nullptr, *above_ = nullptr;
  std::unique_ptr<Rows> ghost_rows_;
  std::unique_ptr<Plan> ghost_plan_;
  Array<int> boundary_;
  Array<double> t_;
  Event ready_;
  std::array<Turn, 2> turns_{Turn(exec()), Turn(exec())};
  std::int64_t products_ = 0;
  std::atomic<std::int64_t> queued_ = 0;  ///< products whose copies are queued
  Kokkos::View<double, Space> part_;      ///< of x . y: that of neighbours' columns
};

/// Threads that wait for each other and add up numbers, each with the same bits.
class Threads {
 public:
  explicit Threads(int count) : count_(count), of_(static_cast<std::size_t>(count)) {}

  void meet() {
    const std::int64_t until = (arrived_.fetch_add(1) / count_ + 1) * count_;
    while (arrived_.load() < until) std::this_thread::yield();
  }
  /// A reduction of KrylovOptions, of the thread with this number. Each turn has its own numbers,
  /// so that one meeting is enough.
  void sum(int thread, std::span<double> numbers) {
    const std::size_t turn = of_[static_cast<std::size_t>(thread)].turns++ % 2;
    auto& own = of_[static_cast<std::size_t>(thread)].numbers[turn];
    if (numbers.size() > own.size()) std::abort();
    std::copy(numbers.begin(), numbers.end(), own.begin());
    meet();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 0;
      for (const OfThread& of : of_) numbers[i] += of.numbers[turn][i];
    }
  }
  /// Runs body(thread) in each. An exception ends the program, since the others would wait.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count_; ++i) threads.emplace_back([&body, i] { body(i); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct alignas(128) OfThread {
    std::array<std::array<double, 16>, 2> numbers{};
    std::size_t turns = 0;
  };
  int count_;
  std::vector<OfThread> of_;
  std::atomic<std::int64_t> arrived_ = 0;
};

struct Times {
  double product = 0, own = 0, exchange = 0, reduction = 0, iteration = 0;  // in seconds
  int iterations = 0;
  bool converged = false;
  std::string scheme;  // of products of own columns
  std::vector<double> x;
};

/// Seconds of one body(), of the best of five rounds, as all threads see them.
template <class Body>
double seconds_of(Threads& threads, const Exec& exec, int times, const Body& body) {
  double best = 0;
  for (int round = 0; round <= 5; ++round) {
    exec.fence("example::begin");
    threads.meet();
    const Kokkos::Timer timer;
    for (int i = 0; i < times; ++i) body();
    exec.fence("example::end");
    threads.meet();
    const double seconds = timer.seconds() / times;
    if (round == 1 || (round > 1 && seconds < best)) best = seconds;  // round 0 loads kernels
  }
  return best;
}

/// Solves A x = 1 twice, and times the second solve.
template <class A>
void solve(Threads& threads, const Exec& exec, A& matrix, const Rows& own,
           const heddle::KrylovOptions& options, const Array<double>& b, const Array<double>& x,
           Times& times) {
  const heddle::JacobiPreconditioner jacobi(exec, own.csr());
  heddle::CgSolver<Exec, double> cg(exec, own.rows, options);
  for (int time = 0; time < 2; ++time) {
    Kokkos::deep_copy(exec, x, 0.0);
    exec.fence("example::begin");
    threads.meet();
    const Kokkos::Timer timer;
    const heddle::KrylovResult result = cg.solve(exec, matrix, b, x, jacobi);
    exec.fence("example::end");
    threads.meet();
    times.iterations = result.iterations;
    times.iteration = timer.seconds() / std::max(result.iterations, 1);
    times.converged = result.converged();
  }
}

void copy_to_host(const Exec& exec, const Array<double>& x, double* to) {
  Kokkos::deep_copy(
      exec, Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(to, x.extent(0)), x);
  exec.fence("example::copy_to_host");
}

const heddle::KrylovOptions options_of_all{.relative_tolerance = 1e-8, .max_iterations = 100000};

/// The whole box on the first device, by a plan and a solver as they are without other devices.
Times on_one_device(int n, int planes, int products) {
  Threads alone(1);
  const Queue queue(0);
  const Exec& exec = queue.exec();
  const Rows matrix = laplacian(exec, n, planes);
  Plan A(exec, matrix.csr());
  const auto b = array<double>(exec, "example::b", matrix.rows);
  const auto x = array<double>(exec, "example::x", matrix.rows);
  Kokkos::deep_copy(exec, b, 1.0);
  Times times;
  times.scheme = A.scheme().to_string();
  times.product = seconds_of(alone, exec, products, [&] { A.apply(exec, b, x); });
  solve(alone, exec, A, matrix, options_of_all, b, x, times);
  times.x.resize(x.extent(0));
  copy_to_host(exec, x, times.x.data());
  return times;
}

/// A box of n x n x (devices n) points on so many devices, of which there are `existing`.
Times on_devices(int devices, int existing, int n, int products) {
  std::vector<std::unique_ptr<Slab>> slabs;
  for (int d = 0; d < devices; ++d) {
    slabs.push_back(std::make_unique<Slab>(d % existing, n, n));
    if (d > 0) Slab::join(*slabs[static_cast<std::size_t>(d - 1)], *slabs.back());
  }
  for (const auto& slab : slabs) slab->prepare();

  Times all;
  all.x.resize(static_cast<std::size_t>(slabs[0]->rows() * devices));
  Threads threads(devices);
  threads.run([&](int d) {
    Slab& A = *slabs[static_cast<std::size_t>(d)];
    const Exec& exec = A.exec();
    const int rows = static_cast<int>(A.rows());
    const auto b = array<double>(exec, "example::b", rows);
    const auto x = array<double>(exec, "example::x", rows);
    Kokkos::deep_copy(exec, b, 1.0);
    Times times;
    times.scheme = A.scheme();
    times.product = seconds_of(threads, exec, products, [&] { A.apply(exec, b, x); });
    times.own = seconds_of(threads, exec, products, [&] { A.apply_own(exec, b, x); });
    times.exchange = seconds_of(threads, exec, products, [&] { A.exchange(exec, b); });

    heddle::KrylovOptions options = options_of_all;
    options.reduction = [&threads, d](std::span<double> numbers) { threads.sum(d, numbers); };
    const Kokkos::View<double, Kokkos::SharedHostPinnedSpace> number("example::number");
    times.reduction = seconds_of(threads, exec, products, [&] {  // as in a solver
      Kokkos::parallel_for("example::number", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                           WriteNumber{number});
      exec.fence("example::reduce");
      options.reduction({number.data(), 1});
    });
    solve(threads, exec, A, A.own(), options, b, x, times);
    copy_to_host(exec, x, all.x.data() + std::int64_t{d} * rows);
    threads.meet();
    if (d == 0) {
      times.x = std::move(all.x);
      all = std::move(times);
    }
  });
  return all;
}

/// |b - A x| / |b| with b = 1, by the points of the box.
double relative_residual(int n, int planes, const std::vector<double>& x) {
  const std::int64_t face = std::int64_t{n} * n, rows = face * planes;
  const auto at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  double sum = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    double rest = 1 - 6 * at(i);
    if (i >= face) rest += at(i - face);
    if (i + face < rows) rest += at(i + face);
    if (i / n % n > 0) rest += at(i - n);
    if (i / n % n < n - 1) rest += at(i + n);
    if (i % n > 0) rest += at(i - 1);
    if (i % n < n - 1) rest += at(i + 1);
    sum += rest * rest;
  }
  return std::sqrt(sum / static_cast<double>(rows));
}

/// The number after an option such as --side, or `otherwise`.
int number_after(std::span<char* const> arguments, std::string_view option, int otherwise) {
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == option) return std::atoi(arguments[i + 1]);
  }
  return otherwise;
}

int run(int n, int most, int products) {
  const int existing = heddle::device_count<Exec>();
  const int devices = most > 0 ? most : std::max(existing, 2);
  std::printf("%d devices, %d x %d x %d points on each; microseconds\n", existing, n, n, n);
  if (devices > existing) std::printf("some queues share a device: times say nothing of scaling\n");
  std::printf(
      "devices  product  scaling  own columns  exchange  reduction  iteration  scaling  "
      "iterations  |b - A x| / |b|\n");
  const auto print = [&](const char* of, const Times& times, const Times& one, double residual) {
    std::printf("%7s %8.1f %6.0f %% %12.1f %9.1f %10.1f %10.1f %6.0f %% %11d %16.1e\n", of,
                1e6 * times.product, 100 * one.product / times.product, 1e6 * times.own,
                1e6 * times.exchange, 1e6 * times.reduction, 1e6 * times.iteration,
                100 * one.iteration / times.iteration, times.iterations, residual);
  };
  bool good = true;
  Times one;
  for (int count = 1; count <= devices; ++count) {
    const Times whole = on_one_device(n, count * n, products);
    if (count == 1) {  // the plan and the solver as they are, against which all others are held
      one = whole;
      print("plain", one, one, relative_residual(n, n, one.x));
    }
    const Times times = on_devices(count, existing, n, products);
    const double residual = relative_residual(n, count * n, times.x);
    print(std::to_string(count).c_str(), times, one, residual);
    const bool alike = std::abs(times.iterations - whole.iterations) <= 1 + whole.iterations / 100;
    std::printf("        by %s; on one device %.1f, %.1f an iteration, %d iterations, by %s\n",
                times.scheme.c_str(), 1e6 * whole.product, 1e6 * whole.iteration, whole.iterations,
                whole.scheme.c_str());
    good = good && times.converged && alike && residual <= 1.01e-8;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  const int n = number_after(arguments, "--side", 12);
  const int products = number_after(arguments, "--products", 5);
  if (n < 2 || products < 1) return 1;
  return run(n, number_after(arguments, "--devices", 0), products);
}
