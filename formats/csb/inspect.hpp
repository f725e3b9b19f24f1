// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/algorithms/sort.hpp"
#include "../../backends/algorithms/transpose.hpp"
#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/search.hpp"
#include "../common/arrays.hpp"
#include "../common/executor.hpp"
#include "../common/scale.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_lists.hpp"
#include "format.hpp"
#include "kernel.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// Sets the imaginary parts of the diagonal to zero, as in a Hermitian matrix: a subwarp for each
/// block.
template <class View>
struct RealDiagonalKernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;

  View A;
  std::int64_t blocks;
  S* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t block = team.index() * Team::subwarps + team.subwarp_index();
    if (block >= blocks || !A.on_diagonal(block)) return;
    const auto end = static_cast<std::int64_t>(A.list_ptr[block + 1]);
    for (auto k = static_cast<std::int64_t>(A.list_ptr[block]) + team.subwarp().lane(); k < end;
         k += Team::subwarp_width) {
      if (A.local_row[k] == A.local_column[k]) values[k] = S(values[k].real());
    }
  }
};

/// `values` are those of A. One launch for complex scalars, no wait.
template <ExecutionSpace Exec, class View>
void make_diagonal_real(const Exec& exec, const View& A, std::int64_t blocks,
                        typename View::scalar_type* values) {
  if constexpr (is_complex<typename View::scalar_type>) {
    constexpr int width = backends::has_lanes<Exec> ? 32 : 1, threads = 128;
    constexpr int subwarps = backends::has_lanes<Exec> ? threads / width : 1;
    backends::launch<backends::Shape<width, threads>>(exec, "heddle::spmv::csb_real_diagonal",
                                                      ceil_div<std::int64_t>(blocks, subwarps),
                                                      RealDiagonalKernel<View>{A, blocks, values});
  }
}

inline auto recipe_of(int beta) { return recipe::tile_rows(beta) | recipe::tile_columns(beta); }

/// Stores an entry in its list: its row and column in the block, if they are stored, and its value.
template <Scalar S>
struct PutEntry {
  const S* from;
  std::uint16_t* local_row;
  std::uint16_t* local_column;
  S* values;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, const recipe::Point& point,
                                              std::int64_t k) const {
    if (local_row) {
      local_row[place] = static_cast<std::uint16_t>(point.inner_row);
      local_column[place] = static_cast<std::uint16_t>(point.inner_column);
    }
    values[place] = from[k];
  }
};

/// Entries of the block at a place in column order; 0 for diagonal blocks of a triangle.
template <Ordinal O, Offset Off>
struct EntriesByColumns {
  const Off* order;
  const Off* list_ptr;
  const O* block_row;
  const O* block_column;
  bool triangle;

  KOKKOS_FUNCTION Off operator()(std::int64_t place) const {
    const Off block = order[place];
    return triangle && block_row[block] == block_column[block]
               ? Off(0)
               : list_ptr[block + 1] - list_ptr[block];
  }
};

/// The arrays of a CSB matrix, in one allocation. The recipe: tile rows, tile columns, compact,
/// lists of entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Counts the blocks of A with a readback and a table of one bit for each possible block, which
  /// is freed; then one allocation, and workspaces that are freed: some numbers for each block, and
  /// for long block rows three or more offsets for each nonzero. Waits for `exec`. The diagonal of
  /// a Hermitian matrix is stored as real.
  Storage(const Exec& exec, const Matrix& A, int beta, bool hermitian = false)
      : beta_(beta), hermitian_(hermitian), rows_(A.rows()), columns_(A.columns()) {
    using Map = decltype(recipe_of(beta));
    const recipe::Compact<Exec, Matrix, Map> count(exec, A, recipe_of(beta));
    blocks_ = count.keys();
    block_rows_ = count.panels();
    block_columns_ = ceil_div<std::int64_t>(A.columns(), beta);
    nonzeros_ = static_cast<std::int64_t>(A.nonzeros());
    allocate(exec, count.has_long_panels());
    count.write(exec, row_panels_, block_column_);
    if (count.has_long_panels()) {
      recipe::sort_lists(exec, A, recipe_of(beta), blocks_, row_panels_, block_column_, list_ptr_,
                         source_);
    } else {
      recipe::count_lists(exec, A, recipe_of(beta), blocks_, row_panels_, block_column_, list_ptr_,
                          next_);
    }
    order_by_columns(exec);
    fill_blocks(exec, "heddle::spmv::csb_fill", A, local_row_, local_column_);
    if (hermitian_) make_diagonal_real(exec, view(), blocks_, values_);
  }

  /// Writes new values of the same pattern: at most three launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const {
    if (source_) {
      gather_values(exec, A);
    } else {
      fill_blocks(exec, "heddle::spmv::csb_values", A, nullptr, nullptr);
    }
    if (hermitian_) make_diagonal_real(exec, view(), blocks_, values_);
  }

  View<S, O, Off> view() const {
    return {rows_,         columns_,   beta_,         list_ptr_, block_row_,
            block_column_, local_row_, local_column_, values_};
  }
  /// Blocks in column order: the block and its first entry, and each block column's first place.
  const Off* column_order() const { return column_order_; }
  const Off* column_start() const { return column_start_; }
  const Off* column_panels() const { return column_panels_; }
  /// Blocks in row order: the entries before each block, and the first block of each block row.
  const Off* row_start() const { return list_ptr_; }
  const Off* row_panels() const { return row_panels_; }

  std::int64_t blocks() const { return blocks_; }
  std::int64_t block_rows() const { return block_rows_; }
  std::int64_t block_columns() const { return block_columns_; }
  std::int64_t nonzeros() const { return nonzeros_; }
  std::size_t bytes() const { return arena_.bytes(); }

  void gather_values(const Exec& exec, const Matrix& A) const {
    gather(exec, "heddle::spmv::csb_values", values_, nonzeros_, A.values().data(), source_);
  }

  /// Finds the row of each block, and the order of the blocks by column. Waits for `exec`, to free
  /// a workspace.
  void order_by_columns(const Exec& exec) {
    each_entry(exec, "heddle::spmv::csb_block_rows", row_panels_, static_cast<O>(block_rows_),
               blocks_, PutRow<O>{block_row_});
    RadixSort<Exec, O, Off> by_column(exec, blocks_);
    by_column.sort(exec, block_column_,
                   static_cast<O>(std::max<std::int64_t>(0, block_columns_ - 1)), column_order_);
    write_starts(exec, "heddle::spmv::csb_column_panels", column_panels_, block_columns_,
                 by_column.sorted(), blocks_);
    exec.fence("heddle::spmv::csb_ordered");
  }

  /// Writes column_start, and returns the number of entries in a sweep by block columns, which
  /// skips the diagonal blocks of a triangle. One readback.
  std::int64_t sweep_columns(const Exec& exec, bool triangle) const {
    const EntriesByColumns<O, Off> entries{column_order_, list_ptr_, block_row_, block_column_,
                                           triangle};
    return static_cast<std::int64_t>(running_sum_and_total<Off>(
        exec, "heddle::spmv::csb_column_start", column_start_, blocks_, entries));
  }

 private:
  void fill_blocks(const Exec& exec, const char* label, const Matrix& A, std::uint16_t* local_row,
                   std::uint16_t* local_column) const {
    recipe::fill_lists(exec, label, A, recipe_of(beta_), blocks_, row_panels_, block_column_,
                       list_ptr_, next_, source_,
                       PutEntry<S>{A.values().data(), local_row, local_column, values_});
  }

  /// Arrays are in the order in which an apply reads them; those of the inspector are last.
  void allocate(const Exec& exec, bool sorted) {
    std::tie(list_ptr_, block_row_, block_column_, column_order_, column_start_, local_row_,
             local_column_, values_, row_panels_, column_panels_, next_, source_) =
        arrays<Off, O, O, Off, Off, std::uint16_t, std::uint16_t, S, Off, Off, Off, Off>(
            arena_, exec, "heddle::spmv::csb", blocks_ + 1, blocks_, blocks_, blocks_, blocks_ + 1,
            nonzeros_, nonzeros_, nonzeros_, block_rows_ + 1, block_columns_ + 1, blocks_,
            sorted ? nonzeros_ : 0);
    if (!sorted) source_ = nullptr;
  }

  int beta_;
  bool hermitian_;
  O rows_;
  O columns_;
  std::int64_t blocks_ = 0;
  std::int64_t block_rows_ = 0;
  std::int64_t block_columns_ = 0;
  std::int64_t nonzeros_ = 0;
  Arena<Space> arena_;
  Off* list_ptr_ = nullptr;
  O* block_row_ = nullptr;
  O* block_column_ = nullptr;
  Off* column_order_ = nullptr;
  Off* column_start_ = nullptr;
  std::uint16_t* local_row_ = nullptr;
  std::uint16_t* local_column_ = nullptr;
  S* values_ = nullptr;
  Off* row_panels_ = nullptr;
  Off* column_panels_ = nullptr;
  Off* next_ = nullptr;
  Off* source_ = nullptr;
};

/// The panels of a sweep and the pieces that they are cut into: each has at least `target` entries
/// and fewer than twice as many, unless the panel has fewer.
template <Offset Off>
struct Cutting {
  const Off* panel_ptr;
  const Off* start;
  Off target;
  bool through_memory;

  KOKKOS_FORCEINLINE_FUNCTION Off begin(std::int64_t panel) const {
    return start[panel_ptr[panel]];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t pieces(std::int64_t panel) const {
    const Off pieces = (begin(panel + 1) - begin(panel)) / target;
    return pieces > 1 ? static_cast<std::int64_t>(pieces) : 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t partials(std::int64_t panel) const {
    const std::int64_t count = pieces(panel);
    return count > 1 || through_memory ? count : 0;
  }
};

/// Writes the pieces of a panel; one item for each panel.
template <Ordinal O, Offset Off>
struct CutPanels {
  Cutting<Off> cutting;
  const std::int64_t* piece_ptr;
  const std::int64_t* partial_ptr;
  PanelPiece<O, Off>* pieces;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const std::int64_t count = cutting.pieces(panel);
    const bool partial = cutting.partials(panel) > 0;
    const Off begin = cutting.begin(panel), end = cutting.begin(panel + 1);
    const Off share = (end - begin) / static_cast<Off>(count);
    const std::int64_t longer = static_cast<std::int64_t>(end - begin) % count;
    Off at = begin;
    for (std::int64_t i = 0; i < count; ++i) {
      const Off next = at + share + static_cast<Off>(i < longer ? 1 : 0);
      pieces[piece_ptr[panel] + i] = {static_cast<O>(panel), place_of(panel, at), at, next,
                                      partial ? partial_ptr[panel] + i : -1};
      at = next;
    }
  }

 private:
  /// The last place of the panel that begins at or before `entry`.
  KOKKOS_FORCEINLINE_FUNCTION Off place_of(std::int64_t panel, Off entry) const {
    return last_not_above(cutting.start, cutting.panel_ptr[panel], cutting.panel_ptr[panel + 1],
                          static_cast<std::int64_t>(entry));
  }
};

template <Offset Off>
struct PiecesOf {
  Cutting<Off> cutting;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    return cutting.pieces(panel);
  }
};
template <Offset Off>
struct PartialsOf {
  Cutting<Off> cutting;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    return cutting.partials(panel);
  }
};

/// The pieces of a sweep, with which block rows of very different weight are shared evenly.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class PanelPieces {
 public:
  using Space = typename Exec::memory_space;

  PanelPieces() = default;

  /// One allocation, three launches, two readbacks.
  PanelPieces(const Exec& exec, std::int64_t panels, std::int64_t entries,
              const Cutting<Off>& cutting)
      : panels_(panels) {
    const std::int64_t most =
        panels + entries / std::max<std::int64_t>(1, static_cast<std::int64_t>(cutting.target));
    std::tie(partial_ptr_, pieces_, piece_ptr_) =
        arrays<std::int64_t, PanelPiece<O, Off>, std::int64_t>(
            arena_, exec, "heddle::spmv::csb_pieces", panels + 1, most, panels + 1);
    cut(exec, cutting);
  }

  Sweep<O, Off> sweep(const Off* order, const Off* start) const {
    return {panels_, order, start, piece_count_, pieces_, partial_count_, partial_ptr_};
  }
  std::int64_t pieces() const { return piece_count_; }
  std::int64_t partials() const { return partial_count_; }
  std::size_t bytes() const { return arena_.bytes(); }

  void cut(const Exec& exec, const Cutting<Off>& cutting) {
    piece_count_ = running_sum_and_total(exec, "heddle::spmv::csb_count_pieces", piece_ptr_,
                                         panels_, PiecesOf<Off>{cutting});
    partial_count_ = running_sum_and_total(exec, "heddle::spmv::csb_count_partials", partial_ptr_,
                                           panels_, PartialsOf<Off>{cutting});
    Kokkos::parallel_for("heddle::spmv::csb_cut", range_policy(exec, panels_),
                         CutPanels<O, Off>{cutting, piece_ptr_, partial_ptr_, pieces_});
  }

 private:
  std::int64_t panels_ = 0;
  std::int64_t piece_count_ = 0;
  std::int64_t partial_count_ = 0;
  Arena<Space> arena_;
  std::int64_t* partial_ptr_ = nullptr;
  PanelPiece<O, Off>* pieces_ = nullptr;
  std::int64_t* piece_ptr_ = nullptr;
};

/// Partial sums of the pieces during an apply, and the counter that assigns pieces to teams.
template <ExecutionSpace Exec, Scalar Acc>
class PartialSums {
 public:
  /// One allocation, one launch.
  PartialSums(const Exec& exec, std::int64_t count)
      : arena_(exec, "heddle::spmv::csb_partials",
               arena_bytes<Acc, std::uint32_t>(static_cast<std::size_t>(count), 1)),
        partials(arena_.template take<Acc>(static_cast<std::size_t>(count)).data()),
        tickets{arena_.template take<std::uint32_t>(1).data()} {
    Kokkos::parallel_for("heddle::spmv::csb_tickets", range_policy(exec, 1),
                         backends::ClearTickets{tickets});
  }

  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<typename Exec::memory_space> arena_;

 public:
  Acc* const partials;
  const backends::Tickets tickets;
};

/// Runs the scheme csb: owns a copy of the matrix. If one triangle is stored, the mirror images of
/// diagonal blocks are added with these blocks, those of the others by a second sweep or
/// atomically.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Each member is made from those before it.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& resolved, const Parameters& parameters)
      : beta_(*parameters.beta),
        atomics_(parameters.sweep == Mirroring::atomics),
        symmetry_(in.symmetry),
        rows_(static_cast<double>(in.A.rows())),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, beta_, symmetry_ == Symmetry::hermitian),
        through_memory_(backends::scratch_bytes<Acc>(beta_) > in.device.scratch_bytes),
        vectors_(vectors_at_once(in)),
        scheme_(resolved),
        swept_by_columns_(storage_.sweep_columns(in.exec, symmetry_ != Symmetry::none)),
        by_rows_(in.exec, storage_.block_rows(), storage_.nonzeros(),
                 cutting(in, storage_.row_panels(), storage_.row_start())),
        by_columns_(in.exec, storage_.block_columns(), storage_.nonzeros(),
                    cutting(in, storage_.column_panels(), storage_.column_start())),
        room_(in.exec, partial_count()) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, vectors_, [&](const Product<V, Acc>& pass) {
      if (symmetry_ != Symmetry::none) return both_triangles(exec, op, pass);
      transposes(op) ? sweep<Way::columns>(exec, pass) : sweep<Way::rows>(exec, pass);
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override {
    return storage_.bytes() + by_rows_.bytes() + by_columns_.bytes() + room_.bytes();
  }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const std::int64_t all = storage_.nonzeros(), rest = swept_by_columns_;
    if (symmetry_ == Symmetry::none) return swept_bytes(transposes(op), all, vectors, with_beta);
    const double first = swept_bytes(false, all, vectors, with_beta);
    if (atomics_) return first + 2.0 * vectors * rows_ * sizeof(V);  // y is scaled first
    return rest > 0 ? first + swept_bytes(true, rest, vectors, true) : first;
  }

 private:
  static constexpr bool deals = backends::runs_on_host<Exec>;

  int passes(int vectors) const { return passes_over_matrix(vectors, vectors_); }

  /// Vectors of a pass: several if the sums of several fit in scratch too, or if none fit.
  int vectors_at_once(const Inspection<Exec, Matrix>& in) const {
    const std::size_t several = backends::scratch_bytes<Acc>(beta_ * tuning.most_vectors);
    const bool fits = several <= in.device.scratch_bytes;
    return in.vectors.count > 1 && (fits || through_memory_) ? tuning.most_vectors : 1;
  }

  Cutting<Off> cutting(const Inspection<Exec, Matrix>& in, const Off* panel_ptr,
                       const Off* start) const {
    const std::int64_t longer = std::max<std::int64_t>(in.A.rows(), in.A.columns());
    const std::int64_t target = std::max<std::int64_t>(
        {1, std::min<std::int64_t>(beta_, longer), storage_.nonzeros() / tuning.pieces(in.device)});
    return {panel_ptr, start, static_cast<Off>(target), through_memory_};
  }

  std::int64_t partial_count() const {
    return std::max(by_rows_.partials(), by_columns_.partials()) * beta_ * vectors_;
  }

  /// Let L be the stored triangle and M be L without its diagonal: A is L + M', or L + M^H if it is
  /// Hermitian; its transpose is A itself, or its conjugate.
  void both_triangles(const Exec& exec, Op op, Product<V, Acc> product) const {
    const bool hermitian = symmetry_ == Symmetry::hermitian;
    product.conjugate = hermitian ? op == Op::conjugate || op == Op::transpose : conjugates(op);
    const bool mirrored = product.conjugate != hermitian;
    if (atomics_) {
      scale(exec, product.beta, product.y);
      product.beta = Acc(1);
    }
    sweep<Way::triangle>(exec, product, {mirrored, atomics_});
    if (swept_by_columns_ == 0 || atomics_) return;
    product.conjugate = mirrored;
    product.beta = Acc(1);
    sweep<Way::columns>(exec, product);
  }

  template <Way Goes>
  void sweep(const Exec& exec, const Product<V, Acc>& product, const Mirror& mirror = {}) const {
    if (vectors_ == 1) return run<Goes, 1>(exec, product, mirror);
    run<Goes, tuning.most_vectors>(exec, product, mirror);
  }

  template <Way Goes, int Vectors>
  void run(const Exec& exec, const Product<V, Acc>& product, const Mirror& mirror) const {
    using Walk = csb::Walk<View<S, O, Off>, Sweep<O, Off>, Product<V, Acc>, Goes, Vectors>;
    constexpr bool by_columns = Goes == Way::columns;
    const Sweep<O, Off> sweep =
        by_columns ? by_columns_.sweep(storage_.column_order(), storage_.column_start())
                   : by_rows_.sweep(nullptr, storage_.row_start());
    if (sweep.piece_count == 0) return;
    const Walk walk{storage_.view(), sweep, product, mirror};
    const std::int64_t teams =
        deals ? std::min<std::int64_t>(exec.concurrency(), sweep.piece_count) : sweep.piece_count;
    const std::size_t scratch = through_memory_ ? 0 : backends::scratch_bytes<Acc>(beta_ * Vectors);
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>,
                                  backends::has_lanes<Exec> ? tuning.team_threads : 1>;
    backends::launch<Shape>(
        exec, by_columns ? "heddle::spmv::csb_columns" : "heddle::spmv::csb_rows", teams,
        Kernel<Walk, deals>{walk, room_.partials, room_.tickets,
                            static_cast<std::uint32_t>(sweep.piece_count + teams)},
        scratch);
    if (sweep.partials == 0) return;
    using Finish = FinishKernel<Sweep<O, Off>, Product<V, Acc>, Vectors>;
    parallel_for(exec, "heddle::spmv::csb_finish", product.y.rows,
                 Finish{sweep, product, beta_, room_.partials});
  }

  double swept_bytes(bool by_columns, std::int64_t entries, int vectors, bool with_beta) const {
    const auto& pieces = by_columns ? by_columns_ : by_rows_;
    constexpr double by_row = sizeof(Off) + sizeof(O), by_column = 3 * sizeof(Off) + sizeof(O);
    const double block = by_columns ? by_column : by_row;
    const double matrix = static_cast<double>(entries) * (sizeof(S) + 2 * sizeof(std::uint16_t)) +
                          static_cast<double>(storage_.blocks()) * block +
                          static_cast<double>(pieces.pieces()) * sizeof(PanelPiece<O, Off>);
    const double x = by_columns ? rows_ : columns_, y = by_columns ? columns_ : rows_;
    const double panel = std::min<double>(beta_, y);
    const double partials = 2.0 * static_cast<double>(pieces.partials()) * panel * sizeof(Acc);
    return passes(vectors) * matrix +
           vectors * (partials + static_cast<double>(sizeof(V)) * (x + y * (1 + with_beta)));
  }

  int beta_;
  bool atomics_;
  Symmetry symmetry_;
  double rows_;
  double columns_;
  Storage<Exec, S, O, Off> storage_;
  /// Whether the sums of a panel are too large for scratch, and are added up in memory.
  bool through_memory_;
  int vectors_;
  Scheme scheme_;
  /// Number of entries in a sweep by block columns.
  std::int64_t swept_by_columns_;
  PanelPieces<Exec, O, Off> by_rows_;
  PanelPieces<Exec, O, Off> by_columns_;
  PartialSums<Exec, Acc> room_;
};

}  // namespace heddle::detail::csb

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> CsbFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  const auto parameters =
      detail::csb::Parameters::resolve(scheme, in.symmetry != Symmetry::none, in.device);
  return std::make_unique<detail::csb::Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), parameters);
}

template <>
inline constexpr bool detail::is_defined<CsbFormat> = true;

}  // namespace heddle
