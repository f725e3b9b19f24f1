// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Budgets of a plan: memory (max_bytes, and devices without memory), and time to measure.
#include "../../testing/events.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../../testing/user_format.hpp"
#include "../support/error_of.hpp"
#include "../support/no_memory.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

/// A wrong prediction: the fastest of all, with 8 bytes kept.
struct OptimisticFormat : user::DenseFormat {
  static Prediction predict(const Scheme&, const Features&, const Device&, const Sizes&) {
    return {1e-12, 1e-12, 8, 8, false, "it is said to be small"};
  }
};

/// An OptimisticFormat whose inspection runs out of memory.
struct HungryFormat : OptimisticFormat {
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    const Arena<typename Exec::memory_space> arena(in.exec, "heddle::dense::everything",
                                                   more_bytes_than_any);
    return user::DenseFormat::inspect<V, Acc>(in, scheme);
  }
};

using List = Formats<Shared<CsrFormat>, Shared<EllFormat>, Shared<DiaFormat>>;
using Type = OnePlanType<List>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

template <class Extra>
using WithCsr = Formats<Shared<CsrFormat>, Extra>;

std::size_t transpose_bytes_of(const DeviceMatrix<Type>& A) {
  RowFeatures shape;
  shape.columns = A.host.columns();
  shape.nonzeros = A.host.nonzeros();
  return stored_transpose_bytes(shape, {});
}

std::size_t kept_by(const Exec& exec, const DeviceMatrix<Type>& A, const char* scheme) {
  return Plan(exec, A.matrix(), {.scheme = Scheme::parse(scheme)}).bytes();
}

}  // namespace

TEST_CASE("max_bytes: a plan keeps no more, whatever is chosen") {
  const Exec exec;
  for (const char* name : {"tridiagonal", "power law", "dense", "0 x 7"}) {
    const auto A = to_device<Type>(exec, pattern_named(name));
    for (const std::size_t bound : {0, 1, 1000, 30000, 1000000, 1000000000}) {
      Plan plan(exec, A.matrix(), {.max_bytes = bound});
      CHECK(plan.bytes() <= bound);
      CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
      for (const RankedScheme& one : plan.ranking()) {
        const bool too_many = one.prediction.kept_bytes > static_cast<double>(bound);
        if (too_many) CHECK(!one.prediction.possible());
      }
    }
  }
}

TEST_CASE("max_bytes: the ranking says what was left out for it") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const Plan plan(exec, A.matrix(), {.max_bytes = 100});
  int left_out = 0;
  for (const RankedScheme& one : plan.ranking()) {
    left_out += mentions(one.prediction.refusal, "options.max_bytes leaves 100");
  }
  CHECK(left_out >= 2);
  CHECK(plan.scheme().format() == "csr");
}

TEST_CASE("max_bytes: who is pinned and would keep more is refused before it allocates") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  for (const char* scheme : {"ell", "dia"}) {
    const std::size_t kept = kept_by(exec, A, scheme);
    const auto plan_within = [&](std::size_t bound) {
      return Plan(exec, A.matrix(), {.scheme = Scheme::parse(scheme), .max_bytes = bound});
    };
    CHECK(plan_within(kept).bytes() == kept);
    const Refusal close = error_of<Refusal>([&] { plan_within(kept - 1); });
    CHECK(mentions(close, "it keeps " + std::to_string(kept) + " bytes"));
    CHECK(mentions(close, "options.max_bytes leaves " + std::to_string(kept - 1)));
    const Recording recording;
    CHECK(mentions(error_of<Refusal>([&] { plan_within(kept / 3); }), "max_bytes"));
    CHECK(bytes_allocated(recording.seen(), "heddle::spmv::") == 0);
  }
}

TEST_CASE("max_bytes: a stored transpose counts, and the scheme is chosen so that it has room") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  const std::size_t transpose = transpose_bytes_of(A);
  const Plan both(exec, A.matrix(),
                  {.scheme = Scheme::parse("csr/scalar"),
                   .transposed_scheme = Scheme::parse("csr/scalar"),
                   .ops = {Op::transpose}});
  CHECK(both.bytes() == transpose);
  for (const std::size_t more : {0, 100, 100000}) {
    Plan plan(exec, A.matrix(), {.ops = {Op::transpose}, .max_bytes = transpose + more});
    CHECK(plan.bytes() <= transpose + more);
    CHECK(apply_and_compare(exec, plan, A, Op::transpose, 1.0, 0.0) == "");
  }
  // DIA applies the transpose natively, but cannot hold this matrix; no other format here does.
  const Refusal none = error_of<Refusal>(
      [&] { Plan(exec, A.matrix(), {.ops = {Op::transpose}, .max_bytes = transpose - 1}); });
  CHECK(mentions(none, "and a stored transpose of " + std::to_string(transpose)));

  Plan plan(exec, A.matrix(), {.max_bytes = transpose - 1});
  const Recording recording;
  const Refusal late = error_of<Refusal>([&] { plan.prepare(exec, Op::transpose); });
  CHECK(mentions(late, std::to_string(transpose)));
  CHECK(mentions(late, "options.ops"));
  CHECK(bytes_allocated(recording.seen()) == 0);
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
}

TEST_CASE("max_bytes: who keeps more than was predicted is given back, and the next is taken") {
  const Exec exec;
  using Two = WithCsr<OptimisticFormat>;
  const auto A = to_device<Type>(exec, pattern_named("dense"));
  const auto plan_of = [&](const SpmvOptions& options) {
    return SpmvPlan(exec, A.matrix(), options, Two());
  };
  CHECK(plan_of({}).scheme() == Scheme("dense"));
  const Recording recording;
  auto plan = plan_of({.max_bytes = 10000});
  CHECK(plan.scheme().format() == "csr");
  CHECK(plan.ranking().front().scheme.format() == "csr");
  CHECK(plan.ranking().back().scheme == Scheme("dense"));
  CHECK(mentions(plan.ranking().back().prediction.refusal, "it keeps 17160 bytes"));
  CHECK(bytes_held(recording.seen()) < 10000);
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  const SpmvOptions pinned{.scheme = Scheme("dense"), .max_bytes = 10000};
  CHECK(mentions(error_of<Refusal>([&] { plan_of(pinned); }), "it keeps 17160 bytes"));
}

TEST_CASE("no memory: an error that names the bytes and what for, or the next scheme") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("dense"));
  using Two = WithCsr<HungryFormat>;
  const auto pinned = [&] { SpmvPlan(exec, A.matrix(), {.scheme = Scheme("dense")}, Two()); };
  const auto alone = [&] { SpmvPlan(exec, A.matrix(), {}, Formats<HungryFormat>()); };
  for (const OutOfMemory& error : {error_of<OutOfMemory>(pinned), error_of<OutOfMemory>(alone)}) {
    CHECK(mentions(error, std::to_string(more_bytes_than_any + arena_alignment_bytes)));
    CHECK(mentions(error, "heddle::dense::everything"));
    CHECK(mentions(error, "SpmvOptions::max_bytes"));
  }
  SpmvPlan plan(exec, A.matrix(), {}, Two());
  CHECK(plan.scheme().format() == "csr");
  CHECK(mentions(plan.ranking().back().prediction.refusal, "heddle::dense::everything"));
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
}

TEST_CASE("measured: the fastest of those that were timed is kept, and the ranking shows it") {
  const Exec exec;
  for (const char* name : {"tridiagonal", "power law", "dense"}) {
    const auto A = to_device<Type>(exec, pattern_named(name));
    for (const ExpectedVectors& vectors :
         {ExpectedVectors{}, ExpectedVectors{3, true}, ExpectedVectors{9, false}}) {
      const Recording recording;
      Plan plan(exec, A.matrix(),
                {.vectors = vectors, .ops = {Op::transpose}, .measure_seconds = 1e-3});
      const std::uint64_t held = bytes_held(recording.seen());
      const int allocations = count(recording.seen(), Event::allocation);
      CHECK(held <= plan.bytes() + allocations * arena_alignment_bytes);
      CHECK(strangers(recording.seen()) == "");
      for (const Op op : {Op::none, Op::transpose}) {
        const auto& ranking = plan.ranking(op);
        CHECK(apply_and_compare(exec, plan, A, op, 2.0, -1.0) == "");
        CHECK(ranking.front().scheme.format() == plan.scheme(op).format());
        CHECK(mentions(plan.reason(op), "the fastest of "));
        CHECK(ranking[0].measured_seconds > 0);
        CHECK(ranking[1].measured_seconds >= ranking[0].measured_seconds);
        bool still = true;
        for (const RankedScheme& one : ranking) {
          const bool measured = one.measured_seconds > 0;
          CHECK((still || !measured));
          CHECK((!measured || one.prediction.possible()));
          still = still && measured;
        }
      }
    }
  }
}

TEST_CASE("measured: what restricts the choice restricts it here too") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const auto plan_with = [&](SpmvOptions options) {
    options.measure_seconds = 1e-4;
    return Plan(exec, A.matrix(), options);
  };
  for (const Plan& plan : {plan_with({.values_in_place = true}), plan_with({.max_bytes = 100})}) {
    CHECK(plan.scheme().format() == "csr");
    for (const RankedScheme& one : plan.ranking()) {
      if (one.scheme.format() != "csr") CHECK(one.measured_seconds == 0);
    }
  }
  CHECK(plan_with({.scheme = Scheme("ell")}).ranking().empty());
  CHECK(plan_with({.scheme = Scheme("ell")}).reason() == "pinned by the caller");
}

TEST_CASE("measured: who cannot be had is passed over, and an error if it is the only one") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("dense"));
  const SpmvOptions options{.measure_seconds = 1e-4};
  SpmvPlan plan(exec, A.matrix(), options, WithCsr<HungryFormat>());
  CHECK(plan.scheme().format() == "csr");
  CHECK(plan.ranking().front().measured_seconds > 0);
  CHECK(plan.ranking().back().measured_seconds == 0);
  const auto alone = [&](auto format) {
    SpmvPlan(exec, A.matrix(), options, Formats<decltype(format)>());
  };
  CHECK_THROWS_AS(alone(HungryFormat()), OutOfMemory);
  const auto B = to_device<Type>(exec, pattern_named("tridiagonal"));
  const auto too_large = [&] { SpmvPlan(exec, B.matrix(), options, Formats<user::DenseFormat>()); };
  CHECK_THROWS_AS(too_large(), Refusal);
  SpmvPlan only(exec, A.matrix(), options, Formats<user::DenseFormat>());
  CHECK(only.ranking().size() == 1);
  CHECK(only.ranking().front().measured_seconds > 0);
}

}  // namespace heddle::test
