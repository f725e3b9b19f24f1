// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocked_ell/format.hpp"
#include "csr/format.hpp"
#include "ell/format.hpp"
#include "format.hpp"

namespace heddle {

/// Every format of the library. A new one is a folder and one line here.
using AllFormats = Formats<  //
    CsrFormat,               //
    EllFormat,               //
    BlockedEllFormat>;

}  // namespace heddle
