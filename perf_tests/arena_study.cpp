// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arena_study [--repetitions N] [--json FILE]: what one allocation and one copy of a CSR matrix
// gain over three, from 1 KB to 100 MB, and whether products notice. docs/arena.md explains the
// columns.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../formats/spmv.hpp"

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using HostCsr = heddle::CsrStorage<double, int, int, Kokkos::HostSpace>;
using DeviceCsr = heddle::CsrStorage<double, int, int, Space>;

using Matrix = heddle::CsrMatrix<double, int, int, Space>;

constexpr int mean_row = 10;

auto label(const Exec& exec, const char* name) {
  return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(name));
}

/// The three arrays as most programs keep them.
struct ThreeArrays {
  Kokkos::View<int*, Space> row_ptr;
  Kokkos::View<int*, Space> col_idx;
  Kokkos::View<double*, Space> values;

  ThreeArrays(const Exec& exec, const HostCsr& A)
      : row_ptr(label(exec, "heddle::arena_study::row_ptr"), A.row_ptr().size()),
        col_idx(label(exec, "heddle::arena_study::col_idx"), A.col_idx().size()),
        values(label(exec, "heddle::arena_study::values"), A.values().size()) {
    Kokkos::deep_copy(exec, row_ptr, A.row_ptr());
    Kokkos::deep_copy(exec, col_idx, A.col_idx());
    Kokkos::deep_copy(exec, values, A.values());
  }
  Matrix matrix() const {
    const int rows = static_cast<int>(row_ptr.size()) - 1;
    return Matrix(rows, rows, row_ptr, col_idx, values);
  }
};

/// Products y = A x with a matrix wherever it lies; the vectors stay where they are.
class Products {
 public:
  Products(const Exec& exec, const Matrix& A)
      : x_(label(exec, "heddle::arena_study::x"), static_cast<std::size_t>(A.columns())),
        y_(label(exec, "heddle::arena_study::y"), static_cast<std::size_t>(A.rows())) {
    Kokkos::deep_copy(exec, x_, 1.0);
    seconds(exec, A);  // the first loads the kernel
    applies_ = std::clamp(static_cast<int>(1e-3 / seconds(exec, A)), 1, 200);
  }

  /// Of one product behind others, by a kernel that needs no inspection.
  double seconds(const Exec& exec, const Matrix& A) {
    for (int i = 0; i < 3; ++i) heddle::spmv(exec, heddle::Op::none, 1.0, A, x_, 0.0, y_);
    exec.fence("heddle::arena_study::warm");
    const Kokkos::Timer timer;
    for (int i = 0; i < applies_; ++i) heddle::spmv(exec, heddle::Op::none, 1.0, A, x_, 0.0, y_);
    exec.fence("heddle::arena_study::applied");
    return timer.seconds() / applies_;
  }

 private:
  Kokkos::View<double*, Space> x_, y_;
  int applies_ = 1;
};

/// Seconds to make a matrix on the device, to apply it, and to free it.
struct Sample {
  double make = 0;
  double apply = 0;
  double release = 0;
};

template <class T, class Make>
Sample sample(const Exec& exec, Products& products, const Make& make) {
  std::optional<T> made;
  exec.fence("heddle::arena_study::before");
  Kokkos::Timer timer;
  made.emplace(make());
  exec.fence("heddle::arena_study::made");
  Sample sample;
  sample.make = timer.seconds();
  sample.apply = products.seconds(exec, made->matrix());
  timer.reset();
  made.reset();
  exec.fence("heddle::arena_study::released");
  sample.release = timer.seconds();
  return sample;
}

Sample median(std::vector<Sample> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  const auto by = [&](double Sample::* time) {
    std::nth_element(samples.begin(), middle, samples.end(),
                     [&](const Sample& a, const Sample& b) { return a.*time < b.*time; });
    return *middle.*time;
  };
  return {by(&Sample::make), by(&Sample::apply), by(&Sample::release)};
}

/// An estimate: Kokkos puts a header of 128 bytes before each block, and device allocators hand out
/// multiples of 512.
std::size_t taken_bytes(std::size_t asked) {
  constexpr std::size_t header = 128, granule = 512;
  return heddle::ceil_div(asked + header, granule) * granule;
}

struct Result {
  std::size_t bytes = 0;
  int nonzeros = 0;
  std::size_t three_bytes = 0;
  std::size_t one_bytes = 0;
  Sample three;
  Sample one;

  double gain() const { return three.make / one.make; }
  double apply_gain() const { return three.apply / one.apply; }
};

HostCsr band(int rows) {
  const Kokkos::DefaultHostExecutionSpace host;
  HostCsr A(host, rows, rows, rows * mean_row);
  host.fence("heddle::arena_study::host");
  for (int i = 0; i <= rows; ++i) A.row_ptr()(i) = i * mean_row;
  for (int k = 0; k < rows * mean_row; ++k) {
    A.col_idx()(k) = std::min(rows - 1, k / mean_row + k % mean_row);
    A.values()(k) = 1;
  }
  return A;
}

Result study(const Exec& exec, double csr_bytes, int repetitions) {
  const int rows = std::max(1, static_cast<int>(csr_bytes / (mean_row * 12 + 4)));
  const HostCsr A = band(rows);
  const std::size_t row_ptr = A.row_ptr().size() * sizeof(int);
  const std::size_t col_idx = A.col_idx().size() * sizeof(int);
  const std::size_t values = A.values().size() * sizeof(double);
  Result result;
  result.bytes = row_ptr + col_idx + values;
  result.nonzeros = A.nonzeros();
  result.three_bytes = taken_bytes(row_ptr) + taken_bytes(col_idx) + taken_bytes(values);
  result.one_bytes = taken_bytes(A.bytes());

  const DeviceCsr first = A.copy_to<Space>(exec);
  Products products(exec, first.matrix());

  // In turns, so that whatever else the machine does meets both alike.
  constexpr int warm_up = 3;
  std::vector<Sample> three, one;
  for (int repetition = -warm_up; repetition < repetitions; ++repetition) {
    const Sample a = sample<ThreeArrays>(exec, products, [&] { return ThreeArrays(exec, A); });
    const Sample b = sample<DeviceCsr>(exec, products, [&] { return A.copy_to<Space>(exec); });
    if (repetition < 0) continue;
    three.push_back(a);
    one.push_back(b);
  }
  result.three = median(std::move(three));
  result.one = median(std::move(one));
  return result;
}

bool write_json(const char* path, const std::vector<Result>& results, int repetitions) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return false;
  std::fprintf(file,
               "{\"schema\": \"heddle-arena-study-2\", \"execution_space\": \"%s\", "
               "\"repetitions\": %d, \"results\": [",
               Exec::name(), repetitions);
  const char* separator = "\n";
  for (const Result& r : results) {
    std::fprintf(file,
                 "%s  {\"csr_bytes\": %zu, \"nonzeros\": %d, \"three_make_seconds\": %.3e, "
                 "\"three_free_seconds\": %.3e, \"one_make_seconds\": %.3e, "
                 "\"one_free_seconds\": %.3e, \"three_apply_seconds\": %.3e, "
                 "\"one_apply_seconds\": %.3e, \"three_taken_bytes\": %zu, "
                 "\"one_taken_bytes\": %zu}",
                 separator, r.bytes, r.nonzeros, r.three.make, r.three.release, r.one.make,
                 r.one.release, r.three.apply, r.one.apply, r.three_bytes, r.one_bytes);
    separator = ",\n";
  }
  std::fprintf(file, "\n]}\n");
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  int repetitions = 101;
  const char* json = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--repetitions") == 0 && i + 1 < argc) {
      repetitions = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      json = argv[++i];
    } else {
      repetitions = 0;
    }
  }
  if (repetitions < 1) {
    std::fprintf(stderr, "usage: %s [--repetitions N, default 101] [--json FILE]\n", argv[0]);
    return 2;
  }
  Kokkos::ScopeGuard kokkos;
  const Exec exec;
  std::printf("A CSR matrix to %s: three allocations and copies, or one of each.\n", Exec::name());
  std::printf("Medians of %d, in microseconds; bytes taken are an estimate.\n\n", repetitions);
  std::printf("%12s %10s | %10s %8s | %10s %8s | %6s | %11s %9s %6s | %12s %12s\n", "CSR bytes",
              "nonzeros", "three make", "free", "one make", "free", "gain", "three apply",
              "one apply", "gain", "three taken", "one taken");
  std::vector<Result> results;
  for (double exponent = 3; exponent < 8.25; exponent += 0.5) {
    const Result r = study(exec, std::pow(10, exponent), repetitions);
    std::printf(
        "%12zu %10d | %10.1f %8.1f | %10.1f %8.1f | %6.2f | %11.2f %9.2f %6.3f | %12zu %12zu\n",
        r.bytes, r.nonzeros, 1e6 * r.three.make, 1e6 * r.three.release, 1e6 * r.one.make,
        1e6 * r.one.release, r.gain(), 1e6 * r.three.apply, 1e6 * r.one.apply, r.apply_gain(),
        r.three_bytes, r.one_bytes);
    std::fflush(stdout);
    results.push_back(r);
  }
  if (json && !write_json(json, results, repetitions)) {
    std::fprintf(stderr, "cannot write %s\n", json);
    return 1;
  }
  return 0;
}
