// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../coo/view.hpp"
#include "../ell/view.hpp"
#include "rest/view.hpp"

namespace heddle::detail::hyb {

/// A matrix in HYB as kernels see it: the first `slots.width` entries of each row in ELL, and what
/// the long rows have beyond in COO, whose rows are the places of the long rows.
template <Scalar S, Ordinal O, Offset Off, class LocalRow>
struct View {
  ell::View<S, O> slots;
  coo::View<S, O, Off, LocalRow> rest;
  rest::LongRows<O> long_rows;
};

}  // namespace heddle::detail::hyb
