// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises that plans, solvers and preconditioners share. rows.hpp lists all of these, and
// their exceptions.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "../../testing/events.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/check_replay.hpp"
#include "../support/shared_formats.hpp"
#include "../support/triangles.hpp"
#include "rows.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 6 : 12;
constexpr std::size_t n = side * side;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr int bad_row = 3 * (side * side / 6) + 2;  ///< the last of a block of three
using Bits = std::vector<unsigned char>;

/// The matrix of a row of the table: of a grid; far from symmetric, with two full rows, if the plan
/// takes that. `other`: other values of the same pattern.
SquareOperator matrix_of(const Row& row, int width = side, bool other = false) {
  if (row.is.grid) {
    return grid_operator<Exec, double>(width, [&](int i, int j) {
      const auto unit = [&](int k) { return other ? 1 + 0.1 * (k % 7) : k % 3 == 0 ? 3.0 : 1.0; };
      return (i == j ? 4.1 : -1.0) * unit(i) * unit(j);
    });
  }
  const int rows = width * width;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      const int far = std::abs(i - j);
      const bool star = far == 0 || far == width || (far == 1 && i / width == j / width);
      const bool full = i == 0 || i == rows - 1;
      if (!star && !full) continue;
      col_idx.push_back(j);
      const double beside = (j > i ? -0.4 : -1.6) * (full ? 0.1 : 1) - 0.01 * (i % (other ? 5 : 7));
      values.push_back(i == j ? 4.5 + i % 2 + other : beside);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}
SquareOperator second_matrix(const Row& row) { return matrix_of(row, side, true); }
/// The matrix with all entries of two rows set to a value.
SquareOperator with_bad_rows(const SquareOperator& a, double value) {
  SquareOperator other = times(1, a);
  const auto begin = to_host(a.row_ptr);
  for (const std::size_t row : {n - 2, static_cast<std::size_t>(bad_row)}) {
    Kokkos::deep_copy(Kokkos::subview(other.values, std::pair(begin(row), begin(row + 1))), value);
  }
  return other;
}
/// The lower of these rows, or the first of its block.
std::int64_t reported_row(const Row& of) { return bad_row / of.is.block * of.is.block; }

Vector some_vector() { return copy_to<Space>(random_vector<double>(n, 1)); }

/// The bits of x, which is poisoned before.
Bits applied(AnyPlan& plan, const Vector& b) {
  const Exec exec;
  const Vector x("heddle::test::x", b.extent(0));
  fill_with_poison(x);
  plan.apply(exec, b, x);
  exec.fence("heddle::test::applied");
  return bits_of(x);
}

/// A plan of the table, its matrix, a vector b, and the bits that it gives.
struct Case {
  const Row& row;
  SquareOperator a = matrix_of(row);
  Vector b = some_vector();
  std::unique_ptr<AnyPlan> plan = row(Exec(), a.matrix());
  Bits expected = applied(*plan, b);

  void check_same_bits() const { CHECK((applied(*plan, b) == expected)); }
};

template <class Check>
void for_each_plan(const Check& check) {
  for (const Row& row : every_plan()) {
    CAPTURE(row.of);
    CAPTURE(row.how);
    check(Case{row});
  }
}

}  // namespace

TEST_CASE("a plan of no rows does nothing") {
  const Exec exec;
  const auto none = plain_operator<Exec, double>({0}, {}, {});
  const Vector nothing("heddle::test::nothing", 0), x("heddle::test::x", 0);
  for (const Row& row : every_plan()) {
    CAPTURE(row.of);
    CAPTURE(row.how);
    if (!row.is.no_rows) continue;
    const auto plan = row(exec, none.matrix());
    plan->apply(exec, nothing, x);
    plan->update_values(exec, none.matrix());
    plan->check_values(exec);
  }
}

TEST_CASE("a plan moves, and one without content names what was called") {
  const Exec exec;
  const Vector x("heddle::test::x", n);
  for_each_plan([&](const Case& of) {
    const auto check_refusals = [&](AnyPlan& plan, const char* state) {
      for (const Call& call : plan.calls(exec, of.a.matrix(), of.b, x)) {
        CAPTURE(call.name);
        const std::string says =
            of.row.of + "::" + call.name + " was called on an object that " + state;
        CHECK_THROWS_WITH_AS(call.run(), doctest::Contains(says.c_str()), Error);
      }
    };
    const std::size_t bytes = of.plan->bytes();
    const auto moved = of.plan->moved();
    CHECK((applied(*moved, of.b) == of.expected));
    CHECK(moved->bytes() == bytes);
    check_refusals(*of.plan, "was moved from");
    of.plan->take(*moved);
    of.check_same_bits();
    check_refusals(*moved, "was moved from");
    moved->take(*of.row(exec, times(2, of.a).matrix()));  // a new plan in place of the old
    of.check_same_bits();
    if (!of.row.make_empty) return;
    const auto empty = of.row.make_empty();
    check_refusals(*empty, "is empty");
    check_refusals(*empty->moved(), "is empty");
    empty->take(*of.plan);
    CHECK((applied(*empty, of.b) == of.expected));
  });
}

TEST_CASE("sizes that do not fit are errors") {
  const Exec exec;
  const Vector longer("heddle::test::longer", n + 1);
  const ByColumns two("heddle::test::two", n, 2), three("heddle::test::three", n, 3),
      none("heddle::test::none", n, 0), nothing("heddle::test::nothing", n, 0);
  for_each_plan([&](const Case& of) {
    const auto smaller = matrix_of(of.row, side - 1);
    if (of.row.of != "SgdPlan") {
      CHECK_THROWS_AS(of.plan->update_values(exec, smaller.matrix()), Error);
    }
    if (of.row.is.own_vectors) {
      CHECK_THROWS_AS(of.plan->apply(exec, longer, of.b), Error);
      CHECK_THROWS_AS(of.plan->apply(exec, of.b, longer), Error);
    }
    if (of.row.is.several) {
      CHECK_THROWS_AS(of.plan->apply(exec, two, three), Error);
      CHECK_NOTHROW(of.plan->apply(exec, none, nothing));
    }
    of.check_same_bits();
  });
}

TEST_CASE("vectors that overlap are refused, unless x may be b") {
  const Exec exec;
  const Vector both("heddle::test::both", 2 * n);
  const ByColumns four("heddle::test::four", n, 4);
  const auto part = [&](std::size_t first) {
    return Vector(Kokkos::subview(both, std::pair(first, first + n)));
  };
  const auto columns = [&](int from) {
    return ByColumns(Kokkos::subview(four, Kokkos::ALL, std::pair(from, from + 2)));
  };
  for_each_plan([&](const Case& of) {
    if (!of.row.is.own_vectors) return;
    Kokkos::deep_copy(part(0), of.b);
    if (of.row.is.in_place) {
      of.plan->apply(exec, part(0), part(0));
      exec.fence("heddle::test::applied");
      CHECK((bits_of(part(0)) == of.expected));
    } else {
      CHECK_THROWS_AS(of.plan->apply(exec, part(0), part(0)), Error);
    }
    CHECK_THROWS_AS(of.plan->apply(exec, part(0), part(1)), Error);
    CHECK_THROWS_AS(of.plan->apply(exec, part(n - 1), part(0)), Error);
    Kokkos::deep_copy(part(n), of.b);
    of.plan->apply(exec, part(n), part(0));
    exec.fence("heddle::test::applied");
    CHECK((bits_of(part(0)) == of.expected));
    if (!of.row.is.several) return;
    CHECK_THROWS_AS(of.plan->apply(exec, columns(0), columns(1)), Error);
    CHECK_NOTHROW(of.plan->apply(exec, columns(0), columns(2)));
    exec.fence("heddle::test::applied");
  });
}

TEST_CASE("another pattern writes nowhere outside, and is an error where patterns are compared") {
  const Exec exec;
  for_each_plan([&](const Case& of) {
    if (!of.row.can_check_pattern) return;
    const auto row_ptr = to_host(of.a.row_ptr), col_idx = to_host(of.a.col_idx);
    Pattern own{"own", side * side, {}};
    for (std::size_t i = 0; i < n; ++i) {
      const int* columns = col_idx.data();
      own.rows.push_back(std::vector<int>(columns + row_ptr(i), columns + row_ptr(i + 1)));
    }
    const Pattern crowd = crowded(own, true);
    const auto last_rows = to_device<OneTriangleType>(exec, crowd),
               first_rows = to_device<OneTriangleType>(exec, reversed(crowd)),
               two_columns = to_device<OneTriangleType>(exec, own);
    // One on each side of the diagonal, in rows of which the plan has other columns.
    for (const std::size_t i : {std::size_t{2}, n - 3}) {
      const int at = i == 2 ? row_ptr(i + 1) - 1 : row_ptr(i);
      const int column = i == 2 ? side * side - 2 : 1;
      Kokkos::deep_copy(Kokkos::subview(two_columns.device.col_idx(), at), column);
    }
    for (const auto* other : {&last_rows, &first_rows, &two_columns}) {
      // A SpmvPlan without the check promises nothing.
      if (of.row.of != "SpmvPlan") of.plan->update_values(exec, other->matrix());
      of.plan->update_values(exec, of.a.matrix());
      of.check_same_bits();
      const auto checks = of.row(exec, of.a.matrix(), {.pattern = true});
      CHECK_THROWS_WITH_AS(checks->update_values(exec, other->matrix()),
                           doctest::Contains(of.row.of.c_str()), Error);
      CHECK_NOTHROW(checks->update_values(exec, of.a.matrix()));
      CHECK((applied(*checks, of.b) == of.expected));
    }
  });
}

TEST_CASE("new values are those of a new plan, and the first ones give the first bits again") {
  const Exec exec;
  for_each_plan([&](const Case& of) {
    if (of.row.of == "SgdPlan") return;
    const auto second = second_matrix(of.row), four = times(4, of.a);
    const auto bits_of_new = [&](const SquareOperator& a) {
      return applied(*of.row(exec, a.matrix()), of.b);
    };
    of.plan->has_new_version();
    const auto updated = [&](const SquareOperator& a) {
      of.plan->update_values(exec, a.matrix());
      of.plan->check_values(exec);
      CHECK(of.plan->has_new_version());
      return applied(*of.plan, of.b);
    };
    const Bits of_second = updated(second);
    CHECK((of_second != of.expected));
    if (of.row.is.new_plan_alike) CHECK((of_second == bits_of_new(second)));
    CHECK((updated(four) == bits_of_new(four)));  // a power of two changes no rounding
    CHECK((updated(of.a) == of.expected));
  });
}

TEST_CASE("a diagonal that goes bad is reported by its row, until new values are good") {
  const Exec exec;
  for_each_plan([&](const Case& of) {
    if (!of.row.is.diagonal) return;
    const std::string says = "row " + std::to_string(reported_row(of.row)) + ":";
    for (const double value : {0.0, nan_value}) {
      CAPTURE(value);
      const auto bad = with_bad_rows(of.a, value);
      of.plan->update_values(exec, bad.matrix());
      CHECK_THROWS_WITH_AS(of.plan->check_values(exec), doctest::Contains(says.c_str()), Error);
      if (of.plan->bad_row() >= 0) CHECK(of.plan->bad_row() == reported_row(of.row) + 1);
      of.plan->update_values(exec, of.a.matrix());
      of.plan->check_values(exec);
      of.check_same_bits();
    }
  });
}

TEST_CASE("all is labelled, bytes are held, and an apply or update_values is launches alone") {
  const Exec exec;
  const Vector x("heddle::test::x", n);
  const ByColumns several_b("heddle::test::b", n, 3), several_x("heddle::test::x", n, 3);
  for_each_plan([&](const Case& of) {
    std::vector<Event> seen;
    {
      const Recording recording;
      of.plan->take(*of.row(exec, of.a.matrix()));
      exec.fence("heddle::test::made");
      seen = Recording::seen();
    }
    CHECK(strangers(seen) == "");
    MESSAGE(of.row.of << " " << of.row.how << ": " << of.plan->bytes() << " of "
                      << bytes_allocated(seen));
    CHECK(of.plan->bytes() <= bytes_allocated(seen));
    Kokkos::deep_copy(x, 0.0);
    for (const WayToApply& way : of.plan->ways(n)) {
      CAPTURE(way.name);
      way.run(exec, of.b, x);  // a first launch may allocate a thread's scratch
      exec.fence("heddle::test::applied");
      if (of.row.is.quiet) only_launches(exec, [&] { way.run(exec, of.b, x); });
    }
    only_launches(exec, [&] { of.plan->update_values(exec, of.a.matrix()); });
    if (!of.row.is.several) return;
    of.plan->apply(exec, several_b, several_x);
    only_launches(exec, [&] { of.plan->apply(exec, several_b, several_x); });
  });
}

TEST_CASE("a second run and a second plan give the same bits") {
  const Exec exec;
  const Vector x("heddle::test::x", n);
  for_each_plan([&](const Case& of) {
    const auto again = of.row(exec, of.a.matrix());
    const auto ways = of.plan->ways(n), ways_again = again->ways(n);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      CAPTURE(ways[w].name);
      const auto bits = [&](const WayToApply& way) {
        Kokkos::deep_copy(x, -1.0);
        way.run(exec, of.b, x);
        exec.fence("heddle::test::applied");
        return bits_of(x);
      };
      const Bits once = bits(ways[w]);
      CHECK((bits(ways[w]) == once));
      CHECK((bits(ways_again[w]) == once));
    }
  });
}

TEST_CASE("a plan runs on any instance of its device") {
  const auto instances = two_instances(Exec());
  for_each_plan([&](const Case& of) {
    // On a CPU instances have fewer threads than a triangular solve was made for.
    if (of.row.of != "SpmvPlan" && !backends::has_lanes<Exec>) return;
    const auto plan = of.row(instances[0], of.a.matrix());
    const Vector expected("heddle::test::expected", n), x("heddle::test::x", n);
    of.plan->apply(Exec(), of.b, expected);
    Exec().fence("heddle::test::applied");
    for (const Exec& instance : instances) {
      plan->apply(instance, of.b, x);
      instance.fence("heddle::test::applied");
      CHECK(difference(x, to_host(expected)) < 1e-12);
    }
  });
}

TEST_CASE("an apply that is recorded in a graph gives the bits of launches") {
  if constexpr (can_capture<Exec>) {
    const Exec exec;
    const Vector b("heddle::test::b", n), x("heddle::test::x", n);
    const ByColumns several_b("heddle::test::b", n, 3), several_x("heddle::test::x", n, 3);
    for_each_plan([&](const Case& of) {
      if (!of.row.is.quiet) return;
      for (const WayToApply& way : of.plan->ways(n)) {
        CAPTURE(way.name);
        check_replay(exec, b, x, 1, [&] { way.run(exec, b, x); });
      }
      if (!of.row.is.several) return;
      check_replay(exec, several_b, several_x, 2,
                   [&] { of.plan->apply(exec, several_b, several_x); });
    });
  }
}

TEST_CASE("without an instance a plan runs on the default one") {
  const Exec exec;
  const Vector x("heddle::test::x", n);
  for_each_plan([&](const Case& of) {
    if (!of.row.make_on_default) return;
    const auto plan = of.row.make_on_default(of.a.matrix());
    const auto second = second_matrix(of.row);
    for (const bool updated : {false, true}) {
      if (updated) plan->update_values(exec, second.matrix());
      if (updated) plan->update_values(of.a.matrix());
      Kokkos::deep_copy(x, -1.0);
      plan->apply(of.b, x);
      exec.fence("heddle::test::applied");
      CHECK((bits_of(x) == of.expected));
    }
  });
}

TEST_CASE("several vectors, in either layout, are as each alone") {
  const Exec exec;
  const Vector b("heddle::test::b", n), x("heddle::test::x", n), column("heddle::test::column", n);
  for_each_plan([&](const Case& of) {
    if (!of.row.is.several) return;
    const auto check = [&]<class Columns>(const Columns& all_b) {
      const Columns all_x("heddle::test::x", n, all_b.extent(1));
      fill_with_poison(all_x);
      of.plan->apply(exec, all_b, all_x);
      for (std::size_t v = 0; v < all_b.extent(1); ++v) {
        Kokkos::deep_copy(b, Kokkos::subview(all_b, Kokkos::ALL, v));
        of.plan->apply(exec, b, x);
        exec.fence("heddle::test::applied");
        Kokkos::deep_copy(column, Kokkos::subview(all_x, Kokkos::ALL, v));
        CHECK(difference(column, to_host(x)) < of.row.is.rounding);
      }
    };
    for (const std::size_t count : {1, 3, 5}) {  // there is room for three
      CAPTURE(count);
      check(ByColumns(copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, count, 1))));
      check(ByRows(copy_to<Space>(random_columns<double, Kokkos::LayoutRight>(n, count, 2))));
    }
  });
}

TEST_CASE("a matrix of any scale is like one of scale 1") {
  const Exec exec;
  for_each_plan([&](const Case& of) {
    if (!of.row.is.scales) return;
    const Vector x("heddle::test::x", n), scaled("heddle::test::scaled", n);
    of.plan->apply(exec, of.b, x);
    for (const double scale : {1e-12, 1e12}) {
      CAPTURE(scale);
      const auto a = times(scale, of.a);
      of.row(exec, a.matrix())->apply(exec, of.b, scaled);
      heddle::vectors::axpby(exec, 0.0, of.b, std::pow(scale, -of.row.is.degree), scaled);
      exec.fence("heddle::test::applied");
      CHECK(difference(scaled, to_host(x)) < 1e-5);
    }
  });
}

TEST_CASE("a plan that keeps its values gives the same bits whatever happens to A") {
  const Exec exec;
  for_each_plan([&](const Case& of) {
    if (!of.row.is.keeps_values) return;
    Kokkos::deep_copy(of.a.values, nan_value);
    of.check_same_bits();
    const auto second = second_matrix(of.row);
    of.plan->update_values(exec, second.matrix());
    const Bits updated = applied(*of.plan, of.b);
    Kokkos::deep_copy(second.values, nan_value);
    CHECK((applied(*of.plan, of.b) == updated));
  });
}

TEST_CASE("a plan that cannot be made is an Error, and holds nothing") {
  const Exec exec;
  for_each_plan([&](const Case& of) {
    const auto check = [&](const Matrix& bad, const std::string& says) {
      const Recording recording;
      CHECK_THROWS_WITH_AS(of.row(exec, bad), doctest::Contains(says.c_str()), Error);
      CHECK(bytes_held(Recording::seen()) == 0);
    };
    if (of.row.is.checks_columns) {
      auto outside = matrix_of(of.row);
      Kokkos::deep_copy(Kokkos::subview(outside.col_idx, 7), side * side);
      check(outside.matrix(), "");
    }
    if (of.row.is.square) {
      check(Matrix(side * side - 1, side * side, of.a.matrix().nonzeros(), of.a.row_ptr.data(),
                   of.a.col_idx.data(), of.a.values.data()),
            "");
    }
    const std::string says = "row " + std::to_string(reported_row(of.row)) + ":";
    const auto bad = with_bad_rows(of.a, 0);
    if (of.row.is.diagonal) check(bad.matrix(), says);
    of.check_same_bits();
  });
}

namespace {

/// Calls a function once, at the beginning of the next kernel.
class AtNextKernel {
 public:
  explicit AtNextKernel(std::function<void()> call)
      : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    call_() = std::move(call);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(begun);
  }
  ~AtNextKernel() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  AtNextKernel(const AtNextKernel&) = delete;

 private:
  static std::function<void()>& call_() {
    static std::function<void()> call;
    return call;
  }
  static void begun(const char*, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    if (call_()) std::exchange(call_(), nullptr)();
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace

TEST_CASE("an apply inside of another of the same plan is an error where one asks") {
  if constexpr (std::same_as<Exec, Kokkos::DefaultHostExecutionSpace>) {
    const Exec exec;
    const Vector x("heddle::test::x", n), y("heddle::test::y", n),
        longer("heddle::test::longer", n + 1);
    for_each_plan([&](const Case& of) {
      if (!of.row.can_check_overlap) return;
      std::unique_ptr<AnyPlan> plan;
      {
        const Recording recording;
        plan = of.row(exec, of.a.matrix(), {.overlap = true});
        CHECK(strangers(Recording::seen()) == "");
      }
      for (int repeat = 0; repeat < 2; ++repeat) {  // the first has ended
        bool found = false;
        const AtNextKernel during([&] {
          CHECK_THROWS_WITH_AS(plan->apply(exec, of.b, y),
                               doctest::Contains("twice at the same time"), Error);
          found = true;
        });
        CHECK_NOTHROW(plan->apply(exec, of.b, x));
        CHECK(found);
        CHECK((bits_of(x) == of.expected));
      }
      // An apply that is refused before it begins does not count.
      CHECK_THROWS_AS(plan->apply(exec, longer, x), Error);
      const auto checked = only_launches(exec, [&] { plan->apply(exec, of.b, x); });
      const auto plain = only_launches(exec, [&] { of.plan->apply(exec, of.b, x); });
      CHECK(checked.size() == plain.size());  // on a CPU the check launches nothing
    });
  }
}

}  // namespace heddle::test
