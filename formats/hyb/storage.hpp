// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/slots/storage.hpp"
#include "rest/storage.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

/// Where entry k of the rest, one of the place-th long row, lies in CSR: behind the entries that
/// have slots.
template <Ordinal O, Offset Off>
struct FromPlace {
  const Off* row_ptr;
  const O* row_number;
  const Off* rest_ptr;
  Off width;

  KOKKOS_FORCEINLINE_FUNCTION Off operator()(Off k, O place) const {
    return row_ptr[row_number[place]] + width + (k - rest_ptr[place]);
  }
};

/// The arrays of a HYB matrix: the first entries of each row in ELL, and what long rows have beyond
/// in COO, whose rows are the places of the long rows.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;
  using Rest = rest::Storage<Exec, S, O, Off, Acc, slots::tuning.most_vectors>;

  /// Entries keep their order. Three allocations, seven launches in the order of `exec`, no wait.
  Storage(const Exec& exec, const Matrix& A, const Widths& widths, const Device& device)
      : width_(static_cast<Off>(widths.width)),
        slots_(exec, A, widths.width),
        rest_(exec, A, {widths.long_rows, widths.rest},
              EntriesBeyond<Off>{A.row_ptr().data(), width_}, device) {
    fill_rest<true>(exec, A);
  }

  /// New values of the same pattern: two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const {
    slots_.update_values(exec, A);
    fill_rest<false>(exec, A);
  }

  slots::View<S, O> slots() const { return slots_.view(); }
  const Rest& rest() const { return rest_; }

  std::size_t bytes() const { return slots_.bytes() + rest_.bytes(); }
  double read_bytes() const { return slots_.read_bytes() + rest_.moved_bytes(); }
  double carried_bytes() const { return rest_.moved_bytes_per_vector(); }

 private:
  template <bool Columns>
  void fill_rest(const Exec& exec, const Matrix& A) const {
    rest_.template fill<Columns>(
        exec, A,
        FromPlace<O, Off>{A.row_ptr().data(), rest_.row_number(), rest_.rest_ptr(), width_});
  }

  Off width_;
  slots::Storage<Exec, S, O, Off> slots_;
  Rest rest_;
};

}  // namespace heddle::detail::hyb
