// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/core/files/matrix_market_header.hpp>
#include <heddle/core/files/matrix_market_read.hpp>
#include <heddle/core/files/matrix_market_write.hpp>
