// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "../../../formats/model/read.hpp"
#include "../../../solvers/sptrsv/options.hpp"
#include "../common/choice_options.hpp"
#include "../common/json.hpp"

namespace heddle::bench {

/// What `heddle-bench sptrsv` was asked for.
struct SptrsvRequest : ChoiceOptions {
  std::string triangle_name = "lower";
  std::string diagonal_name = "stored";
  std::string op_name = "none";
  /// What a search may take of one matrix.
  double search_seconds = 20;
  /// What is read from model_path, or nothing.
  std::shared_ptr<const TriangleModel> model = nullptr;
  /// Where traces of the schemes are written to, if anywhere.
  std::string trace_path;
  /// Those of all matrices so far.
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
