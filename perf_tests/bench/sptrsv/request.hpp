// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/sptrsv/options.hpp"
#include "../common/contest_options.hpp"

namespace heddle::bench {

/// What `heddle-bench sptrsv` was asked for.
struct SptrsvRequest : ContestOptions {
  std::string triangle_name = "lower";
  std::string diagonal_name = "stored";
  std::string op_name = "none";
  /// What a search may take of one matrix.
  double search_seconds = 20;
  /// Where traces of the schemes are written to, if anywhere.
  std::string trace_path;

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
