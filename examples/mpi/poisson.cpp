// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Poisson's equation on n x n points, whose lines are distributed over the processes of MPI:
// Heddle's conjugate gradients and GMRES, with an operator of the program's own that exchanges
// lines.
//
//   mpiexec -n 4 heddle_example_mpi_poisson 400
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/mpi.hpp>
#include <utility>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec::memory_space>;

/// y = A x of one row of this process, without the entries of other processes.
struct OwnLines {
  const double* x;
  double* y;
  int n, rows;
  KOKKOS_FUNCTION void operator()(int i) const {
    double sum = 4 * x[i];
    if (i >= n) sum -= x[i - n];
    if (i + n < rows) sum -= x[i + n];
    if (i % n > 0) sum -= x[i - 1];
    if (i % n + 1 < n) sum -= x[i + 1];
    y[i] = sum;
  }
};
/// y -= the entries of the neighbours' lines.
struct NeighbourLines {
  const double *below, *above;
  double* y;
  int n, rows;
  KOKKOS_FUNCTION void operator()(int i) const {
    y[i] -= below[i];
    y[rows - n + i] -= above[i];
  }
};

/// The lines of this process. Each process has at least one.
class Laplacian {
 public:
  Laplacian(MPI_Comm comm, int n)
      : comm_(comm), n_(n), lines_("example::lines", std::size_t(2 * n)) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto first = [&](int p) { return static_cast<int>(std::int64_t{n} * p / size); };
    rows_ = n * (first(rank + 1) - first(rank));
    down_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    up_ = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    sent_ = Kokkos::create_mirror(lines_);
    received_ = Kokkos::create_mirror(lines_);
    Kokkos::deep_copy(received_, 0.0);  // no line lies beyond the first and the last one
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return rows_; }

  /// y = A x: the lines travel through the host's memory while the own ones are multiplied.
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    const auto first = std::pair(0, n_), last = std::pair(rows_ - n_, rows_);
    const auto low = std::pair(0, n_), high = std::pair(n_, 2 * n_);
    Kokkos::deep_copy(exec, Kokkos::subview(sent_, low), Kokkos::subview(x, first));
    Kokkos::deep_copy(exec, Kokkos::subview(sent_, high), Kokkos::subview(x, last));
    exec.fence("example::lines_to_send");
    using Rows = Kokkos::RangePolicy<Exec, int>;
    Kokkos::parallel_for("example::own_lines", Rows(exec, 0, rows_),
                         OwnLines{x.data(), y.data(), n_, rows_});
    MPI_Sendrecv(sent_.data(), n_, MPI_DOUBLE, down_, 0, received_.data() + n_, n_, MPI_DOUBLE, up_,
                 0, comm_, MPI_STATUS_IGNORE);
    MPI_Sendrecv(sent_.data() + n_, n_, MPI_DOUBLE, up_, 0, received_.data(), n_, MPI_DOUBLE, down_,
                 0, comm_, MPI_STATUS_IGNORE);
    Kokkos::deep_copy(exec, lines_, received_);
    Kokkos::parallel_for("example::neighbour_lines", Rows(exec, 0, n_),
                         NeighbourLines{lines_.data(), lines_.data() + n_, y.data(), n_, rows_});
    exec.fence("example::lines_received");  // before the next product writes to received_
  }

 private:
  MPI_Comm comm_;
  int n_, rows_, down_, up_;
  Vector lines_;  ///< of the neighbours: the one below, and the one above
  Vector::host_mirror_type sent_, received_;
};

/// |b - A x| / |b|, with b = 1.
double relative_residual(const Laplacian& A, const Vector& x, MPI_Comm comm) {
  const Vector product("example::product", x.extent(0));
  A.apply(Exec(), x, product);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), product);
  double squares[2] = {0, static_cast<double>(x.extent(0))};
  for (std::size_t i = 0; i < host.extent(0); ++i) squares[0] += (1 - host(i)) * (1 - host(i));
  MPI_Allreduce(MPI_IN_PLACE, squares, 2, MPI_DOUBLE, MPI_SUM, comm);
  return std::sqrt(squares[0] / squares[1]);
}

int run(int n) {
  const Exec exec;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (n < size) return 1;
  const Laplacian A(MPI_COMM_WORLD, n);
  const Vector b("example::b", static_cast<std::size_t>(A.rows())), x("example::x", b.extent(0));
  Kokkos::deep_copy(b, 1.0);

  heddle::KrylovOptions options{.relative_tolerance = 1e-8, .max_iterations = 10000};
  options.reduction = heddle::mpi_reduction(MPI_COMM_WORLD);
  heddle::CgSolver<Exec, double> cg(exec, A.rows(), options);  // of this process's rows
  options.restart = 100;
  heddle::GmresSolver<Exec, double> gmres(exec, A.rows(), options);

  bool good = true;
  const auto solve = [&](const char* method, auto& solver) {
    Kokkos::deep_copy(x, 0.0);
    const heddle::KrylovResult result = solver.solve(exec, A, b, x);
    const double residual = relative_residual(A, x, MPI_COMM_WORLD);
    if (rank == 0) {
      std::printf("%s on %d processes: %s, %d iterations, |b - A x| / |b| = %.1e\n", method, size,
                  name(result.outcome), result.iterations, residual);
    }
    good = good && result.converged() && residual <= 1.01e-8;
  };
  solve("conjugate gradients", cg);
  solve("gmres", gmres);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    code = run(argc > 1 ? std::atoi(argv[1]) : 100);
  }
  MPI_Finalize();
  return code;
}
