// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov loops over Kokkos Kernels: spmv and BLAS; its Gauss-Seidel sweeps by colors, by clusters
// and in two stages; spiluk and par_ilut with two sptrsv by level sets.
#include <KokkosBlas.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_SortCrs.hpp>
#include <KokkosSparse_gauss_seidel.hpp>
#include <KokkosSparse_par_ilut.hpp>
#include <KokkosSparse_spmv.hpp>

#include "../bench/solve/problem.hpp"
#include "kokkos_kernels_factors.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SolveProblem<S, Off>;
using Vector = Kokkos::View<S*, Space>;
using Handle = kokkos_kernels::Handle<S, Off>;

enum class With { none, jacobi, colors, clusters, two_stages, spiluk, par_ilut };

/// A preconditioner, which is applied to a residual.
struct Applied {
  virtual ~Applied() = default;
  virtual void apply(const Vector& r, const Vector& z) = 0;
  virtual void update_values() = 0;
};

struct Diagonal : Applied {
  explicit Diagonal(const Problem& problem)
      : A(problem.host), inverse("heddle::bench::inverse", problem.x.extent(0)) {
    update_values();
  }
  void apply(const Vector& r, const Vector& z) override {
    KokkosBlas::mult(S(0), z, S(1), inverse, r);
  }
  void update_values() override {
    const auto on_host = Kokkos::create_mirror_view(inverse);
    for (std::size_t i = 0; i < on_host.extent(0); ++i) {
      auto k = static_cast<std::size_t>(A.row_ptr()(i));
      while (static_cast<std::size_t>(A.col_idx()(k)) != i) ++k;
      on_host(i) = S(1) / A.values()(k);
    }
    Kokkos::deep_copy(inverse, on_host);
  }
  HostStorage<S, Off> A;
  Vector inverse;
};

struct Sweep : Applied {
  Sweep(const Problem& problem, With with)
      : A(problem.A), symmetric(is_symmetric(problem.request.method())) {
    constexpr Index rows_per_cluster = 8;
    switch (with) {
      case With::clusters:
        handle.create_gs_handle(KokkosSparse::ClusteringAlgorithm::CLUSTER_DEFAULT,
                                rows_per_cluster);
        break;
      case With::two_stages: handle.create_gs_handle(KokkosSparse::GS_TWOSTAGE); break;
      default: handle.create_gs_handle(KokkosSparse::GS_DEFAULT);
    }
    KokkosSparse::gauss_seidel_symbolic(&handle, A.rows(), A.rows(), A.row_ptr(), A.col_idx(),
                                        symmetric);
    update_values();
  }
  ~Sweep() override { handle.destroy_gs_handle(); }
  void apply(const Vector& r, const Vector& z) override {
    KokkosSparse::symmetric_gauss_seidel_apply(&handle, A.rows(), A.rows(), A.row_ptr(),
                                               A.col_idx(), A.values(), z, r, true, true, S(1), 1);
  }
  void update_values() override {
    KokkosSparse::gauss_seidel_numeric(&handle, A.rows(), A.rows(), A.row_ptr(), A.col_idx(),
                                       A.values(), symmetric);
  }
  CsrMatrix<S, Index, Off, Space> A;
  Handle handle;
  bool symmetric;
};

struct ByLevels : Applied {
  explicit ByLevels(const Problem& problem) : factors(problem.A, 0, 1) {}
  void apply(const Vector& r, const Vector& z) override { factors.solve(r, z); }
  void update_values() override { factors.factor(); }
  kokkos_kernels::Spiluk<S, Off> factors;
};

struct ByThreshold : Applied {
  explicit ByThreshold(const Problem& problem)
      : A(problem.A),
        middle("heddle::bench::middle", A.rows()),
        lower(static_cast<std::size_t>(A.rows())),
        upper(static_cast<std::size_t>(A.rows())) {
    auto row_ptr = A.row_ptr();  // the library needs it non-const
    auto col_idx = A.col_idx();
    handle.create_par_ilut_handle();
    KokkosSparse::Experimental::par_ilut_symbolic(&handle, row_ptr, col_idx, lower.row_ptr,
                                                  upper.row_ptr);
    lower.make_room(handle.get_par_ilut_handle()->get_nnzL());
    upper.make_room(handle.get_par_ilut_handle()->get_nnzU());
    update_values();
  }
  ~ByThreshold() override { handle.destroy_par_ilut_handle(); }
  void apply(const Vector& r, const Vector& z) override {
    lower.solve(r, middle);
    upper.solve(middle, z);
  }
  void update_values() override {
    auto row_ptr = A.row_ptr();
    auto col_idx = A.col_idx();
    auto values = A.values();
    KokkosSparse::Experimental::par_ilut_numeric(&handle, row_ptr, col_idx, values, lower.row_ptr,
                                                 lower.col_idx, lower.values, upper.row_ptr,
                                                 upper.col_idx, upper.values);
    for (auto* const part : {&lower, &upper}) {
      KokkosSparse::sort_crs_matrix<Exec>(part->row_ptr, part->col_idx, part->values);
    }
    // The pattern of the factors has changed.
    lower.inspect(A.rows(), true);
    upper.inspect(A.rows(), false);
  }

  CsrMatrix<S, Index, Off, Space> A;
  Vector middle;
  Handle handle;
  kokkos_kernels::Triangle<S, Off> lower, upper;
};

class KkKernels {
 public:
  using Vector = heddle::bench::Vector;

  KkKernels(const Exec&, const Problem& problem, With with)
      : rows_(problem.x.extent(0)),
        matrix_("heddle::bench::kokkos_kernels", problem.A.rows(), problem.A.columns(),
                problem.A.nonzeros(), problem.A.values(), problem.A.row_ptr(),
                problem.A.col_idx()) {
    if (with == With::jacobi) applied_ = std::make_unique<Diagonal>(problem);
    if (with == With::colors || with == With::clusters || with == With::two_stages) {
      applied_ = std::make_unique<Sweep>(problem, with);
    }
    if (with == With::spiluk) applied_ = std::make_unique<ByLevels>(problem);
    if (with == With::par_ilut) applied_ = std::make_unique<ByThreshold>(problem);
  }

  Vector vector(const char* label) const { return Vector(std::string(label), rows_); }
  void product(const Vector& x, const Vector& y) {
    KokkosSparse::spmv(Exec(), &handle_, "N", S(1), matrix_, x, S(0), y);
  }
  S dot(const Vector& x, const Vector& y) const { return KokkosBlas::dot(x, y); }
  void axpby(S a, const Vector& x, S b, const Vector& y) const { KokkosBlas::axpby(a, x, b, y); }
  void precondition(const Vector& r, const Vector& z) {
    if (applied_) return applied_->apply(r, z);
    Kokkos::deep_copy(Exec(), z, r);
  }
  bool updates() const { return applied_ != nullptr; }
  void update_values() { applied_->update_values(); }
  std::size_t bytes() const { return 0; }

 private:
  using Matrix = KokkosSparse::CrsMatrix<const S, const Index, Kokkos::Device<Exec, Space>,
                                         Kokkos::MemoryTraits<Kokkos::Unmanaged>, const Off>;

  std::size_t rows_;
  Matrix matrix_;
  KokkosSparse::SPMVHandle<Exec, Matrix, Vector, Vector> handle_;
  std::unique_ptr<Applied> applied_;
};

[[maybe_unused]] const bool entered = [] {
  const auto add = [](const char* name, const char* description, With with) {
    add_contestant<LoopSolve<S, Off, KkKernels>, Problem>(name, description, with);
  };
  add("kk-none", "a loop over Kokkos Kernels", With::none);
  add("kk-jacobi", "a loop over Kokkos Kernels, the diagonal", With::jacobi);
  add("kk-ssor-colors", "a loop over Kokkos Kernels, gauss_seidel", With::colors);
  add("kk-ssor-clusters", "the same by clusters of 8 rows", With::clusters);
  add("kk-ssor-two-stages", "the same in two stages", With::two_stages);
  add("kk-ilu0", "a loop over Kokkos Kernels, spiluk and sptrsv", With::spiluk);
  add("kk-ilut", "a loop over Kokkos Kernels, par_ilut and sptrsv", With::par_ilut);
  return true;
}();

}  // namespace

}  // namespace heddle::bench
