// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix_market_header.hpp"
#include "matrix_market_read.hpp"
#include "matrix_market_write.hpp"
