// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bcsr/format.hpp"
#include "blocked_ell/format.hpp"
#include "coo/format.hpp"
#include "csb/format.hpp"
#include "csr/format.hpp"
#include "dia/format.hpp"
#include "ell/format.hpp"
#include "formats.hpp"
#include "gcsr/format.hpp"
#include "hyb/format.hpp"
#include "tiled/format.hpp"

namespace heddle {

/// Every format of the library. A new one is a folder and one line here.
using AllFormats = Formats<  //
    CsrFormat,               //
    EllFormat,               //
    BlockedEllFormat,        //
    CooFormat,               //
    GcsrFormat,              //
    HybFormat,               //
    DiaFormat,               //
    BcsrFormat,              //
    TiledFormat,             //
    CsbFormat>;

}  // namespace heddle
