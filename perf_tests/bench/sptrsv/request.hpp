// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "../../../formats/model/read.hpp"
#include "../../../solvers/sptrsv/options.hpp"
#include "../common/choice_options.hpp"
#include "../common/json.hpp"

namespace heddle::bench {

/// Options of `heddle-bench sptrsv`.
struct SptrsvRequest : ChoiceOptions {
  std::string triangle_name = "lower";
  std::string diagonal_name = "stored";
  std::string op_name = "none";
  /// Seconds that the search for one matrix may take.
  double search_seconds = 20;
  /// The model that was read from model_path, or null.
  std::shared_ptr<const TriangleModel> model = nullptr;
  /// File for the traces of the schemes; empty for none.
  std::string trace_path;
  /// Traces of all matrices so far.
  std::shared_ptr<Json> traced = nullptr;

  bool traces() const { return !trace_path.empty(); }
  bool searches() const { return contains(schemes, "search"); }
  Triangle triangle() const { return triangle_name == "lower" ? Triangle::lower : Triangle::upper; }
  Diagonal diagonal() const { return diagonal_name == "unit" ? Diagonal::unit : Diagonal::stored; }
  Op op() const {
    if (op_name == "none") return Op::none;
    return op_name == "transpose" ? Op::transpose : Op::conjugate_transpose;
  }
};

}  // namespace heddle::bench
