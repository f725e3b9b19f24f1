// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on matrices, bit by bit against plain ones on the host: products and triple products,
// sums, transposes, sorted rows, permutations, submatrices, triplets, blocks and comparisons, each
// with two sets of values. The values show the order of a sum.
#include "../matrices/support.hpp"
#include "../support/copy_in.hpp"
#include "draw_pattern.hpp"

namespace heddle::test {

namespace {

/// A pattern of a given shape: rows of any lengths, some out of order, some with repeats.
Pattern draw_shaped(Random& random, std::int64_t rows, std::int64_t columns) {
  const std::int64_t mean = 1 + random.below(once_in(random, 4) ? 60 : 6);
  const std::int64_t huge = once_in(random, 3) ? random.below(rows + 1) : -1;
  const bool shuffles = once_in(random, 2), repeats = once_in(random, 3);
  Pattern pattern{
      text(rows, " x ", columns, " of about ", mean, " a row", huge >= 0 ? " and a long one" : "",
           shuffles ? ", shuffled" : "", repeats ? ", repeated" : ""),
      columns,
      {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t length = i == huge ? columns : random.below(2 * mean);
    auto row = random_row(random, columns, std::min(columns, length));
    if (repeats && !row.empty() && once_in(random, 4)) {
      row.insert(row.end(), up_to<std::size_t>(random, 3), row.front());
    }
    if (shuffles && once_in(random, 2)) std::ranges::reverse(row);
    pattern.rows.push_back(row);
  }
  return pattern;
}

std::int64_t count_products(const Pattern& A, const Pattern& B) {
  std::int64_t products = 0;
  for (const auto row : A.rows) {
    for (const auto k : row) products += std::ssize(B.rows[static_cast<std::size_t>(k)]);
  }
  return products;
}

Pattern transposed(const Pattern& pattern) {
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(pattern.columns));
  std::int64_t i = 0;
  for (const auto row : pattern.rows) {
    for (const auto j : row) rows[static_cast<std::size_t>(j)].push_back(i);
    ++i;
  }
  Pattern result{pattern.name, i, {}};
  for (const auto& row : rows) result.rows.push_back(row);
  return result;
}

template <class T>
class CsrTrial {
 public:
  static void run(Random& random, Report& report) {
    CsrTrial trial(random, report);
    switch (random.below(4)) {
      case 0:
      case 1: return trial.products();
      case 2: return trial.triple_products();
      default: return trial.derived();
    }
  }

 private:
  using Exec = typename T::Exec;
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Device = DeviceMatrix<T>;
  using Host = HostMatrix<S>;

  CsrTrial(Random& random, Report& report)
      : random_(random), report_(report), exec_(draw_instance<Exec>(random, report)) {}

  std::int64_t size() {
    return random_.below(cut(one_of<std::int64_t>(random_, {1, 8, 60, 400, 3000})) + 1);
  }
  S factor() { return one_of(random_, {S(1), S(0), S(-2)}); }
  Device draw(const Pattern& pattern) { return rough<T>(exec_, pattern, random_.bits()); }
  static Host host(const Device& A, Op op = Op::none) {
    return with_op(written_down(A.host.matrix()), op);
  }
  template <class Matrix>
  void compare(const std::string& what, const Matrix& got, const Host& expected) {
    exec_.fence("heddle::test::made");
    report_.take(written_down(got) == expected ? "" : what + " differs from the host's");
  }

  /// Two patterns of A and B for a product op(A) op(B) of at most that many products.
  std::pair<Pattern, Pattern> draw_factors(bool square, std::int64_t most, Op a, Op b) {
    while (true) {
      const std::int64_t m = size(), k = square ? m : size(), n = size();
      const Pattern A = draw_shaped(random_, m, k),
                    B = draw_shaped(random_, k, square ? std::min<std::int64_t>(n, 300) : n);
      if (count_products(A, B) > cut(most)) continue;
      report_.says(", A of ", A.name, ", B of ", B.name);
      return {transposes(a) ? transposed(A) : A, transposes(b) ? transposed(B) : B};
    }
  }

  void products() {
    const Op ops[] = {Op::none, Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose};
    MultiplyOptions options{.op_a = one_of(random_, ops), .op_b = one_of(random_, ops)};
    options.keep_products = once_in(random_, 2);
    if (once_in(random_, 3)) {
      options.workspace_bytes = static_cast<std::size_t>(random_.below(9999));
    }
    report_.says("; ", name(options.op_a), " times ", name(options.op_b),
                 *options.keep_products ? ", listed" : "");
    const auto [left, right] = draw_factors(false, 400'000, options.op_a, options.op_b);
    Device A = draw(left), B = draw(right);
    std::optional<Device> D;
    if (once_in(random_, 3)) {
      D = draw(draw_shaped(random_, static_cast<std::int64_t>(A.rows_of_y(options.op_a)),
                           static_cast<std::int64_t>(B.rows_of_x(options.op_b))));
      report_.says(", D of ", D->name);
    }
    using Plan = MultiplyPlan<Exec, typename Device::Matrix>;
    draw_events(
        random_, exec_, report_,
        [&] {
          return D ? Plan(exec_, A.matrix(), B.matrix(), D->matrix(), options)
                   : Plan(exec_, A.matrix(), B.matrix(), options);
        },
        [&](Plan&) {
          A = draw(left);
          B = draw(right);
        },
        [&](Plan& used) {
          const S alpha = factor(), beta = factor();
          const Host a = host(A, options.op_a), b = host(B, options.op_b);
          if (D) {
            used.numeric(exec_, alpha, A.matrix(), B.matrix(), beta, D->matrix());
            const Host d = host(*D);
            compare("the product and D", used.matrix(), product(alpha, a, b, beta, &d));
          } else {
            used.numeric(exec_, alpha, A.matrix(), B.matrix());
            compare("the product", used.matrix(), product(alpha, a, b));
          }
        });
  }

  void triple_products() {
    const bool with_R = once_in(random_, 2);
    report_.says("; a triple product", with_R ? " with R" : "");
    const auto [of_A, of_P] = draw_factors(true, 20'000, Op::none, Op::none);
    Device A = draw(of_A), P = draw(of_P);
    using Plan = GalerkinPlan<Exec, typename Device::Matrix>;
    const auto R = transpose(exec_, P.matrix(), Op::conjugate_transpose);
    const MultiplyOptions options{.keep_products = once_in(random_, 2)};
    draw_events(
        random_, exec_, report_,
        [&] {
          return with_R ? Plan(exec_, R.matrix(), A.matrix(), P.matrix(), options)
                        : Plan(exec_, A.matrix(), P.matrix(), options);
        },
        [&](Plan&) { A = draw(of_A); },
        [&](Plan& used) {
          with_R ? used.numeric(exec_, R.matrix(), A.matrix(), P.matrix())
                 : used.numeric(exec_, A.matrix(), P.matrix());
          compare("the triple product", used.matrix(), galerkin_product(host(A), host(P)));
        });
  }

  /// Runs an operation by derive(A) and expected(host), and again with other values.
  template <class Derive, class Expected>
  void check(const std::string& what, const Pattern& pattern, const Derive& derive,
             const Expected& expected) {
    report_.says("; ", what);
    Device A = draw(pattern);
    draw_events(
        random_, exec_, report_, [&] { return derive(A.matrix()); },
        [&](auto& old) {
          A = draw(pattern);
          old.update_values(exec_, A.matrix());
        },
        [&](auto& used) { compare(what, used.matrix(), expected(host(A))); });
  }

  void derived() {
    // Some patterns have single rows that are too long for one thread.
    const Pattern pattern = once_in(random_, 4)
                                ? draw_shaped(random_, 1 + random_.below(9), cut(100'000))
                                : draw_pattern(random_);
    report_.says(", ", pattern.name);
    switch (random_.below(7)) {
      case 0: {
        const Op op =
            one_of(random_, {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose});
        return check(
            text("op ", name(op)), pattern, [&](const auto& A) { return transpose(exec_, A, op); },
            [&](const Host& A) { return sorted(with_op(A, op)); });
      }
      case 1:
        return check(
            "sorted rows", pattern, [&](const auto& A) { return sort_rows(exec_, A); },
            [](const Host& A) { return sorted(A); });
      case 2:
        return check(
            "added up", pattern, [&](const auto& A) { return add_up_repeats(exec_, A); },
            [](const Host& A) { return added_up(A); });
      case 3: return parts(pattern);
      case 4: return sums(pattern);
      case 5: return comparisons(pattern);
      default: return triplets(pattern);
    }
  }

  void parts(const Pattern& pattern) {
    auto rows = shuffled<O>(std::ssize(pattern.rows), random_),
         columns = shuffled<O>(pattern.columns, random_);
    const bool all = once_in(random_, 2);
    for (auto* list : {&rows, &columns}) {
      if (!all) list->resize(static_cast<std::size_t>(random_.below(std::ssize(*list) + 1)));
    }
    const auto r = copy_in<typename T::Space>(rows), c = copy_in<typename T::Space>(columns);
    check(
        all ? "permuted" : "a submatrix", pattern,
        [&](const auto& A) { return all ? permute(exec_, A, r, c) : submatrix(exec_, A, r, c); },
        [&](const Host& A) { return picked(A, rows, columns); });
  }

  void sums(const Pattern& pattern) {
    const Pattern other = draw_shaped(random_, std::ssize(pattern.rows), pattern.columns);
    if (other.nonzeros() > 200'000) return;
    report_.says("; sum with ", other.name);
    const Device A = draw(pattern), B = draw(other), A2 = draw(pattern);
    const S alpha = factor(), beta = factor();
    auto sum = add(exec_, alpha, A.matrix(), beta, B.matrix());
    compare("the sum", sum.matrix(), summed(alpha, host(A), beta, host(B)));
    sum.update_values(exec_, beta, A2.matrix(), alpha, B.matrix());
    compare("the second sum", sum.matrix(), summed(beta, host(A2), alpha, host(B)));
  }

  /// A matrix with repeats and an infinite entry equals itself in another order, unless one entry
  /// differs; and a symmetric part is symmetric bit by bit.
  void comparisons(const Pattern& pattern) {
    report_.says("; comparisons");
    const Device A = draw(pattern);
    const auto expect = [&](const char* what, bool holds) { report_.take(holds ? "" : what); };
    if (A.host.rows() == A.host.columns()) {
      const auto symmetry = once_in(random_, 2) ? Symmetry::symmetric : Symmetry::hermitian;
      const auto part = symmetric_part(exec_, A.matrix(), symmetry);
      expect("a symmetric part is not", is_symmetric(exec_, part.matrix(), 0, symmetry));
    }
    const auto values = copy_to<Kokkos::HostSpace>(A.device.values());
    if (values.extent(0) == 0) return;
    const auto k = static_cast<std::size_t>(random_.below(std::int64_t{A.host.nonzeros()}));
    const S drawn = values(k);
    if (once_in(random_, 2)) values(k) = S(std::numeric_limits<RealOf<S>>::infinity());
    Kokkos::deep_copy(A.device.values(), values);
    const auto other = sort_rows(exec_, A.matrix());
    expect("a matrix is not equal to itself", equal(exec_, A.matrix(), other.matrix()));
    values(k) = S(3) * drawn + S(1);
    Kokkos::deep_copy(A.device.values(), values);
    expect("a matrix equals another", !equal(exec_, A.matrix(), other.matrix()));
  }

  /// Assembles entries in a random order, that of their sums, from Views with and without a stride.
  void triplets(const Pattern& pattern) {
    const Device A = draw(pattern);
    const std::size_t stride = once_in(random_, 2) ? 3 : 1;
    report_.says("; triplets with strides of ", stride);
    Triplets<S, O> list{std::ssize(pattern.rows), pattern.columns, {}, {}, {}};
    const auto row_of =
        Kokkos::View<O*, typename T::Space>("heddle::test::rows", A.host.nonzeros());
    row_of_entries(exec_, A.matrix(), row_of);
    exec_.fence("heddle::test::listed");
    const auto rows = to_host(row_of);
    for (const auto e : shuffled<std::size_t>(A.host.nonzeros(), random_)) {
      list.rows.push_back(rows(e));
      list.columns.push_back(A.host.col_idx()(e));
      list.values.push_back(A.host.values()(e));
    }
    report_.take(wrong_assembly<T>(exec_, list, stride));
  }

  Random& random_;
  Report& report_;
  Exec exec_;
};

using Real = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
const AddTrial added("csr double", &CsrTrial<Real>::run);
#ifndef HEDDLE_EMULATED
using Complex = Types<DefaultDevice, Kokkos::complex<float>, Indices<std::int32_t, std::int64_t>>;
const AddTrial complex("csr complex<float>, 64-bit offsets", &CsrTrial<Complex>::run);
#endif

}  // namespace

}  // namespace heddle::test
