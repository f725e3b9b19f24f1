// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "../../backends/loops.hpp"
#include "../../backends/pack.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../backends/unroll.hpp"
#include "../common/arrays.hpp"
#include "../common/owned_executor.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_lists.hpp"
#include "format.hpp"
#include "kernel.hpp"
#include "tile.hpp"
#include "view.hpp"

namespace heddle::detail::tiled {

/// Statistics of the rows of a tile. It has no arrays, which a GPU would keep in memory, and its
/// loops are not unrolled, so that it stays in registers.
class TileRows {
 public:
  /// `codes` are 16 * row + column of each entry, in the order of rows.
  KOKKOS_FUNCTION TileRows(const unsigned char* codes, std::int64_t entries) {
    std::int64_t i = 0;
    HEDDLE_UNROLL(1)
    for (int row = 0; row < tile_size; ++row) {
      std::uint32_t columns = 0;
      std::uint64_t length = 0;
      HEDDLE_UNROLL(1)
      for (; i < entries && codes[i] >> 4 == row; ++i, ++length) {
        const std::uint32_t bit = std::uint32_t{1} << (codes[i] & 15);
        repeats_ = repeats_ || (columns & bit) != 0;
        columns |= bit;
      }
      if (row == 0) first_row_ = columns;
      whole_rows_ = whole_rows_ && (columns == 0 || columns == all_columns);
      alike_ = alike_ && columns == first_row_;
      rows_with_entries_ |= (columns != 0) << row;
      (row < 8 ? low_ : high_) |= (length & 255) << (8 * (row & 7));
    }
  }

  KOKKOS_FUNCTION bool repeats() const { return repeats_; }
  /// Number of entries of a row; valid only without repeats.
  KOKKOS_FUNCTION int length(int row) const {
    return static_cast<int>((row < 8 ? low_ : high_) >> (8 * (row & 7)) & 255);
  }
  /// A bit for each row that has entries if all these rows are full, or 0.
  KOKKOS_FUNCTION int whole_rows() const { return whole_rows_ ? rows_with_entries_ : 0; }
  /// A bit for each column that has entries if all these columns are full, or 0.
  KOKKOS_FUNCTION int whole_columns() const { return alike_ ? static_cast<int>(first_row_) : 0; }

 private:
  static constexpr std::uint32_t all_columns = (1u << tile_size) - 1;
  std::uint64_t low_ = 0, high_ = 0;  // a byte for the length of each row
  std::uint32_t first_row_ = 0;
  int rows_with_entries_ = 0;
  bool repeats_ = false, whole_rows_ = true, alike_ = true;
};

/// The layout of a tile with `entries` entries, and its parameters. Repeated entries are stored as
/// a list. Source of the layouts and of the rules: Y. Niu, Z. Lu, M. Dong, Z. Jin, W. Liu and G.
/// Tan, "TileSpMV: a tiled algorithm for sparse matrix-vector multiplication on GPUs", IPDPS 2021;
/// HYB gets the fewest slots that leave no more entries than the bound.
KOKKOS_INLINE_FUNCTION Tile tile_shape(const unsigned char* codes, std::int64_t entries,
                                       const Rules& rules) {
  if (entries <= rules.most_coo_entries || entries > tile_size * tile_size) {
    return Tile::make(Layout::coo, entries);
  }
  const TileRows rows(codes, entries);
  if (rows.repeats()) return Tile::make(Layout::coo, entries);
  if (entries >= rules.least_dense_entries) return Tile::make(Layout::dense, entries);
  if (const int lines = rows.whole_rows()) {
    return Tile::make(Layout::dense_rows, entries, 0, lines);
  }
  if (const int lines = rows.whole_columns()) {
    return Tile::make(Layout::dense_columns, entries, 0, lines);
  }
  int longest = 0;
  double squares = 0;
  HEDDLE_UNROLL(1)
  for (int row = 0; row < tile_size; ++row) {
    const int length = rows.length(row);
    longest = length > longest ? length : longest;
    squares += static_cast<double>(length) * length;
  }
  const double sum = static_cast<double>(entries);
  const double variation_squared = tile_size * squares / (sum * sum) - 1;
  const double most_ell = rules.most_ell_percent / 100.0;
  const double least_hyb = rules.least_hyb_percent / 100.0;
  if (most_ell >= 0 && variation_squared <= most_ell * most_ell) {
    return Tile::make(Layout::ell, entries, longest);
  }
  if (least_hyb >= 0 && variation_squared >= least_hyb * least_hyb) {
    HEDDLE_UNROLL(1)
    for (int width = 1; width * tile_size <= rules.most_hyb_padding * entries; ++width) {
      int rest = 0;
      HEDDLE_UNROLL(1)
      for (int row = 0; row < tile_size; ++row) {
        rest += rows.length(row) > width ? rows.length(row) - width : 0;
      }
      if (rest <= rules.most_hyb_rest) return Tile::make(Layout::hyb, entries, width, rest);
    }
  }
  return Tile::make(Layout::csr, entries, longest);
}

/// Stores the position of each entry in its tile: the first pass of fill_lists.
struct PutCode {
  unsigned char* codes;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, const recipe::Point& point,
                                              std::int64_t) const {
    codes[place] = static_cast<unsigned char>(point.inner_row * tile_size + point.inner_column);
  }
};

/// Stores the value of each entry: the last pass of fill_lists, and the only one in update_values.
template <Scalar S, Offset Off>
struct PutValue {
  const Tile* tile;
  const Off* list_ptr;
  const S* from;
  unsigned char* data;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t block, std::int64_t place,
                                              const recipe::Point& point, std::int64_t k) const {
    const Tile to = tile[block];
    S* const values = reinterpret_cast<S*>(data + to.first);
    const auto* const indices = reinterpret_cast<const unsigned char*>(values + to.values());
    S* const value =
        values + value_place(to, indices, place - static_cast<std::int64_t>(list_ptr[block]),
                             static_cast<int>(point.inner_row),
                             static_cast<int>(point.inner_column));
    backends::put_hole(value);
    backends::add_entry(value, from[k]);
  }
};

/// Chooses the layout of each tile.
template <Offset Off>
struct ShapesKernel {
  const Off* list_ptr;
  const unsigned char* codes;
  Rules rules;
  Tile* tile;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const auto begin = static_cast<std::int64_t>(list_ptr[t]);
    tile[t] = tile_shape(codes + begin, static_cast<std::int64_t>(list_ptr[t + 1]) - begin, rules);
  }
};

/// Bytes of all tiles, and those among them that an apply does not read.
struct DataSize {
  std::int64_t bytes = 0;
  std::int64_t not_read = 0;
};

/// Lays tiles out one after the other: a scan over their shapes, and over one more item, which
/// holds the end of the data. Its last sum is the size of the data; it also writes the table, once
/// it is allocated.
template <Offset Off>
struct LayoutKernel {
  using value_type = DataSize;

  std::int64_t tiles;
  std::size_t value_bytes;
  const Tile* shapes;
  const Off* lists;
  Tile* tile;  ///< null while only the size is counted
  Off* list_ptr;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = DataSize(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const {
    sum.bytes += other.bytes;
    sum.not_read += other.not_read;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t t, value_type& sum, bool last) const {
    const bool exists = t < tiles;
    const Tile shape = exists ? shapes[t] : Tile::make(Layout::coo, 0);
    if (last && tile) {
      tile[t] = {sum.bytes, shape.shape};
      list_ptr[t] = lists[t];
    }
    sum.bytes += exists ? shape.bytes(value_bytes) : 0;
    sum.not_read += exists && shape.has_slots() ? tile_size : 0;
  }
};

/// Cuts tile rows into pieces: a scan over them, and over one more item, the end of the last piece.
template <Ordinal O, Offset Off>
struct PiecesKernel {
  using value_type = PieceCounts;

  std::int64_t tile_rows;
  std::int64_t piece_tiles;
  const Off* tile_ptr;
  TilePiece<O>* piece;  ///< null while pieces are counted
  CutPanel* cut;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = PieceCounts(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.add(other); }
  KOKKOS_FUNCTION void operator()(std::int64_t row, value_type& sum, bool last) const {
    const auto first = static_cast<std::int64_t>(tile_ptr[row]);
    if (row == tile_rows) {
      if (last && piece) piece[sum.pieces] = {first, static_cast<O>(row), O(-1)};
      return;
    }
    const std::int64_t tiles = static_cast<std::int64_t>(tile_ptr[row + 1]) - first;
    const PieceCounts here = PieceCounts::of(ceil_div(tiles, piece_tiles));
    for (std::int64_t i = 0; last && piece && i < here.pieces; ++i) {
      piece[sum.pieces + i] = {first + i * piece_tiles, static_cast<O>(row),
                               here.cut ? static_cast<O>(sum.carries + i) : O(-1)};
    }
    if (last && piece && here.cut) cut[sum.cut] = {row, sum.carries, here.carries};
    sum.add(here);
  }
};

/// Writes the indices of each tile, and holes in its places without an entry; with `touch_all` in
/// all places.
template <Scalar S, Offset Off>
struct IndicesKernel {
  const Tile* tile;
  const Off* list_ptr;
  const unsigned char* all_codes;
  unsigned char* data;
  bool touch_all;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const Tile to = tile[t];
    const unsigned char* const codes = all_codes + list_ptr[t];
    S* const values = reinterpret_cast<S*>(data + to.first);
    auto* const indices = reinterpret_cast<unsigned char*>(values + to.values());
    const bool holes = touch_all || to.has_slots() || to.layout() == Layout::dense;
    for (std::int64_t i = 0; holes && i < to.values(); ++i) backends::put_hole(values + i);
    switch (to.layout()) {
      case Layout::coo:
        for (std::int64_t i = 0; i < to.entries(); ++i) indices[i] = codes[i];
        break;
      case Layout::csr:
        write_starts(codes, to.entries(), indices);
        for (std::int64_t i = 0; i < to.entries(); ++i) {
          put_column(indices + tile_size, i, codes[i], i % 2 == 0);
        }
        break;
      case Layout::ell:
      case Layout::hyb: write_slots(to, codes, indices); break;
      default: break;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static void write_starts(const unsigned char* codes, std::int64_t entries,
                                                  unsigned char* starts) {
    std::int64_t i = 0;
    for (int row = 0; row < tile_size; ++row) {
      while (i < entries && codes[i] >> 4 < row) ++i;
      starts[row] = static_cast<unsigned char>(i);
    }
  }
  KOKKOS_INLINE_FUNCTION static void put_column(unsigned char* columns, std::int64_t i,
                                                unsigned char code, bool fresh) {
    const int before = fresh ? 0 : columns[i / 2];
    columns[i / 2] = static_cast<unsigned char>(before | (code & 15) << (4 * (i & 1)));
  }
  KOKKOS_INLINE_FUNCTION static void write_slots(const Tile& to, const unsigned char* codes,
                                                 unsigned char* indices) {
    write_starts(codes, to.entries(), indices + to.row_starts());
    for (int i = 0; i < to.slots() / 2; ++i) indices[i] = 0;
    for (std::int64_t i = 0; i < to.entries(); ++i) {
      const std::int64_t place = value_place(to, indices, i, codes[i] >> 4, codes[i] & 15);
      if (place < to.slots()) {
        put_column(indices, place, codes[i], false);
      } else {
        indices[to.slots() / 2 + (place - to.slots())] = codes[i];
      }
    }
  }
};

/// Writes indices on a CPU: each thread those that it will read (first-touch placement).
template <class View, class Indices>
struct SharesOfIndices {
  using Scratch = backends::NoScratch;

  View A;
  Indices indices;
  int shares;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t first = A.first_piece(team.index(), shares);
    const std::int64_t last = A.first_piece(team.index() + 1, shares);
    for (auto t = A.piece[first].first_tile; t < A.piece[last].first_tile; ++t) indices(t);
  }
};

struct CountLayout {
  const Tile* tile;
  int which;
  KOKKOS_FUNCTION void operator()(std::int64_t t, std::int64_t& sum) const {
    sum += static_cast<int>(tile[t].layout()) == which;
  }
};

inline auto tiles_recipe() {
  return recipe::tile_rows(tile_size) | recipe::tile_columns(tile_size);
}

/// The arrays of a matrix in tiles, in one allocation and in the order that kernels read them:
/// pieces, columns of tiles, tiles, their data, carry-outs; and the arrays of update_values. The
/// recipe: tile rows, tile columns, compact; each tile a list.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Reads the columns four times and the values once; waits for `exec` at four readbacks and at
  /// the end, when a workspace of an offset and a byte for each nonzero is freed. If a tile row is
  /// long, entries are sorted, in a workspace of three or more offsets for each nonzero, and an
  /// offset for each nonzero is kept.
  Storage(const Exec& exec, const Matrix& A, const Parameters& parameters, const Device& device) {
    const recipe::Compact<Exec, Matrix, decltype(tiles_recipe())> count(exec, A, tiles_recipe());
    tiles_ = count.keys();
    Arena<Space> work;
    const auto [tile_ptr, tile_col, list_ptr, next, shapes, codes] =
        arrays<Off, O, Off, Off, Tile, unsigned char>(work, exec, "heddle::spmv::tiled_work",
                                                      count.panels() + 1, tiles_, tiles_ + 1,
                                                      tiles_, tiles_, A.nonzeros());
    count.write(exec, tile_ptr, tile_col);
    if (count.has_long_panels()) {
      std::tie(source_) =
          arrays<Off>(source_arena_, exec, "heddle::spmv::tiled_source", A.nonzeros());
      recipe::sort_lists(exec, A, tiles_recipe(), tiles_, tile_ptr, tile_col, list_ptr, source_);
    } else {
      recipe::count_lists(exec, A, tiles_recipe(), tiles_, tile_ptr, tile_col, list_ptr, next);
    }
    recipe::fill_lists(exec, "heddle::spmv::tiled_codes", A, tiles_recipe(), tiles_, tile_ptr,
                       tile_col, list_ptr, next, source_, PutCode{codes});
    Kokkos::parallel_for("heddle::spmv::tiled_shapes", range_policy(exec, tiles_),
                         ShapesKernel<Off>{list_ptr, codes, Rules(), shapes});
    LayoutKernel<Off> layout{tiles_, sizeof(S), shapes, list_ptr, nullptr, nullptr};
    Kokkos::parallel_scan("heddle::spmv::tiled_sizes", scan_policy(exec, tiles_ + 1), layout,
                          size_);
    PiecesKernel<O, Off> cut{count.panels(), parameters.piece_tiles(tiles_, device), tile_ptr,
                             nullptr, nullptr};
    Kokkos::parallel_scan("heddle::spmv::tiled_pieces", scan_policy(exec, count.panels() + 1), cut,
                          counts_);

    carries_ = {nullptr, tile_size, most_vectors};
    std::tie(piece_, tile_col_, tile_, data_, carries_.sums, cut_tile_rows_, tile_ptr_, list_ptr_,
             next_) =
        arrays<TilePiece<O>, O, Tile, unsigned char, Acc, CutPanel, Off, Off, Off>(
            arena_, exec, "heddle::spmv::tiled", counts_.pieces + 1, tiles_, tiles_ + 1,
            size_.bytes, counts_.carries * most_vectors * tile_size, counts_.cut,
            count.panels() + 1, tiles_ + 1, tiles_);
    count.write(exec, tile_ptr_, tile_col_);
    layout.tile = tile_;
    layout.list_ptr = list_ptr_;
    cut.piece = piece_;
    cut.cut = cut_tile_rows_;
    Kokkos::parallel_scan("heddle::spmv::tiled_layout", scan_policy(exec, tiles_ + 1), layout);
    Kokkos::parallel_scan("heddle::spmv::tiled_cut", scan_policy(exec, count.panels() + 1), cut);
    rows_ = A.rows();
    write_indices(exec, codes);
    update_values(exec, A);
  }

  /// Writes new values of the same pattern: at most two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const {
    recipe::fill_lists(exec, "heddle::spmv::tiled_values", A, tiles_recipe(), tiles_, tile_ptr_,
                       tile_col_, list_ptr_, next_, source_,
                       PutValue<S, Off>{tile_, list_ptr_, A.values().data(), data_});
  }

  View<S, O> view() const { return {rows_, counts_.pieces, piece_, tile_col_, tile_, data_}; }
  const Carries<Acc>& carries() const { return carries_; }
  /// Number of tile rows that are cut, and the table of them.
  std::int64_t cut() const { return counts_.cut; }
  const CutPanel* cut_tile_rows() const { return cut_tile_rows_; }
  std::int64_t tiles() const { return tiles_; }
  std::size_t bytes() const { return arena_.bytes() + source_arena_.bytes(); }

  /// Bytes that a pass over the tiles reads, without x and y, and the bytes that each vector adds.
  double read_bytes() const {
    return static_cast<double>(counts_.pieces + 1) * sizeof(TilePiece<O>) +
           static_cast<double>(tiles_) * (sizeof(O) + sizeof(Tile)) +
           static_cast<double>(size_.bytes - size_.not_read);
  }
  double carried_bytes() const {
    return 2.0 * tile_size * sizeof(Acc) * static_cast<double>(counts_.carries);
  }

  /// Number of tiles of each layout, in the order of Layout; waits for `exec`.
  std::array<std::int64_t, layouts> tiles_of_layouts(const Exec& exec) const {
    std::array<std::int64_t, layouts> counts{};
    for (int which = 0; which < layouts; ++which) {
      Kokkos::parallel_reduce("heddle::spmv::tiled_layouts", range_policy(exec, tiles_),
                              CountLayout{tile_, which}, counts[static_cast<std::size_t>(which)]);
    }
    return counts;
  }

 private:
  void write_indices(const Exec& exec, const unsigned char* codes) const {
    using Indices = IndicesKernel<S, Off>;
    const Indices indices{tile_, list_ptr_, codes, data_, backends::runs_on_host<Exec>};
    if constexpr (backends::runs_on_host<Exec>) {
      const int shares = backends::threads_at_once(exec);
      backends::launch<backends::Shape<1>>(
          exec, "heddle::spmv::tiled_indices", shares,
          SharesOfIndices<View<S, O>, Indices>{view(), indices, shares});
    } else {
      Kokkos::parallel_for("heddle::spmv::tiled_indices", range_policy(exec, tiles_), indices);
    }
  }

  O rows_ = 0;
  std::int64_t tiles_ = 0;
  DataSize size_;
  PieceCounts counts_;
  Arena<Space> arena_;
  Arena<Space> source_arena_;
  TilePiece<O>* piece_ = nullptr;
  O* tile_col_ = nullptr;
  Tile* tile_ = nullptr;
  unsigned char* data_ = nullptr;
  Carries<Acc> carries_;
  CutPanel* cut_tile_rows_ = nullptr;
  Off* tile_ptr_ = nullptr;
  Off* list_ptr_ = nullptr;
  Off* next_ = nullptr;
  Off* source_ = nullptr;
};

/// Runs the scheme tiled/16: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, most_vectors>;

  Runs(const Inspection<Exec, Matrix>& in, const Scheme& asked)
      : Runs(in, asked, parameters_of<Parameters>(asked, in.device)) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    using View = tiled::View<S, O>;
    const TileEpilogue<View, Product<V, Acc>> deliver{storage.view(), product, storage.carries()};
    if constexpr (backends::has_lanes<Exec>) {
      using Shape = backends::Shape<2 * tile_size, tuning.team_threads>;
      backends::launch<Shape>(
          exec, "heddle::spmv::tiled",
          ceil_div<std::int64_t>(deliver.A.pieces, tuning.team_threads / Shape::subwarp_width),
          Kernel<View, Product<V, Acc>, tuning.batch, Vectors>{deliver});
    } else {
      const int shares = exec.concurrency();
      backends::launch<backends::Shape<1>>(
          exec, "heddle::spmv::tiled", shares,
          TilesOnThreads<View, Product<V, Acc>, Vectors>{deliver, shares});
    }
    if (storage.cut() > 0) {
      finish_panels(exec, "heddle::spmv::tiled_finish", storage.cut_tile_rows(), storage.cut(),
                    storage.carries(), product, deliver);
    }
    return true;
  }

  Storage<Exec, S, O, Off, Acc> storage;
  Scheme scheme;

 private:
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& asked, Parameters parameters)
      : storage(in.exec, in.A, parameters, in.device) {
    parameters.piece = parameters.piece_tiles(storage.tiles(), in.device);
    scheme = scheme_with(asked, parameters, in.device);
  }
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::tiled

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> TiledFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  return std::make_unique<detail::tiled::Executor<Exec, Matrix, V, Acc>>(in, scheme);
}

template <>
inline constexpr bool detail::is_defined<TiledFormat> = true;

}  // namespace heddle
