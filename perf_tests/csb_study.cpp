// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// csb_study [--repetitions N] MATRIX...: what CSB's block size, its order, and one triangle in
// place of both bring, beside CSR; for A and its transpose. MATRIX is a file of a matrix with a
// symmetric pattern, or grid3d:N, the 27-point stencil of N x N x N points. docs/csb.md gives
// figures.
#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>

#include "../core/files/read_matrix.hpp"
#include "../core/loops.hpp"
#include "../formats/spmv.hpp"
#include "launch_timing.hpp"

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Storage = heddle::CsrStorage<double, int, int, Exec::memory_space>;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec>;

/// The 27-point stencil of N x N x N points, made where it is used.
struct Stencil {
  int n;

  /// How many of coordinate c's neighbours, itself among them, there are.
  KOKKOS_FUNCTION int neighbours(int c) const { return 1 + (c > 0) + (c + 1 < n); }
  KOKKOS_FUNCTION int length(int row) const {
    return neighbours(row % n) * neighbours(row / n % n) * neighbours(row / n / n);
  }
  template <class Visit>
  KOKKOS_FUNCTION void columns(int row, const Visit& visit) const {
    const int i = row % n, j = row / n % n, k = row / n / n;
    for (int c = k - (k > 0); c <= k + (k + 1 < n); ++c) {
      for (int b = j - (j > 0); b <= j + (j + 1 < n); ++b) {
        for (int a = i - (i > 0); a <= i + (i + 1 < n); ++a) visit((c * n + b) * n + a);
      }
    }
  }
};

struct LengthsOfStencil {
  Stencil stencil;
  KOKKOS_FUNCTION int operator()(std::int64_t row) const {
    return stencil.length(static_cast<int>(row));
  }
};

/// Symmetric values that differ, of any pattern.
KOKKOS_FUNCTION double value_of(int row, int column) {
  return 1.0 / (1 + (row + column) % 13) + (row == column);
}

struct FillStencil {
  Stencil stencil;
  const int* row_ptr;
  int* col_idx;
  double* values;
  KOKKOS_FUNCTION void operator()(int row) const {
    int at = row_ptr[row];
    stencil.columns(row, [&](int column) {
      values[at] = value_of(row, column);
      col_idx[at++] = column;
    });
  }
};

Storage make_stencil(const Exec& exec, int n) {
  const int rows = n * n * n;
  const Stencil stencil{n};
  const Kokkos::View<int*, Exec> row_ptr("heddle::csb_study::row_ptr",
                                         static_cast<std::size_t>(rows) + 1);
  const int nonzeros = heddle::detail::running_sum_and_total<int>(
      exec, "heddle::csb_study::count", row_ptr.data(), rows, LengthsOfStencil{stencil});
  Storage A(exec, rows, rows, nonzeros);
  Kokkos::deep_copy(exec, A.row_ptr(), row_ptr);
  Kokkos::parallel_for("heddle::csb_study::fill", Kokkos::RangePolicy<Exec>(exec, 0, rows),
                       FillStencil{stencil, row_ptr.data(), A.col_idx().data(), A.values().data()});
  exec.fence("heddle::csb_study::made");
  return A;
}

struct SetValues {
  const int* row_ptr;
  const int* col_idx;
  double* values;
  KOKKOS_FUNCTION void operator()(int row) const {
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) values[k] = value_of(row, col_idx[k]);
  }
};

Storage load(const Exec& exec, const std::string& text) {
  if (text.rfind("grid3d:", 0) == 0) return make_stencil(exec, std::stoi(text.substr(7)));
  const auto there = heddle::read_matrix<double, int, int>(text).copy_to<Exec::memory_space>(exec);
  Kokkos::parallel_for(
      "heddle::csb_study::values", Kokkos::RangePolicy<Exec>(exec, 0, there.rows()),
      SetValues{there.row_ptr().data(), there.col_idx().data(), there.values().data()});
  exec.fence("heddle::csb_study::read");
  return there;
}

struct LengthsOfLower {
  const int* row_ptr;
  const int* col_idx;
  KOKKOS_FUNCTION int operator()(std::int64_t row) const {
    int length = 0;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) length += col_idx[k] <= row;
    return length;
  }
};

struct FillLower {
  const int* row_ptr;
  const int* col_idx;
  const double* values;
  const int* lower_ptr;
  int* lower_columns;
  double* lower_values;
  KOKKOS_FUNCTION void operator()(int row) const {
    int at = lower_ptr[row];
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      if (col_idx[k] > row) continue;
      lower_columns[at] = col_idx[k];
      lower_values[at++] = values[k];
    }
  }
};

Storage lower_triangle(const Exec& exec, const Storage& A) {
  const Kokkos::View<int*, Exec> row_ptr("heddle::csb_study::lower_ptr", A.row_ptr().size());
  const int nonzeros = heddle::detail::running_sum_and_total<int>(
      exec, "heddle::csb_study::count_lower", row_ptr.data(), A.rows(),
      LengthsOfLower{A.row_ptr().data(), A.col_idx().data()});
  Storage L(exec, A.rows(), A.columns(), nonzeros);
  Kokkos::deep_copy(exec, L.row_ptr(), row_ptr);
  Kokkos::parallel_for("heddle::csb_study::fill_lower",
                       Kokkos::RangePolicy<Exec>(exec, 0, A.rows()),
                       FillLower{A.row_ptr().data(), A.col_idx().data(), A.values().data(),
                                 row_ptr.data(), L.col_idx().data(), L.values().data()});
  exec.fence("heddle::csb_study::lower");
  return L;
}

struct Difference {
  const double* y;
  const double* expected;
  KOKKOS_FUNCTION void operator()(int i, double& most) const {
    most = Kokkos::max(most, Kokkos::abs(y[i] - expected[i]));
  }
};

class Study {
 public:
  Study(const Exec& exec, const Storage& A, int repetitions)
      : exec_(exec),
        repetitions_(repetitions),
        x_("heddle::csb_study::x", static_cast<std::size_t>(A.columns())),
        y_("heddle::csb_study::y", x_.size()),
        expected_("heddle::csb_study::expected", x_.size()) {
    Kokkos::deep_copy(exec, x_, 1.0);
    heddle::spmv(exec, 1.0, A.matrix(), x_, 0.0, expected_);
  }

  /// One line, of the scheme that is chosen if none is given: microseconds, what is kept beside the
  /// user's arrays, what is moved, and the greatest error of an entry of y, all of which are about
  /// as large as a row is long.
  void line(const char* what, const Storage& A, const std::string& scheme, heddle::Op op,
            heddle::Symmetry symmetry = heddle::Symmetry::none) const {
    heddle::SpmvOptions options;
    if (!scheme.empty()) options.scheme = heddle::Scheme::parse(scheme);
    options.ops = {op};
    options.symmetry = symmetry;
    try {
      using Some = heddle::Formats<heddle::CsrFormat, heddle::CsbFormat>;
      heddle::SpmvPlan plan(exec_, A.matrix(), options, Some());
      Kokkos::deep_copy(exec_, y_, 0.0);
      plan.apply(exec_, op, 1.0, x_, 0.0, y_);
      double error = 0;
      Kokkos::parallel_reduce("heddle::csb_study::difference",
                              Kokkos::RangePolicy<Exec>(exec_, 0, A.rows()),
                              Difference{y_.data(), expected_.data()}, Kokkos::Max<double>(error));
      const auto [time] = heddle::study::microseconds(
          exec_, repetitions_, [&] { plan.apply(exec_, op, 1.0, x_, 0.0, y_); });
      const double moved = plan.moved_bytes(op);
      std::printf("  %-22s %-34s %10.1f %9.1f %9.1f %7.0f  %.1e\n", what,
                  plan.scheme(op).to_string().c_str(), time,
                  1e-6 * static_cast<double>(plan.bytes()), 1e-6 * moved, 1e-3 * moved / time,
                  error);
    } catch (const heddle::Error& error) {
      std::printf("  %-22s %-34s %s\n", what, scheme.c_str(), error.what());
    }
    std::fflush(stdout);
  }

 private:
  Exec exec_;
  int repetitions_;
  Vector x_, y_, expected_;
};

void study(const Exec& exec, const std::string& text, int repetitions) {
  const Storage A = load(exec, text), L = lower_triangle(exec, A);
  std::printf("%s: %d rows, %d nonzeros, %d of them in the lower triangle\n", text.c_str(),
              A.rows(), A.nonzeros(), L.nonzeros());
  std::printf("  %-22s %-34s %10s %9s %9s %7s  %s\n", "", "scheme", "us", "MB kept", "MB moved",
              "GB/s", "error");
  const Study study(exec, A, repetitions);
  using enum heddle::Op;
  study.line("A", A, "", none);
  study.line("A'", A, "", transpose);
  study.line("A", A, "csb", none);
  study.line("A'", A, "csb", transpose);
  for (const char* scheme :
       {"csb/beta=1024", "csb/beta=2048", "csb/beta=16384", "csb/order=morton"}) {
    study.line("A", A, scheme, none);
  }
  for (const char* scheme :
       {"csb/sweep=two", "csb/sweep=one", "csb/sweep=mixed", "csb/sweep=atomics"}) {
    study.line("A, triangle stored", L, scheme, none, heddle::Symmetry::symmetric);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int first = 1, repetitions = 11;
  if (argc > 2 && std::string_view(argv[1]) == "--repetitions") {
    repetitions = std::atoi(argv[2]);
    first = 3;
  }
  if (first >= argc || repetitions < 1) {
    std::fprintf(stderr, "usage: %s [--repetitions N, default 11] FILE|grid3d:N...\n", argv[0]);
    return 2;
  }
  Kokkos::ScopeGuard kokkos;
  const Exec exec;
  std::printf("Products on %s, in microseconds, medians of %d.\n",
              heddle::backends::describe(exec).name.c_str(), repetitions);
  try {
    for (int i = first; i < argc; ++i) study(exec, argv[i], repetitions);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
