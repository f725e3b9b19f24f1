// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/formats.hpp"
#include "options.hpp"
#include "parts.hpp"

namespace heddle {

/// One level of a MultigridPlan.
struct MultigridLevel {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  std::string scheme;    ///< of the product with its matrix; "dense" if it is inverted
  std::string smoother;  ///< name of the smoother, in words
  std::size_t bytes = 0;
  /// Bytes that the products of a cycle with the level's matrix, P and R move, for one vector, by
  /// the formats' own count, at all visits of the level and between them; 0 if the level shares a
  /// launch or is inverted. Sweeps of Gauss-Seidel, M of a polynomial and a user's smoother are not
  /// counted.
  double moved_bytes = 0;
};

/// All levels, the finest first.
struct MultigridHierarchy {
  std::vector<MultigridLevel> levels;
  /// Reason why the last level is not coarsened, in words.
  std::string end;
  std::string kind, cycle;  ///< in words
  /// Choices other than strength by magnitude and unchanged near-nullspace vectors, in words.
  std::string chosen = {};
  /// Input that the plan was not given, and that makes many systems of this kind converge faster,
  /// in words; else empty.
  std::string hint = {};

  /// Sum of rows of all levels over the rows of the finest.
  double grid_complexity() const { return over_finest(&MultigridLevel::rows); }
  /// Sum of entries of all levels over the entries of the finest.
  double operator_complexity() const { return over_finest(&MultigridLevel::entries); }

  /// One line for each level, then the complexities.
  std::string to_string() const {
    std::string text;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const MultigridLevel& level = levels[l];
      text += "level " + std::to_string(l) + ": " + std::to_string(level.rows) + " rows, " +
              std::to_string(level.entries) + " entries, " + level.scheme + ", " + level.smoother +
              "\n";
    }
    if (!chosen.empty()) text += chosen + "\n";
    return text + end + "; " + kind + ", " + cycle + "; grid complexity " +
           rounded(grid_complexity()) + ", operator complexity " + rounded(operator_complexity()) +
           "\n" + (hint.empty() ? "" : hint + "\n");
  }

 private:
  double over_finest(std::int64_t MultigridLevel::* of) const {
    double sum = 0;
    for (const MultigridLevel& level : levels) sum += static_cast<double>(level.*of);
    const double finest = levels.empty() ? 0 : static_cast<double>(levels.front().*of);
    return finest > 0 ? sum / finest : 1;
  }
  static std::string rounded(double number) {
    const auto hundredths = static_cast<std::int64_t>(number * 100 + 0.5);
    const std::string cents = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + (cents.size() < 2 ? ".0" : ".") + cents;
  }
};

}  // namespace heddle

namespace heddle::detail::multigrid {

/// The implementation of MultigridPlan, which documents it, for a matrix with signed offsets: in
/// the matrix's scalar, or in float.
template <ExecutionSpace Exec, class Matrix>
class Hierarchy {
 public:
  using S = typename Matrix::scalar_type;

  virtual ~Hierarchy() = default;
  virtual void apply_from(const Exec& exec, int level, const Multivector<const S>& b,
                          const Multivector<S>& x) = 0;
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  virtual void check_values(const Exec& exec) = 0;
  virtual MultigridHierarchy levels() const = 0;
  virtual bool is_variable() const = 0;
  virtual bool symmetric() = 0;
  virtual std::string asymmetry() = 0;
  /// Whether memory was reserved, since there was less.
  virtual bool reserve(const Exec& exec, int vectors) = 0;
  virtual std::int64_t rows() const = 0;
  virtual double setup_seconds() const = 0;
  virtual std::size_t bytes() const = 0;
};

template <ExecutionSpace Exec, class Matrix>
using FormatsOf =
    FormatTable<Exec, Matrix, typename Matrix::scalar_type, typename Matrix::scalar_type>;

/// Makes all levels. No near-nullspace vectors (no_vectors): the constant vector. check_pattern:
/// whether A's row pointer and columns are checked first. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Hierarchy<Exec, Matrix>> make_hierarchy(
    const Exec& exec, const Matrix& A,
    const Multivector<const typename Matrix::scalar_type>& near_nullspace,
    const MultigridOptions& options, const MultigridParts<Exec, Matrix>& parts,
    const FormatsOf<Exec, Matrix>& formats, bool check_pattern);

/// Makes all levels in float, for a matrix in double. Defined in in_float.hpp.
template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Hierarchy<Exec, Matrix>> make_in_float(
    const Exec& exec, const Matrix& A,
    const Multivector<const typename Matrix::scalar_type>& near_nullspace,
    const MultigridOptions& options);

}  // namespace heddle::detail::multigrid
