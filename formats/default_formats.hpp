// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bcsr/format.hpp"
#include "blocked_ell/format.hpp"
#include "coo/format.hpp"
#include "csr/format.hpp"
#include "dia/format.hpp"
#include "ell/format.hpp"
#include "formats.hpp"
#include "gcsr/format.hpp"
#include "hyb/format.hpp"

namespace heddle {

/// The formats that a plan chooses from by default: those of the library without the ones that no
/// plan chose in any kept run (docs/formats.md). all_formats.hpp has these.
using DefaultFormats = Formats<CsrFormat, EllFormat, BlockedEllFormat, CooFormat, GcsrFormat,
                               HybFormat, DiaFormat, BcsrFormat>;

}  // namespace heddle
