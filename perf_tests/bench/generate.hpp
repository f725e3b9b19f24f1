// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// Where the nonzeros of a generated matrix lie: CSR without values, columns sorted in each row.
struct Pattern {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col_idx;

  std::int64_t nonzeros() const { return row_ptr.back(); }
};

struct Generator {
  std::string name, arguments, description;
};

/// What `generate` knows, for help texts.
const std::vector<Generator>& generators();

/// The pattern that a text like "grid3d:100,27" names; the same for the same seed everywhere.
/// Throws heddle::Error where the text names none.
Pattern generate(const std::string& text, std::uint64_t seed);

}  // namespace heddle::bench
