// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../spmv/problem.hpp"

namespace heddle::bench {

/// A contestant that converts one matrix from CSR into another form: run() releases the last result
/// and converts again, from the CSR arrays on the device. The work is enqueued on `exec`, or waited
/// for.
template <Scalar S>
class ConvertContestant : public Contestant {
 public:
  /// y = A x by the result, to verify it: problem.y from problem.x, both of one column. Waits.
  virtual void product(const Exec& exec) = 0;
};

/// One matrix on the device, with vectors for verification.
template <Scalar S, Offset Off>
struct ConvertProblem : SpmvProblem<S, Off> {
  using Contestant = ConvertContestant<S>;

  /// The other matrix of sums: zeros in the pattern of the transpose of A, or of A if that is not
  /// square. So A + B has the products of A.
  CsrMatrix<S, Index, Off, Space> B;

  /// Rows and columns of the blocks of a blocked form.
  int block = 4;
};

}  // namespace heddle::bench
