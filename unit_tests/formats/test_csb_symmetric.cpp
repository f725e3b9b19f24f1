// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/csb/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/csb.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("csb: one triangle stands for both", T, csb_triangles) {
  using S = typename T::Scalar;
  using D = DeviceMatrix<T>;
  const typename T::Exec exec;
  std::vector<Pattern> patterns{pattern_named("0 x 0"), pattern_named("1 x 1"),
                                blocks_of_every_weight()};
  std::vector<Symmetry> kinds{Symmetry::symmetric};
  std::vector<Op> ops{Op::none, Op::transpose};
  if (!emulated) {  // which is slow, and of real values
    patterns.push_back(pattern_named("tridiagonal"));
    patterns.push_back(pattern_named("power law"));
    kinds.push_back(Symmetry::hermitian);
    ops = {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose};
  }
  const std::pair<Scheme, int> plans[] = {{csb_scheme(256), 1},
                                          {csb_scheme(256, "two"), 4},
                                          {csb_scheme(256, "atomics"), 4},
                                          {csb_scheme(65536), 1}};
  for (const Pattern& pattern : patterns) {
    for (const Symmetry symmetry : kinds) {
      for (const bool lower : {true, false}) {
        const auto half =
            make_matrix<S, typename D::O, typename D::Off>(triangle_of(pattern, lower));
        const auto full = to_device<T>(exec, pattern.name, both_triangles<D>(half, symmetry));
        const auto stored = to_device<T>(exec, pattern.name, half);
        std::vector<CheckedProduct<T>> products;
        for (const Op op : ops) {
          products.emplace_back(full, op, S(2), S(-1));
          if (!emulated) products.emplace_back(full, op, S(1), S(0));
        }
        int turn = lower;
        for (const auto& [scheme, vectors] : plans) {
          if (emulated && turn++ % 2 == 0) continue;
          const SpmvOptions options{.scheme = scheme, .vectors = {vectors}, .symmetry = symmetry};
          typename T::template Plan<> plan(exec, stored.matrix(), options, typename T::Formats());
          const std::string text = plan.scheme().to_string();
          const bool atomics = text.find("sweep=atomics") != std::string::npos;
          CHECK(text.find("sweep=") != std::string::npos);
          for (const CheckedProduct<T>& product : products) {
            CHECK_MESSAGE(product.problem(exec, plan) == "", pattern.name, ", ", text, ", ",
                          name(symmetry), lower ? ", lower" : ", upper");
            if (atomics) continue;
            CHECK(same_bits(product.result(exec, plan), product.result(exec, plan)));
          }
          CHECK_MESSAGE(problem_of_vectors(exec, plan, full) == "", pattern.name, ", ", text);
          plan.update_values(exec, stored.matrix());
          CHECK_MESSAGE(products.front().problem(exec, plan) == "", pattern.name, ", ", text,
                        ", updated");
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(csb_triangles, PlanTypes<SharedFormats>);

TEST_CASE("csb: the stored diagonal of a Hermitian matrix is real, also after an update") {
  using S = Kokkos::complex<double>;
  using Exec = DefaultDevice;
  using Space = typename Exec::memory_space;
  const Exec exec;
  const auto half = make_matrix<S, int, int>(triangle_of(blocks_of_every_weight(), true));
  const auto A = half.template copy_to<Space>(exec);
  const heddle::detail::csb::Storage<Exec, S, int, int> storage(exec, A.matrix(), 256, true);
  for (const bool updated : {false, true}) {
    if (updated) storage.update_values(exec, A.matrix());
    exec.fence("heddle::test::stored");
    const auto view = storage.view();
    const auto count = static_cast<std::size_t>(storage.nonzeros());
    const auto on_host = [&](const auto* data, std::size_t size) {
      using T = std::remove_cvref_t<decltype(*data)>;
      return Kokkos::create_mirror_view_and_copy(
          Kokkos::HostSpace(), Kokkos::View<const T*, Space, Kokkos::MemoryUnmanaged>(data, size));
    };
    const auto blocks = static_cast<std::size_t>(storage.blocks());
    const auto begin = on_host(view.list_ptr, blocks + 1);
    const auto rows = on_host(view.block_row, blocks), columns = on_host(view.block_column, blocks);
    const auto row = on_host(view.local_row, count), column = on_host(view.local_column, count);
    const auto values = on_host(view.values, count);
    int diagonal = 0, wrong = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      for (auto k = static_cast<std::size_t>(begin(b)); k < static_cast<std::size_t>(begin(b + 1));
           ++k) {
        const bool on_diagonal = rows(b) == columns(b) && row(k) == column(k);
        diagonal += on_diagonal;
        wrong += on_diagonal != (values(k).imag() == 0);
      }
    }
    CHECK(diagonal > 0);
    CHECK(wrong == 0);
  }
}

}  // namespace heddle::test
