// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "../core/move_only.hpp"
#include "multiply/on_threads.hpp"
#include "multiply/product_list.hpp"
#include "multiply/symbolic.hpp"
#include "rearrange.hpp"

namespace heddle::detail {

/// The order that an operand's rows need for their columns.
enum class ColumnOrder { any, ascending, strictly_ascending };

/// A, B or D in the form that a product needs: unchanged, or stored in another order.
template <ExecutionSpace Exec, class Matrix>
class ProductOperand {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  ProductOperand() = default;

  /// `allow(bytes)` throws if the plan may not hold that many; it is called before A is stored.
  template <class Allow>
  ProductOperand(const Exec& exec, const Matrix& A, Op op, ColumnOrder order, bool check,
                 const Allow& allow)
      : rows_(A.rows()), columns_(A.columns()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    if (check) check_csr(exec, A);
    stored_ = op != Op::none || descents(exec, A, order, check) > 0;
    if (!stored_) return;
    const auto n = static_cast<std::size_t>(nonzeros_);
    const auto rows = static_cast<std::size_t>(transposes(op) ? columns_ : rows_);
    const bool add_up = order == ColumnOrder::strictly_ascending;
    // If repeats are added up, there are fewer entries, but their sources need more memory.
    allow(add_up ? arena_bytes<Off, Off>(rows + 1, n)
                 : arena_bytes<Off, O, S>(rows + 1, n, n) + arena_bytes<Off>(n));
    copy_ = stored_op(exec, A, op, add_up, false);  // checked above
  }

  /// The matrix to multiply, from the A that was given.
  Matrix pattern(const Matrix& A) const { return stored_ ? copy_.matrix() : A; }
  /// The matrix to multiply with the values of A. No wait, no allocation.
  Matrix with_values(const Exec& exec, const Matrix& A, const char* name) {
    if (A.rows() != rows_ || A.columns() != columns_ ||
        static_cast<std::int64_t>(A.nonzeros()) != nonzeros_) {
      throw Error(std::string(name) + " is " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()) + " with " + std::to_string(A.nonzeros()) +
                      " entries, and the plan is for " + std::to_string(rows_) + " x " +
                      std::to_string(columns_) + " with " + std::to_string(nonzeros_),
                  "give the pattern that the plan was made for, or make another plan");
    }
    if (stored_) copy_.update_values(exec, A);
    return pattern(A);
  }
  std::size_t bytes() const { return stored_ ? copy_.bytes() : 0; }

 private:
  /// Number of descents; an unchecked B is assumed to have none.
  static std::int64_t descents(const Exec& exec, const Matrix& A, ColumnOrder order, bool check) {
    const bool strict = order == ColumnOrder::strictly_ascending;
    if (order == ColumnOrder::any || (strict && !check)) return 0;
    return count_descents(exec, A, strict);
  }

  O rows_ = 0;
  O columns_ = 0;
  std::int64_t nonzeros_ = 0;
  bool stored_ = false;
  DerivedCsr<Exec, S, O, Off> copy_;
};

}  // namespace heddle::detail

namespace heddle {

/// Options of products of matrices.
struct MultiplyOptions {
  static constexpr std::size_t no_bound = std::numeric_limits<std::size_t>::max();

  /// The ops of A and B: C = op_a(A) op_b(B). For any op except Op::none the plan stores the
  /// result, and new values need one more pass.
  Op op_a = Op::none;
  Op op_b = Op::none;
  /// The most device memory, in bytes, that the plan may hold at any time, workspace and C
  /// included, without the workspaces of sorts. If that is too little, Error reports how much it
  /// needs before it is allocated.
  std::size_t max_bytes = no_bound;
  /// Bytes of workspace of the symbolic phase, besides two numbers of 64 bits and two ordinals for
  /// each row. On a GPU rows that are too long for scratch need two bits for each column, for each
  /// such row that is processed at the same time, at least one; on a CPU a bit for each column, for
  /// each thread that participates, at least one. The rest holds a list of columns, one for each
  /// product; if those do not fit, or max_bytes is set, columns are computed twice.
  std::size_t workspace_bytes = std::size_t{256} << 20;
  /// Whether the plan keeps a list of the entries that make each entry of C, so that new values
  /// need no search: 8 bytes for each product, 4 for each entry of C, and two passes over the
  /// products when the plan is made. Default: kept on a GPU, and not on a CPU: there a list makes
  /// the first product two to four times as long, and speeds up new values only if rows of B are
  /// short, up to four times. There is no list if max_bytes has no room for it, an
  /// entry sums more than 65536 products, or 32 bits cannot count them. Values have the same bits
  /// either way.
  std::optional<bool> keep_products = std::nullopt;
  /// Whether A, B and D are checked. Without checks their columns must be in range, and those of a
  /// B that is not transposed must ascend without repeats.
  bool check = true;
};

namespace detail {

inline std::string described_product(std::int64_t rows, std::int64_t columns,
                                     std::int64_t entries) {
  return "a product of " + std::to_string(rows) + " x " + std::to_string(columns) + " with " +
         std::to_string(entries) + " entries";
}
template <Offset OffC>
void check_offsets(const std::string& product, std::int64_t entries) {
  if (std::in_range<OffC>(entries)) return;
  throw Error(product + " needs offsets of more than " + std::to_string(8 * sizeof(OffC)) + " bits",
              "make the plan with OffC = std::int64_t");
}

}  // namespace detail

/// C = alpha op(A) op(B) + beta D. The pattern of C is made once, its values whenever those of A, B
/// and D change.
///
/// C has an entry for each place that gets a product or an entry of D, even if its value is zero,
/// with ascending columns in each row. A and B may have any shapes that fit, empty rows, unsorted
/// columns and repeated entries; if B has the latter, the plan stores it sorted and added up. Each
/// entry of C is summed in the order of A's row, starting from zero: the same bits on every run,
/// for any number of threads and on any device with the same rounding.
///
/// A subwarp of a GPU or a thread of a CPU computes each row of C. On a GPU sums are in a table in
/// scratch or, if the row is too long, in C; the longest rows are split into pieces. On a CPU each
/// thread has an array as long as the columns that the widest row of C spans, unless max_bytes is
/// set, or that array exceeds the cache of a core and those of all threads exceed C. The plan
/// belongs to the device of `exec`, owns C, and borrows no matrix. It can be moved, not copied.
///
/// OffC is the type of C's offsets; Error is thrown if it cannot count the entries. Source of
/// counting products, then tables by length: Y. Nagasaka, A. Nukada and S. Matsuoka,
/// "High-performance and memory-saving sparse general matrix-matrix multiplication for NVIDIA
/// Pascal GPU", ICPP 2017.
template <ExecutionSpace Exec, class MatrixA, class MatrixB = MatrixA,
          Offset OffC = typename MatrixA::offset_type>
class MultiplyPlan {
 public:
  using S = typename MatrixA::scalar_type;
  using O = typename MatrixA::ordinal_type;
  using OffA = typename MatrixA::offset_type;
  using OffB = typename MatrixB::offset_type;
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, OffC, Space>;
  static_assert(std::same_as<S, typename MatrixB::scalar_type> &&
                    std::same_as<O, typename MatrixB::ordinal_type>,
                "A and B have values of one type, and ordinals of one type");
  static_assert(std::same_as<Space, typename MatrixA::memory_space> &&
                    std::same_as<Space, typename MatrixB::memory_space>,
                "A and B lie in the memory space of the execution space");

  /// An empty plan, to be assigned to: every call on it throws Error.
  MultiplyPlan() : moves_(detail::made_empty) {}

  /// The symbolic phase: counts products, then entries, allocates C, and writes its pattern. It
  /// reads no values, and C has none before numeric(). Waits for `exec`. Throws Error if A or B is
  /// not a valid matrix, naming row and entry, if their shapes do not fit, if OffC cannot count the
  /// entries of C, or if options.max_bytes has no room for it.
  MultiplyPlan(const Exec& exec, const MatrixA& A, const MatrixB& B,
               const MultiplyOptions& options = {})
      : MultiplyPlan(exec, A, B, nullptr, options) {}
  /// The symbolic phase for a C that contains the pattern of D, which has the shape of C.
  MultiplyPlan(const Exec& exec, const MatrixA& A, const MatrixB& B, const MatrixA& D,
               const MultiplyOptions& options = {})
      : MultiplyPlan(exec, A, B, &D, options) {}

  /// Computes the values of C = op(A) op(B), for matrices with the patterns that the plan was made
  /// for. In the order of `exec`: no wait, no allocation; may be recorded in a graph. Throws Error
  /// if a shape or a number of entries differs. Another pattern of the same size is not detected;
  /// C is wrong then.
  void numeric(const Exec& exec, const MatrixA& A, const MatrixB& B) { numeric(exec, S(1), A, B); }
  /// C = alpha op(A) op(B); with alpha == 0 neither A nor B is read.
  void numeric(const Exec& exec, S alpha, const MatrixA& A, const MatrixB& B) {
    multiply(exec, alpha, A, B);
  }
  /// C = alpha op(A) op(B) + beta D, if the plan was made for a D. D is added last, and not read if
  /// beta == 0.
  void numeric(const Exec& exec, S alpha, const MatrixA& A, const MatrixB& B, S beta,
               const MatrixA& D) {
    moves_.check("MultiplyPlan", "numeric");
    if (D.rows() != rows() || D.columns() != columns() ||
        static_cast<std::int64_t>(D.nonzeros()) != entries_of_D_) {
      throw Error("the plan was not made for this D", "give D to the plan when it is made");
    }
    multiply(exec, alpha, A, B);
    if (beta == S(0)) return;
    using Add = detail::matrix_product::AddEntryOfD<S, O, OffA, OffC>;
    const auto added = operand(D_.with_values(exec, D, "D"));
    detail::each_entry(exec, "heddle::multiply::add", added.row_ptr, std::int64_t{rows()},
                       entries_of_D_, Add{added, pattern(), C_.values().data(), beta});
  }

  /// C, borrowed; valid while the plan, or a copy of storage(), lives, so temporaries have none.
  Matrix matrix() const& { return C("matrix").matrix(); }
  Matrix matrix() const&& = delete;
  const CsrStorage<S, O, OffC, Space>& storage() const& { return C("storage"); }
  CsrStorage<S, O, OffC, Space> storage() const&& { return C("storage"); }
  O rows() const { return C("rows").rows(); }
  O columns() const { return C("columns").columns(); }
  OffC nonzeros() const { return C("nonzeros").nonzeros(); }
  /// Products of an entry of A and one of B: the multiplications and additions of a numeric phase.
  std::int64_t products() const {
    moves_.check("MultiplyPlan", "products");
    return products_;
  }
  /// Device memory that the plan holds, C included, in bytes; and the most that it has held,
  /// without the workspaces of sorts.
  std::size_t bytes() const {
    return C("bytes").bytes() + rows_.bytes() + pieces_.bytes() + list_.bytes() + dense_.bytes() +
           A_.bytes() + B_.bytes() + D_.bytes();
  }
  std::size_t peak_bytes() const {
    moves_.check("MultiplyPlan", "peak_bytes");
    return peak_bytes_;
  }

 private:
  using Patterns = detail::matrix_product::Patterns<O, OffA, OffB>;
  using Product = detail::matrix_product::SumProducts<S, O, OffA, OffB, OffC>;
  using List = detail::matrix_product::ProductList<Exec>;
  using Dense = detail::matrix_product::DenseRows<Exec, S>;

  MultiplyPlan(const Exec& exec, const MatrixA& A, const MatrixB& B, const MatrixA* D,
               const MultiplyOptions& options)
      : max_bytes_(options.max_bytes) {
    namespace mp = detail::matrix_product;
    using detail::ColumnOrder;
    const auto allow = [&](std::size_t more) { check_bytes(more); };
    A_ = {exec, A, options.op_a, ColumnOrder::any, options.check, allow};
    B_ = {exec, B, options.op_b, ColumnOrder::strictly_ascending, options.check, allow};
    const MatrixA left = A_.pattern(A);
    const MatrixB right = B_.pattern(B);
    check_shapes(left, right, D);
    Patterns patterns{mp::pattern_operand<O, OffA>(left),
                      mp::pattern_operand<O, OffB>(right),
                      {},
                      left.rows(),
                      right.columns(),
                      static_cast<std::int64_t>(left.nonzeros())};
    if (D) {
      D_ = {exec, *D, Op::none, ColumnOrder::ascending, options.check, allow};
      entries_of_D_ = static_cast<std::int64_t>(D->nonzeros());
      patterns.D = mp::pattern_operand<O, OffA>(*D);
    }
    const bool bounded = max_bytes_ != MultiplyOptions::no_bound;
    narrow_ = static_cast<std::int64_t>(right.nonzeros()) <= 12 * std::int64_t{right.rows()};
    const auto write = [&](auto&& symbolic) {
      products_ = symbolic.products();
      take_memory(exec, left.rows(), right.columns(), symbolic);
      symbolic.write(exec, C_.row_ptr().data(), C_.col_idx().data());
      if constexpr (mp::on_threads<Exec>) {
        if (!bounded) {
          dense_ = Dense(exec, symbolic.take_shares(), std::int64_t{rows()}, pattern(),
                         static_cast<std::int64_t>(nonzeros()));
          peak_bytes_ = std::max(peak_bytes_, bytes() + symbolic.bytes());
        }
      }
    };
    if constexpr (mp::on_threads<Exec>) {
      write(mp::SymbolicOnThreads<Exec, O, OffA, OffB>(exec, patterns, options.workspace_bytes,
                                                       !bounded, allow));
    } else {
      write(mp::Symbolic<Exec, O, OffA, OffB>(exec, patterns, narrow_, options.workspace_bytes,
                                              !bounded, allow));
    }
    const bool list = options.keep_products.value_or(!mp::on_threads<Exec>);
    if (list || !dense_) share_rows(exec);
    if (list) list_products(exec, patterns, right.nonzeros());
    keep_one_way();
    exec.fence("heddle::multiply::symbolic");
  }

  /// C, for a function that names itself. Throws Error if the plan is empty.
  const CsrStorage<S, O, OffC, Space>& C(const char* called) const {
    moves_.check("MultiplyPlan", called);
    return C_;
  }

  /// Frees the arrays that the chosen numeric phase does not need.
  void keep_one_way() {
    peak_bytes_ = std::max(peak_bytes_, bytes());
    if (list_) {
      dense_ = Dense();
    } else if (dense_) {
      rows_ = {};
      pieces_ = {};
    }
  }

  void list_products(const Exec& exec, const Patterns& patterns, OffB entries_of_B) {
    const auto entries = static_cast<std::int64_t>(nonzeros());
    const std::size_t more = List::bytes_for(products_, entries);
    if (entries == 0 || more > max_bytes_ || bytes() > max_bytes_ - more ||
        !List::fits(products_, patterns.entries_of_A, static_cast<std::int64_t>(entries_of_B))) {
      return;
    }
    list_ = List(exec, patterns.A, patterns.B, pattern(), products_, entries,
                 [&](const char* label, const char* label_of_long, const auto& work) {
                   walk(exec, label, label_of_long, work);
                 });
    peak_bytes_ = std::max(peak_bytes_, bytes());
  }

  static void check_shapes(const MatrixA& A, const MatrixB& B, const MatrixA* D) {
    const auto shape = [](const auto& M) {
      return std::to_string(M.rows()) + " x " + std::to_string(M.columns());
    };
    if (A.columns() != B.rows()) {
      throw Error("op_a(A) is " + shape(A) + " and op_b(B) " + shape(B),
                  "give A as many columns as B has rows (op_a and op_b transpose them)");
    }
    if (D && (D->rows() != A.rows() || D->columns() != B.columns())) {
      throw Error("D is " + shape(*D) + ", and the product " + std::to_string(A.rows()) + " x " +
                      std::to_string(B.columns()),
                  "give it the shape of the product");
    }
  }

  /// Throws Error unless the plan may hold `more` bytes besides its operands.
  void check_bytes(std::size_t more) const {
    const std::size_t needed = A_.bytes() + B_.bytes() + D_.bytes() + more;
    if (needed <= max_bytes_) return;
    throw Error("the symbolic phase of a product needs at least " + std::to_string(needed) +
                    " bytes, and max_bytes is " + std::to_string(max_bytes_),
                "raise it, with room for the product");
  }

  template <class Symbolic>
  void take_memory(const Exec& exec, O rows, O columns, const Symbolic& symbolic) {
    const std::int64_t entries = symbolic.entries();
    const std::string product = detail::described_product(rows, columns, entries);
    detail::check_offsets<OffC>(product, entries);
    const auto n = static_cast<std::size_t>(entries), m = static_cast<std::size_t>(rows);
    peak_bytes_ = arena_bytes<OffC, O, S>(m + 1, n, n) + arena_bytes<O, std::int64_t>(m, m) +
                  A_.bytes() + B_.bytes() + D_.bytes() + symbolic.bytes();
    if (peak_bytes_ > max_bytes_) {
      throw Error(product + " from " + std::to_string(symbolic.products()) + " products needs " +
                      std::to_string(peak_bytes_) + " bytes, and max_bytes is " +
                      std::to_string(max_bytes_),
                  "raise it");
    }
    C_ = CsrStorage<S, O, OffC, Space>(exec, rows, columns, entries);
  }

  /// Makes groups of rows for the numeric phase, and pieces of the longest rows.
  void share_rows(const Exec& exec) {
    namespace mp = detail::matrix_product;
    using Sums = mp::TableSums<O, Product>;
    rows_ = mp::RowsByLength<Exec, O>(exec, rows(), mp::LengthOfRow<O, OffC>{pattern()},
                                      mp::group_limits(exec, Sums::bytes_per_column));
    const std::int64_t count = rows_.count(mp::longest);
    if (count == 0) return;
    constexpr bool lanes = backends::has_lanes<Exec>;
    const mp::PiecesOfRow<O, OffC> pieces{rows_.rows(mp::longest), pattern(), lanes ? 2048 : 8192,
                                          lanes ? 256 : backends::threads_at_once(exec)};
    pieces_ = Arena<Space>(exec, "heddle::multiply::pieces", arena_array(first_piece_, count + 1));
    count_of_pieces_ = detail::running_sum_and_total(exec, "heddle::multiply::pieces", first_piece_,
                                                     count, pieces);
  }

  detail::matrix_product::PatternOperand<O, OffC> pattern() const {
    return {C_.row_ptr().data(), C_.col_idx().data()};
  }
  template <class M>
  static auto operand(const M& A) {
    return detail::matrix_product::operand<S, O, typename M::offset_type>(A);
  }

  void multiply(const Exec& exec, S alpha, const MatrixA& A, const MatrixB& B) {
    namespace mp = detail::matrix_product;
    moves_.check("MultiplyPlan", "numeric");
    if (alpha == S(0)) {
      detail::fill(exec, "heddle::multiply::zero", C_.values().data(),
                   static_cast<std::int64_t>(nonzeros()), S(0));
      return;
    }
    const Product product{operand(A_.with_values(exec, A, "A")),
                          operand(B_.with_values(exec, B, "B")), pattern(), C_.values().data(),
                          alpha};
    if (list_) {
      list_.sum(exec, product.A.values, product.B.values, product.sums,
                static_cast<std::int64_t>(nonzeros()), alpha);
    } else if (dense_) {
      dense_.sum(exec, product);
    } else {
      walk(exec, "heddle::multiply::sums", "heddle::multiply::long_sums", product);
    }
  }

  /// Runs `work` for every product.
  template <class Work>
  void walk(const Exec& exec, const char* label, const char* label_of_long,
            const Work& work) const {
    namespace mp = detail::matrix_product;
    static_assert(sizeof(typename Work::Sum) <= sizeof(S), "the tables are shared by S");
    mp::launch_groups(exec, label, rows_, narrow_, mp::TableSums<O, Work>{work});
    if (rows_.count(mp::longest) == 0) return;
    using Long = mp::SearchedSums<O, Work, backends::max_subwarp_width<Exec>>;
    using Team = backends::Team<Exec, typename Long::Shape>;
    backends::launch<typename Long::Shape>(
        exec, label_of_long, ceil_div(count_of_pieces_, Team::subwarps),
        Long{work, rows_.rows(mp::longest), rows_.count(mp::longest), first_piece_});
  }

  detail::MoveOnly moves_;
  std::size_t max_bytes_ = MultiplyOptions::no_bound;
  detail::ProductOperand<Exec, MatrixA> A_;
  detail::ProductOperand<Exec, MatrixB> B_;
  detail::ProductOperand<Exec, MatrixA> D_;
  CsrStorage<S, O, OffC, Space> C_;
  detail::matrix_product::RowsByLength<Exec, O> rows_;
  Arena<Space> pieces_;
  List list_;
  Dense dense_;
  std::int64_t* first_piece_ = nullptr;
  std::int64_t count_of_pieces_ = 0;
  std::int64_t entries_of_D_ = -1;
  std::int64_t products_ = 0;
  std::size_t peak_bytes_ = 0;
  bool narrow_ = true;
};

template <ExecutionSpace Exec, class MatrixA, class MatrixB>
MultiplyPlan(const Exec&, const MatrixA&, const MatrixB&, const MultiplyOptions& = {})
    -> MultiplyPlan<Exec, MatrixA, MatrixB>;
template <ExecutionSpace Exec, class MatrixA, class MatrixB>
MultiplyPlan(const Exec&, const MatrixA&, const MatrixB&, const MatrixA&,
             const MultiplyOptions& = {}) -> MultiplyPlan<Exec, MatrixA, MatrixB>;

/// op(A) op(B), computed once: the matrix of a MultiplyPlan. Its values are ready in the order of
/// `exec`.
template <ExecutionSpace Exec, class MatrixA, class MatrixB>
auto multiply(const Exec& exec, const MatrixA& A, const MatrixB& B,
              const MultiplyOptions& options = {}) {
  MultiplyOptions once = options;
  once.keep_products = false;
  MultiplyPlan plan(exec, A, B, once);
  plan.numeric(exec, A, B);
  return plan.storage();
}

}  // namespace heddle
