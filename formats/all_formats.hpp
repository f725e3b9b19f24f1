// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csb/format.hpp"
#include "default_formats.hpp"
#include "tiled/format.hpp"

namespace heddle {

/// Every format of the library. A new format is a folder and one line here.
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

/// DefaultFormats, and one that stores a single triangle of a symmetric matrix: for plans whose
/// SpmvOptions::max_bytes has no room for both triangles.
using TriangleFormats = DefaultFormats::With<CsbFormat>;

}  // namespace heddle
