// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wavefronts_study THREADS FILE...: lower triangles solved by one thread in the order of the rows
// and in that of the levels, then by all threads by each scheme; the fastest of many solves, in
// microseconds. Schedules are for THREADS threads, of which OMP_NUM_THREADS are there.
// docs/wavefronts.md explains the columns.
#include <heddle/read_matrix.hpp>
#include <heddle/sptrsv.hpp>
#include <heddle/wavefronts.hpp>

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Kokkos::HostSpace>;
namespace sptrsv = heddle::detail::sptrsv;
template <class T>
using Borrowed = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// The lower triangle of a pattern, with a diagonal that dominates.
struct Lower {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;

  template <class A>
  explicit Lower(const A& matrix) {
    for (int i = 0; i < matrix.rows(); ++i) {
      const int begin = matrix.row_ptr()(i), end = matrix.row_ptr()(i + 1);
      for (int k = begin; k < end; ++k) {
        if (matrix.col_idx()(k) < i) add(matrix.col_idx()(k), 1.0 / (end - begin));
      }
      add(i, 2);
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
  }
  int rows() const { return static_cast<int>(row_ptr.size()) - 1; }
  Matrix matrix() {
    return {rows(), rows(), Borrowed<int>(row_ptr.data(), row_ptr.size()),
            Borrowed<int>(col_idx.data(), col_idx.size()),
            Borrowed<double>(values.data(), values.size())};
  }

 private:
  void add(int column, double value) {
    col_idx.push_back(column);
    values.push_back(value);
  }
};

struct Result {
  double microseconds;
  std::size_t tasks, waits;
  int levels, stages;
};

Result measure(const Exec& exec, Lower& lower, const char* scheme, int threads) {
  const int n = lower.rows();
  const sptrsv::Graph<int, int> graph{lower.row_ptr.data(), lower.col_idx.data(), n,
                                      heddle::Triangle::lower};
  const heddle::Wavefronts waves(exec, n, sptrsv::TriangleReads<int, int>{graph},
                                 {.scheme = heddle::Scheme::parse(scheme), .threads = threads});
  const sptrsv::RowsTriangle<Exec, double, int, int, double> triangle(
      exec, lower.matrix(), graph, nullptr, waves.place_order(),
      static_cast<std::int64_t>(lower.col_idx.size()) - n, heddle::Diagonal::stored);
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> b(size, 1), x(size);
  const sptrsv::RowsKernel<double, int, int, double, double> solve{
      triangle.view(), false, 1, {b.data(), 1, n, n, 1}, {x.data(), 1, n, n, 1}};
  double best = 1e9;
  const Kokkos::Timer total;
  for (int repeat = 0; repeat < 300 && total.seconds() < 1; ++repeat) {
    const Kokkos::Timer timer;
    waves.for_each_run(exec, "heddle::wavefronts_study::solve", solve);
    exec.fence("heddle::wavefronts_study::solved");
    best = std::min(best, timer.seconds());
  }
  return {best * 1e6, static_cast<std::size_t>(waves.schedule().tasks()),
          waves.schedule().waits.size(), waves.levels(), waves.schedule().stages()};
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  if (threads < 1 || argc < 3) {
    std::fprintf(stderr, "wavefronts_study THREADS FILE...\n");
    return 2;
  }
  const Exec exec;
  std::printf("%d of %d threads\n%-32s%10s%10s%8s%8s%8s%8s%10s%10s%10s\n", exec.concurrency(),
              threads, "lower triangle of", "rows", "entries", "levels", "stages", "tasks", "waits",
              "in order", "barrier", "point");
  for (int a = 2; a < argc; ++a) {
    try {
      const auto file = heddle::read_matrix(argv[a]);
      Lower lower(file.matrix());
      const Result in_order = measure(exec, lower, "wavefronts/sequential", threads);
      const Result barrier = measure(exec, lower, "wavefronts/barrier", threads);
      const Result point = measure(exec, lower, "wavefronts/point-to-point", threads);
      const std::string name = argv[a];
      std::printf("%-32s%10d%10zu%8d%8d%8zu%8zu%10.1f%10.1f%10.1f\n",
                  name.substr(name.rfind('/') + 1).c_str(), lower.rows(), lower.col_idx.size(),
                  in_order.levels, point.stages, point.tasks, point.waits, in_order.microseconds,
                  barrier.microseconds, point.microseconds);
      std::fflush(stdout);
    } catch (const heddle::Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  return 0;
}
