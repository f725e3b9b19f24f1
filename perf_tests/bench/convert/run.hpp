// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../backends/device.hpp"
#include "../../../formats/all_formats.hpp"
#include "../../../testing/reference.hpp"
#include "../common/allocations.hpp"
#include "../common/asked_schemes.hpp"
#include "../common/contest.hpp"
#include "../common/load.hpp"
#include "heddle_contestants.hpp"
#include "operations.hpp"
#include "request.hpp"

namespace heddle::bench {

/// Converts one source into every form with one pair of types: load, convert, verify, time.
template <Scalar S, Offset Off>
class ConvertRun {
 public:
  ConvertRun(const ConvertRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress), contest_(exec_, progress_, result_) {
    host_ = load_into(result_, source, progress_,
                      [&] { return load<S, Off>(source, request_.matrices.seed).matrix; });
    const auto rows = static_cast<std::size_t>(host_.rows());
    const auto columns = static_cast<std::size_t>(host_.columns());
    result_.apply_bytes = result_.csr_bytes;

    device_ = host_.template copy_to<Space>(exec_);
    problem_.A = device_.matrix();
    other_ = rows == columns ? transpose(exec_, problem_.A) : sort_rows(exec_, problem_.A);
    Kokkos::deep_copy(exec_, other_.storage().values(), S(0));
    problem_.B = other_.matrix();
    problem_.block = request_.block;
    x_ = test::random_columns<S>(columns, 1, request_.matrices.seed + 2);
    y_ = decltype(y_)("heddle::bench::y", rows, 1);
    problem_.x = problem_.vector("heddle::bench::x", columns);
    problem_.y = problem_.vector("heddle::bench::y", rows);
    problem_.copy_in(exec_, problem_.x, x_);
  }

  MatrixResult run() {
    enter_schemes();
    contest_.enter_baselines(problem_, request_);
    if (request_.verify()) verify_all();
    contest_.time_all(request_);
    time_allocations();
    return std::move(result_);
  }

 private:
  using Contestant = ConvertContestant<S>;

  void enter_schemes() {
    result_.rows = row_features(exec_, problem_.A);
    const Features features = features_of(exec_, problem_.A, result_.rows);
    const Device device = backends::describe(exec_);
    const auto grammars = AllFormats::grammars(device);
    using Meant = std::optional<std::vector<Scheme>>;
    const auto expand = [&](const std::string& word) -> Meant {
      if (word == "transpose" || word == "operations" || is_operation(word)) {
        return Meant(std::in_place);
      }
      if (word != "all") return std::nullopt;
      std::vector<Scheme> all = AllFormats::candidates(features, device);
      const std::string block = std::to_string(request_.block);
      all.push_back(parse_scheme("bcsr/" + block + "x" + block, grammars));
      return all;
    };
    for (const Scheme& scheme : asked_schemes(request_.schemes, grammars, expand)) {
      SpmvOptions options;
      options.scheme = scheme;
      options.check = request_.check;
      contest_.enter(scheme.to_string(), true, [&, options] {
        return std::make_unique<PlanConversion<S, Off>>(exec_, problem_, options);
      });
    }
    if (request_.all_schemes() || ContestOptions::contains(request_.schemes, "transpose")) {
      contest_.enter("transpose", true, [&] {
        return std::make_unique<TransposeConversion<S, Off>>(exec_, problem_);
      });
    }
    enter_operations();
  }

  static bool is_operation(const std::string& word) {
    return std::find(operation_names.begin(), operation_names.end(), word) != operation_names.end();
  }
  bool wants_operation(const std::string& name) const {
    return request_.all_schemes() || ContestOptions::contains(request_.schemes, "operations") ||
           ContestOptions::contains(request_.schemes, name);
  }
  void enter_operations() {
    if (std::none_of(operation_names.begin(), operation_names.end(),
                     [&](const char* name) { return wants_operation(name); })) {
      return;
    }
    each_operation(problem_, host_,
                   [&]<class Make, class Multiply>(const std::string& name, const Make& make,
                                                   const Multiply& multiply) {
                     if (!wants_operation(name)) return;
                     contest_.enter(name, true, [&] {
                       return std::make_unique<OperationConversion<S, Make, Multiply>>(exec_, make,
                                                                                       multiply);
                     });
                   });
  }

  /// Verifies each conversion by a product with its result.
  void verify_all() {
    progress_.task(result_.name + ": reference");
    const test::Reference reference = test::reference_product(Op::none, host_.matrix(), x_);
    contest_.verify([&](Contestant& contestant, const ContestantResult&) {
      test::fill_with_poison(problem_.y);
      contestant.product(exec_);
      problem_.copy_out(exec_, y_, problem_.y);
      return test::error_over_bound(reference, y_);
    });
  }

  /// Times the allocations of each conversion, allocated and released alone.
  void time_allocations() {
    contest_.for_each([&](Contestant& contestant, ContestantResult& entry) {
      if (!contestant.allocates_through_kokkos()) return;
      progress_.task(result_.name + ": allocations of " + entry.name);
      entry.allocations = measure_allocations(exec_, true, [&] {
        contestant.run(exec_);
        return true;
      });
    });
  }

  ConvertRequest request_;
  Progress& progress_;
  Exec exec_;
  HostStorage<S, Off> host_;
  CsrStorage<S, Index, Off, Space> device_;
  DerivedCsr<Exec, S, Index, Off> other_;
  test::HostColumns<S> x_, y_;
  ConvertProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
