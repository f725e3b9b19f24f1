// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes that the compiler reports in one sentence; MISTAKE selects one.
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Plan = heddle::SpmvPlan<Exec, Matrix>;
using View = Kokkos::View<double*, Exec>;
template <class T>
using Indices = Kokkos::View<T*, Exec>;

struct Foreign {
  int rows;
};

#if MISTAKE == 1
void mistake(const Exec& exec, const Foreign& A) { heddle::SpmvPlan plan(exec, A); }
#elif MISTAKE == 2
void mistake(const Exec& exec, const Foreign& A) { heddle::SptrsvPlan plan(exec, A); }
#elif MISTAKE == 3
void mistake(const std::vector<int>& rows, const std::vector<double>& values) {
  heddle::CsrMatrix A(3, 3, rows, rows, values);
}
#elif MISTAKE == 4
void mistake(const Indices<int>& rows, const Indices<unsigned>& columns, const View& values) {
  heddle::CsrMatrix A(3, 3, rows, columns, values);
}
#elif MISTAKE == 5
void mistake(const Plan& plan, const std::vector<double>& x, std::vector<double>& y) {
  plan.apply(1.0, x, 0.0, y);
}
#elif MISTAKE == 6
void mistake(const Exec& exec, const Plan& plan, const View& x, const View& y) {
  plan.apply(exec, "T", 1.0, x, 0.0, y);
}
#elif MISTAKE == 7
void mistake(const Exec& exec, const Plan& plan, const Kokkos::View<float*, Exec>& x,
             const View& y) {
  plan.apply(exec, x, y);
}
#endif
