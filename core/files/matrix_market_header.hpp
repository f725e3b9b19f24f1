// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../words.hpp"
#include "load.hpp"
#include "numbers.hpp"

namespace heddle {

template <>
inline constexpr detail::Word<MatrixMarketFormat> detail::words<MatrixMarketFormat>[] = {
    {MatrixMarketFormat::coordinate, "coordinate"}, {MatrixMarketFormat::array, "array"}};

template <>
inline constexpr detail::Word<MatrixMarketField> detail::words<MatrixMarketField>[] = {
    {MatrixMarketField::real, "real"},
    {MatrixMarketField::integer, "integer"},
    {MatrixMarketField::complex, "complex"},
    {MatrixMarketField::pattern, "pattern"},
    {MatrixMarketField::unsigned_integer, "unsigned-integer"}};

template <>
inline constexpr detail::Word<MatrixMarketSymmetry> detail::words<MatrixMarketSymmetry>[] = {
    {MatrixMarketSymmetry::general, "general"},
    {MatrixMarketSymmetry::symmetric, "symmetric"},
    {MatrixMarketSymmetry::skew_symmetric, "skew-symmetric"},
    {MatrixMarketSymmetry::hermitian, "hermitian"}};

/// Header of a Matrix Market file.
struct MatrixMarketHeader {
  MatrixMarketFormat format = MatrixMarketFormat::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// Number of entries that the file lists: about half of all entries of a symmetric matrix.
  std::int64_t entries = 0;
  /// The comment lines without their %, joined by line ends.
  std::string comment = {};
};

namespace files {

inline Error error_at(std::string_view text, const std::string& name, const Fault& fault) {
  const auto offset = static_cast<std::size_t>(fault.at - text.data());
  return Error(fault.problem, Where{.file = name, .line = line_at(text, offset)}, fault.remedy);
}

inline bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

inline constexpr std::string_view matrix_market_banner = "%%matrixmarket";

inline bool is_matrix_market(std::string_view text) {
  return equal_ignoring_case(text.substr(0, matrix_market_banner.size()), matrix_market_banner);
}

/// Whether a text starts with a byte-order mark of UTF-8 or UTF-16.
inline bool has_byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") || text.starts_with("\xff\xfe") ||
         text.starts_with("\xfe\xff");
}

/// The next word of a line, empty at the line's end. Moves `at` past the word.
inline std::string_view next_word(const char*& at, const char* end) {
  at = skip_blanks(at, end);
  const std::string_view word = token_at(at, end);
  at += word.size();
  return word;
}

/// The enumerator whose word is next.
template <class Enum>
Enum parse_name(const char*& at, const char* end, const char* what) {
  const std::string_view next = next_word(at, end);
  for (const auto& [value, word] : detail::words<Enum>) {
    if (equal_ignoring_case(next, word)) return value;
  }
  throw Fault{at - next.size(),
              "the header gives the " + std::string(what) + " '" + printable(next) + "'",
              "write " + detail::known_words<Enum>("")};
}

inline void parse_banner(const char*& at, const char* end, MatrixMarketHeader& header) {
  const char* const start = at;
  if (has_byte_order_mark({at, static_cast<std::size_t>(end - at)})) {
    throw Fault{start, "the file starts with a byte-order mark",
                "save it as plain ASCII, or as UTF-8 without a mark"};
  }
  if (!equal_ignoring_case(next_word(at, end), matrix_market_banner)) {
    throw Fault{start, "this is not a Matrix Market file", "start it with '%%MatrixMarket matrix'"};
  }
  const std::string_view object = next_word(at, end);
  if (!equal_ignoring_case(object, "matrix")) {
    throw Fault{start, "the header announces the object '" + printable(object) + "'",
                "give an object of the kind 'matrix'"};
  }
  header.format = parse_name<MatrixMarketFormat>(at, end, "format");
  header.field = parse_name<MatrixMarketField>(at, end, "field");
  header.symmetry = parse_name<MatrixMarketSymmetry>(at, end, "symmetry");
  at = skip_blanks(at, end);
  if (!at_line_end(at, end)) {
    throw Fault{at, "'" + printable(token_at(at, end)) + "' follows the header",
                "end the first line after the symmetry"};
  }
  using enum MatrixMarketSymmetry;
  const bool pattern = header.field == MatrixMarketField::pattern;
  if (pattern && header.format == MatrixMarketFormat::array) {
    throw Fault{start, "a pattern has no values, and the array format nothing else",
                "write the coordinate format"};
  }
  if (pattern && header.symmetry != general && header.symmetry != symmetric) {
    throw Fault{start, std::string("a pattern cannot be ") + heddle::name(header.symmetry),
                "declare it general or symmetric"};
  }
  if (header.symmetry == hermitian && header.field != MatrixMarketField::complex) {
    throw Fault{start, "only a complex matrix can be hermitian", "declare it symmetric"};
  }
}

inline std::int64_t parse_size(const char*& at, const char* end, const char* kind) {
  at = skip_blanks(at, end);
  const char* const start = at;
  const std::int64_t size = parse_integer(at, end, kind);
  if (size < 0) {
    throw Fault{start, "a size is " + std::to_string(size), "give sizes of zero or more"};
  }
  return size;
}

/// Number of entries that an array of this shape and symmetry lists.
inline std::int64_t array_entries(const char* size_line, const MatrixMarketHeader& header) {
  const std::int64_t n = header.rows, m = header.columns;
  if (n == 0 || m == 0) return 0;
  if (n > std::numeric_limits<std::int64_t>::max() / m - 1) {
    throw Fault{size_line,
                "the array has " + std::to_string(n) + " x " + std::to_string(m) + " numbers",
                "correct the sizes; no file is so large"};
  }
  switch (header.symmetry) {
    case MatrixMarketSymmetry::general: return n * m;
    case MatrixMarketSymmetry::skew_symmetric: return n * (n - 1) / 2;
    default: return n * (n + 1) / 2;
  }
}

inline void parse_size_line(const char*& at, const char* end, MatrixMarketHeader& header) {
  const char* const start = skip_blanks(at, end);
  header.rows = parse_size(at, end, "number of rows");
  header.columns = parse_size(at, end, "number of columns");
  const bool coordinate = header.format == MatrixMarketFormat::coordinate;
  if (coordinate) header.entries = parse_size(at, end, "number of entries");
  at = skip_blanks(at, end);
  if (!at_line_end(at, end)) {
    throw Fault{
        at, "'" + printable(token_at(at, end)) + "' follows the sizes",
        coordinate ? "write rows, columns and entries" : "write rows and columns of an array"};
  }
  if (header.symmetry != MatrixMarketSymmetry::general && header.rows != header.columns) {
    throw Fault{start,
                std::string("it is declared ") + heddle::name(header.symmetry) + ", yet " +
                    std::to_string(header.rows) + " x " + std::to_string(header.columns),
                "declare it general"};
  }
  if (!coordinate) header.entries = array_entries(start, header);
}

/// Reads the header at the start of `text`; returns the start of the entries.
inline const char* parse_header(std::string_view text, MatrixMarketHeader& header) {
  const char* at = text.data();
  const char* const end = at + text.size();
  parse_banner(at, end, header);
  while (true) {
    if (at == end) {
      throw Fault{at, "the file ends before the line with the sizes",
                  "give rows, columns and, for the coordinate format, entries"};
    }
    ++at;
    const char* const line = skip_blanks(at, end);
    if (at_line_end(line, end)) {
      at = line;
    } else if (*line == '%') {
      at = std::find(line, end, '\n');
      const char* last = at;
      if (last[-1] == '\r') --last;
      if (!header.comment.empty()) header.comment += '\n';
      header.comment.append(line + 1, std::max(line + 1, last));
    } else {
      parse_size_line(at, end, header);
      return at == end ? end : at + 1;
    }
  }
}

}  // namespace files

/// The header of a Matrix Market file that is in memory; an Error names the file `name`.
inline MatrixMarketHeader parse_matrix_market_header(std::string_view text,
                                                     const std::string& name = "<memory>") {
  MatrixMarketHeader header;
  try {
    files::parse_header(text, header);
  } catch (const files::Fault& fault) {
    throw files::error_at(text, name, fault);
  }
  return header;
}

namespace files {

/// The header of a file, which must end in the first `longest` bytes.
inline MatrixMarketHeader read_header(const std::string& path, std::size_t longest) {
  try {
    std::ifstream stream = open_to_read(path);
    Bytes raw, content;
    for (std::size_t limit = std::size_t{1} << 16; limit <= longest; limit *= 4) {
      read_up_to(stream, raw, limit);
      bool whole = raw.size() < limit;
      std::string_view text = raw.view();
      if (compression_of(text) != Compression::none) {
        content = unpack_view(text, path, limit, !whole);
        whole = whole && content.size() < limit;
        text = content.view();
      }
      // An incomplete last line is left out.
      if (!whole) text = text.substr(0, text.rfind('\n') + 1);
      try {
        return parse_matrix_market_header(text, path);
      } catch (const Error&) {
        if (whole || !is_matrix_market(text)) throw;
      }
    }
  } catch (const std::bad_alloc&) {
    throw out_of_memory(path);
  }
  throw Error("the first " + std::to_string(longest) + " bytes of the file have no sizes",
              Where{.file = path}, "shorten its comments");
}

}  // namespace files

/// Reads the header of a Matrix Market file, plain, gzip or xz, and not the rest of the file. It
/// consumes the first 64 KiB of a pipe, or more if the header is longer.
inline MatrixMarketHeader read_matrix_market_header(const std::string& path) {
  return files::read_header(path, std::size_t{1} << 30);
}

}  // namespace heddle
