// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on matrices, bit by bit against plain ones on the host: products and triple products,
// sums, transposes, sorted rows, permutations, submatrices, triplets, blocks and comparisons, each
// with two sets of values. The values show the order of a sum.
#include "../matrices/support.hpp"
#include "../support/copy_in.hpp"
#include "draw_events.hpp"
#include "draw_pattern.hpp"

namespace heddle::test {

namespace {

/// A pattern of a given shape: rows of any lengths, some out of order, some with repeats.
Pattern draw_shaped(Random& random, std::int64_t rows, std::int64_t columns) {
  const std::int64_t mean = 1 + random.below(once_in(random, 4) ? 60 : 6);
  const std::int64_t huge = once_in(random, 3) ? random.below(rows + 1) : -1;
  const bool shuffles = once_in(random, 2), repeats = once_in(random, 3);
  Pattern pattern{"rows of about " + std::to_string(mean) + (huge >= 0 ? " and a long one" : "") +
                      (shuffles ? ", shuffled" : "") + (repeats ? ", repeated" : ""),
                  columns,
                  {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t length = i == huge ? columns : random.below(2 * mean);
    auto row = random_row(random, columns, std::min(columns, length));
    if (repeats && !row.empty() && once_in(random, 4)) {
      row.insert(row.end(), 1 + static_cast<std::size_t>(random.below(3)), row.front());
    }
    if (shuffles && once_in(random, 2)) std::ranges::reverse(row);
    pattern.rows.push_back(row);
  }
  return pattern;
}

std::int64_t count_products(const Pattern& A, const Pattern& B) {
  std::vector<std::int64_t> lengths;
  for (const auto row : B.rows) lengths.push_back(std::ssize(row));
  std::int64_t products = 0;
  for (const auto row : A.rows) {
    for (const auto k : row) products += lengths[static_cast<std::size_t>(k)];
  }
  return products;
}

template <class T>
class CsrTrial {
 public:
  static Outcome run(Random& random) { return CsrTrial(random).follow(); }

 private:
  using Exec = typename T::Exec;
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Device = DeviceMatrix<T>;
  using Host = HostMatrix<S>;

  explicit CsrTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {}

  Outcome follow() {
    outcome_.what = "threads " + std::to_string(exec_.concurrency());
    try {
      switch (random_.below(4)) {
        case 0:
        case 1: products(); break;
        case 2: triple_products(); break;
        default: derived(); break;
      }
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  std::int64_t size() {
    const std::int64_t sizes[] = {1, 8, 60, 400, 3000};
    return random_.below(cut(one_of(random_, sizes)) + 1);
  }
  Device draw(const Pattern& pattern) { return rough<T>(exec_, pattern, random_.bits()); }
  static Host host(const Device& A, Op op = Op::none) {
    const Host written = written_down(A.host.matrix());
    return op == Op::none   ? written
           : transposes(op) ? transposed(written, op)
                            : transposed(transposed(written, op), Op::transpose);
  }
  template <class Matrix>
  void compare(const std::string& what, const Matrix& got, const Host& expected) {
    ++outcome_.applies;
    exec_.fence("heddle::test::made");
    if (written_down(got) == expected || !outcome_.problem.empty()) return;
    outcome_.problem = what + " differs from the host's";
  }

  /// Two patterns for a product op(A) op(B), with few enough products.
  std::pair<Pattern, Pattern> factors(Op a, Op b) {
    while (true) {
      const std::int64_t m = size(), k = size(), n = size();
      const Pattern A = draw_shaped(random_, m, k), B = draw_shaped(random_, k, n);
      if (count_products(A, B) > cut(400'000)) continue;
      const auto turned = [](const Pattern& P) {
        Pattern At{P.name, std::ssize(P.rows), {}};
        std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(P.columns));
        std::int64_t i = 0;
        for (const auto row : P.rows) {
          for (const auto j : row) rows[static_cast<std::size_t>(j)].push_back(i);
          ++i;
        }
        for (const auto& row : rows) At.rows.push_back(row);
        return At;
      };
      outcome_.what += ", " + std::to_string(m) + " x " + std::to_string(k) + " x " +
                       std::to_string(n) + ", A of " + A.name + ", B of " + B.name;
      return {transposes(a) ? turned(A) : A, transposes(b) ? turned(B) : B};
    }
  }

  void products() {
    const Op ops[] = {Op::none, Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose};
    MultiplyOptions options{.op_a = one_of(random_, ops), .op_b = one_of(random_, ops)};
    options.keep_products = once_in(random_, 2);
    if (once_in(random_, 3))
      options.workspace_bytes = static_cast<std::size_t>(random_.below(9999));
    outcome_.what += std::string(": ") + name(options.op_a) + " times " + name(options.op_b) +
                     (*options.keep_products ? ", listed" : "");
    const auto [left, right] = factors(options.op_a, options.op_b);
    Device A = draw(left), B = draw(right);
    const Host shape = product(S(1), host(A, options.op_a), host(B, options.op_b));
    std::optional<Device> D;
    if (once_in(random_, 3)) {
      D = draw(draw_shaped(random_, std::ssize(shape.rows), shape.columns));
      outcome_.what += ", D of " + D->name;
    }
    using Plan = MultiplyPlan<Exec, typename Device::Matrix>;
    std::optional<Plan> plan;
    if (D) {
      plan.emplace(exec_, A.matrix(), B.matrix(), D->matrix(), options);
    } else {
      plan.emplace(exec_, A.matrix(), B.matrix(), options);
    }
    const auto update = [&](Plan&) {
      A = draw(left);
      B = draw(right);
    };
    draw_events(random_, exec_, plan, outcome_, update, [&](Plan& used) {
      const S factors[] = {S(1), S(0), S(-2)};
      const S alpha = one_of(random_, factors), beta = one_of(random_, factors);
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
    while (true) {
      const std::int64_t n = size();
      const Pattern of_A = draw_shaped(random_, n, n), of_P = draw_shaped(random_, n, size());
      if (count_products(of_A, of_P) > cut(50'000)) continue;
      Device A = draw(of_A), P = draw(of_P);
      const Host p = host(P), r = transposed(p, Op::conjugate_transpose);
      const Host AP = product(S(1), host(A), p);
      std::int64_t more = 0;
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        more += std::ssize(p.rows[i]) * std::ssize(AP.rows[i]);
      }
      if (more > cut(400'000)) continue;
      outcome_.what += ": triple product of " + std::to_string(n) + " rows, A of " + A.name +
                       ", P of " + std::to_string(P.host.columns()) + " columns, " + P.name;
      using Plan = GalerkinPlan<Exec, typename Device::Matrix>;
      const auto R = transpose(exec_, P.matrix(), Op::conjugate_transpose);
      std::optional<Plan> plan;
      const MultiplyOptions options{.keep_products = once_in(random_, 2)};
      if (with_R) {
        plan.emplace(exec_, R.matrix(), A.matrix(), P.matrix(), options);
      } else {
        plan.emplace(exec_, A.matrix(), P.matrix(), options);
      }
      draw_events(
          random_, exec_, plan, outcome_, [&](Plan&) { A = draw(of_A); },
          [&](Plan& used) {
            with_R ? used.numeric(exec_, R.matrix(), A.matrix(), P.matrix())
                   : used.numeric(exec_, A.matrix(), P.matrix());
            compare("the triple product", used.matrix(),
                    product(S(1), r, product(S(1), host(A), p)));
          });
      return;
    }
  }

  /// Runs an operation by derive(A) and expected(host), and again with other values.
  template <class Derived, class Expected>
  void check(const std::string& what, const Pattern& pattern, const Derived& derive,
             const Expected& expected) {
    outcome_.what += ": " + what + " of " + pattern.name;
    Device A = draw(pattern);
    using Made = decltype(derive(A.matrix()));
    std::optional<Made> made(derive(A.matrix()));
    draw_events(
        random_, exec_, made, outcome_,
        [&](Made& old) {
          A = draw(pattern);
          old.update_values(exec_, A.matrix());
        },
        [&](Made& used) { compare(what, used.matrix(), expected(host(A))); });
  }

  std::vector<O> shuffled(std::int64_t n, std::int64_t take) {
    std::vector<O> list;
    for (std::int64_t i = 0; i < n; ++i) list.push_back(static_cast<O>(i));
    for (std::size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
    }
    list.resize(static_cast<std::size_t>(take));
    return list;
  }

  void derived() {
    // Some patterns have single rows that are too long for one thread.
    const Pattern pattern = once_in(random_, 4)
                                ? draw_shaped(random_, 1 + random_.below(9), cut(100'000))
                                : draw_pattern(random_);
    const auto rows = std::ssize(pattern.rows), columns = pattern.columns;
    switch (random_.below(7)) {
      case 0: {
        const Op ops[] = {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose};
        const Op op = one_of(random_, ops);
        return check(
            std::string("op ") + name(op), pattern,
            [&](const auto& A) { return transpose(exec_, A, op); },
            [&](const Host& A) {
              if (transposes(op)) return transposed(A, op);
              return sorted(transposed(transposed(A, op), Op::transpose));
            });
      }
      case 1:
        return check(
            "sorted rows", pattern, [&](const auto& A) { return sort_rows(exec_, A); },
            [](const Host& A) { return sorted(A); });
      case 2:
        return check(
            "added up", pattern, [&](const auto& A) { return add_up_repeats(exec_, A); },
            [](const Host& A) { return added_up(A); });
      case 3: {
        const bool all = once_in(random_, 2);
        const auto of_rows = shuffled(rows, all ? rows : random_.below(rows + 1)),
                   of_columns = shuffled(columns, all ? columns : random_.below(columns + 1));
        const auto r = copy_in<typename T::Space>(of_rows),
                   c = copy_in<typename T::Space>(of_columns);
        return check(
            all ? "permuted" : "a submatrix", pattern,
            [&](const auto& A) {
              return all ? permute(exec_, A, r, c) : submatrix(exec_, A, r, c);
            },
            [&](const Host& A) {
              std::vector<std::int64_t> to(static_cast<std::size_t>(columns), -1);
              for (std::size_t j = 0; j < of_columns.size(); ++j) {
                to[static_cast<std::size_t>(of_columns[j])] = static_cast<std::int64_t>(j);
              }
              Host part{std::ssize(of_columns), {}};
              for (const O i : of_rows) {
                HostRow<S> row;
                for (const auto& [j, value] : A.rows[static_cast<std::size_t>(i)]) {
                  const std::int64_t at = to[static_cast<std::size_t>(j)];
                  if (at >= 0) row.emplace_back(at, value);
                }
                part.rows.push_back(std::move(row));
              }
              return sorted(part);
            });
      }
      case 4: return sums(pattern);
      case 5: return comparisons(pattern);
      default: return triplets(pattern);
    }
  }

  void sums(const Pattern& pattern) {
    const Pattern other = draw_shaped(random_, std::ssize(pattern.rows), pattern.columns);
    if (other.nonzeros() > 200'000) return;
    outcome_.what += ": sum of " + pattern.name + " and " + other.name;
    const Device A = draw(pattern), B = draw(other), A2 = draw(pattern);
    const S factors[] = {S(1), S(0), S(-2)};
    const S alpha = one_of(random_, factors), beta = one_of(random_, factors);
    auto sum = add(exec_, alpha, A.matrix(), beta, B.matrix());
    compare("the sum", sum.matrix(), summed(alpha, host(A), beta, host(B)));
    sum.update_values(exec_, beta, A2.matrix(), alpha, B.matrix());
    compare("the second sum", sum.matrix(), summed(beta, host(A2), alpha, host(B)));
  }

  /// A matrix with repeats and an infinite entry equals itself in another order, unless one entry
  /// differs; and a symmetric part is symmetric bit by bit.
  void comparisons(const Pattern& pattern) {
    outcome_.what += ": comparison of " + pattern.name;
    const Device A = draw(pattern);
    const auto values = Kokkos::create_mirror_view(A.device.values());
    Kokkos::deep_copy(values, A.device.values());
    const auto expect = [&](const char* what, bool holds) {
      ++outcome_.applies;
      if (!holds && outcome_.problem.empty()) outcome_.problem = what;
    };
    if (A.host.rows() == A.host.columns()) {
      const auto symmetry = once_in(random_, 2) ? Symmetry::symmetric : Symmetry::hermitian;
      const auto part = symmetric_part(exec_, A.matrix(), symmetry);
      expect("a symmetric part is not", is_symmetric(exec_, part.matrix(), 0, symmetry));
    }
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
    outcome_.what += ": triplets of " + pattern.name;
    const Device A = draw(pattern);
    std::vector<O> row_of, column_of;
    std::vector<S> values;
    const Host a = host(A);
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      for (const auto& [j, value] : a.rows[i]) {
        row_of.push_back(static_cast<O>(i));
        column_of.push_back(static_cast<O>(j));
        values.push_back(value);
      }
    }
    for (std::size_t k = values.size(); k > 1; --k) {
      const auto other = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(k)));
      std::swap(row_of[k - 1], row_of[other]);
      std::swap(column_of[k - 1], column_of[other]);
      std::swap(values[k - 1], values[other]);
    }
    const auto expected = [&] {
      Host listed{a.columns, {}};
      listed.rows.resize(a.rows.size());
      for (std::size_t k = 0; k < values.size(); ++k) {
        listed.rows[static_cast<std::size_t>(row_of[k])].emplace_back(column_of[k], values[k]);
      }
      return added_up(listed);
    };
    const bool apart = once_in(random_, 2);
    if (apart) outcome_.what += ", with strides";
    const auto there = [&](const auto& list) { return with_stride(list, apart ? 3 : 1); };
    auto made = assemble<typename T::Offset>(exec_, a.rows.size(), a.columns, there(row_of),
                                             there(column_of), there(values));
    compare("what was assembled", made.matrix(), expected());
    std::ranges::reverse(values);
    made.update_values(exec_, there(values));
    compare("what was assembled again", made.matrix(), expected());
    const auto found = with_stride(std::vector<O>(static_cast<std::size_t>(made.nonzeros())), 2);
    row_of_entries(exec_, made.matrix(), found);
    const auto again = assemble<typename T::Offset>(
        exec_, a.rows.size(), a.columns, found, made.matrix().col_idx(), made.matrix().values());
    compare("what was assembled of its triplets", again.matrix(), expected());
  }
  /// A column of a row-major table.
  template <class V>
  auto with_stride(const std::vector<V>& list, std::size_t columns) const {
    const Kokkos::View<V**, Kokkos::LayoutRight, typename T::Space> table("heddle::test::table",
                                                                          list.size(), columns);
    const auto host = Kokkos::create_mirror_view(table);
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < columns; ++j) host(i, j) = j == 0 ? list[i] : V(-1);
    }
    Kokkos::deep_copy(table, host);
    return Kokkos::subview(table, Kokkos::ALL, 0);
  }

  Random& random_;
  Exec exec_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_csr() {
  using Usual = Indices<std::int32_t, std::int32_t>;
  std::vector<Trial> trials{{"csr double", &CsrTrial<Types<DefaultDevice, double, Usual>>::run}};
#ifndef HEDDLE_EMULATED
  using Wide = Indices<std::int32_t, std::int64_t>;
  trials.push_back({"csr complex<float>, 64-bit offsets",
                    &CsrTrial<Types<DefaultDevice, Kokkos::complex<float>, Wide>>::run});
#endif
  return trials;
}

}  // namespace heddle::test
