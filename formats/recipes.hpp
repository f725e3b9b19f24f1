// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inspect/recipe/compact.hpp"
#include "inspect/recipe/compact_and_pad.hpp"
#include "inspect/recipe/fill_lists.hpp"
#include "inspect/recipe/fill_values.hpp"
#include "inspect/recipe/repeats.hpp"
#include "inspect/recipe/sorted_rows.hpp"
#include "inspect/recipe/stored_blocks.hpp"

/// Inspectors composed of a few steps, for formats of your own as for the library's. See
/// docs/own-format.md.
