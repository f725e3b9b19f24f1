// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are written: texts of Matrix Market, binary files of PETSc, and which files are
// replaced.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

#include "../../core/files/output_file.hpp"
#include "../support/files.hpp"

namespace fs = std::filesystem;
using files_test::content_of;
using files_test::error_of;
using files_test::random_matrix;
using files_test::same;
using files_test::TemporaryFile;
using files_test::TemporaryFolder;
using files_test::with_compressions;
using heddle::MatrixMarketSymmetry;
using heddle::parse_matrix_market;
using heddle::read_matrix_market;
using heddle::write_matrix_market;
using heddle::files::OutputFile;
using heddle::files::require_writable;
using heddle::files::write_whole_file;

namespace {

template <class Storage>
std::string written(const Storage& matrix, const heddle::MatrixMarketWriteOptions& options = {}) {
  const TemporaryFile file(".mtx");
  write_matrix_market(file.path(), matrix.matrix(), options);
  return file.content();
}

/// The matrix must come back bit for bit from every kind of file, whatever the threads.
template <class S>
void check_comes_back(const heddle::CsrStorage<S, int, std::int64_t, Kokkos::HostSpace>& matrix) {
  const auto check = [&](const std::string& suffix, const auto& write, const auto& read) {
    CAPTURE(suffix);
    for (const int threads : {1, 3}) {
      const TemporaryFile file(suffix);
      write(file.path(), threads);
      CHECK(same(matrix, read(file.path(), heddle::ReadOptions{.threads = threads})));
      CHECK(same(matrix, heddle::read_matrix<S, int, std::int64_t>(file.path())));
      if (!suffix.ends_with(".mtx") && !suffix.ends_with(".petsc")) break;
    }
  };
  for (const std::string& suffix : with_compressions(".mtx")) {
    check(
        suffix,
        [&](const std::string& path, int threads) {
          write_matrix_market(path, matrix.matrix(), {.threads = threads});
        },
        read_matrix_market<S, int, std::int64_t>);
  }
  for (const bool wide : {false, true}) {
    for (const std::string& suffix : with_compressions(".petsc")) {
      check(
          suffix,
          [&](const std::string& path, int threads) {
            heddle::write_petsc(path, matrix.matrix(), {.indices_64 = wide, .threads = threads});
          },
          heddle::read_petsc<S, int, std::int64_t>);
      if (wide) break;
    }
  }
}

unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(fs::status(path).permissions());
}

/// The path must be refused, by an Error that names it and a remedy.
void check_refused(const std::string& path) {
  CAPTURE(path);
  for (const auto& error : {error_of([&] { write_whole_file(path, "new"); }),
                            error_of([&] { require_writable(path); })}) {
    CHECK(error.where().file == path);
    CHECK(!error.remedy().empty());
  }
}

/// The content of a descriptor from its position to the end.
std::string rest_of(int descriptor) {
  std::string text;
  char buffer[64];
  for (ssize_t got; (got = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

TEST_CASE("the text and the bytes that are written") {
  const std::string body = "2 3 3\n1 1 0.1\n1 3 -2\n2 2 1e+300\n";
  const std::string text = "%%MatrixMarket matrix coordinate real general\n" + body;
  const auto matrix = parse_matrix_market(text);
  CHECK(written(matrix) == text);
  CHECK(written(matrix, {.comment = " two\nlines"}) ==
        "%%MatrixMarket matrix coordinate real general\n% two\n%lines\n" + body);
  CHECK(written(matrix, {.pattern = true}) ==
        "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n1 3\n2 2\n");

  // PETSc: a class, sizes, row lengths, columns and values, all big-endian.
  const TemporaryFile file(".petsc");
  for (const bool wide : {false, true}) {
    std::string bytes;
    const auto add = [&](std::uint64_t number, int size) {
      while (size > 0) bytes += static_cast<char>(number >> (8 * --size));
    };
    for (const std::uint64_t integer : {1211216, 2, 3, 3, 2, 1, 0, 2, 1}) {
      add(integer, wide ? 8 : 4);
    }
    for (const double value : {0.1, -2.0, 1e300}) add(std::bit_cast<std::uint64_t>(value), 8);
    heddle::write_petsc(file.path(), matrix.matrix(), {.indices_64 = wide});
    CHECK(file.content() == bytes);
  }
}

TEST_CASE_TEMPLATE("every scalar comes back bit for bit", S, float, double, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
  const auto matrix = random_matrix<S, int, std::int64_t>(2000, 1500, 9);
  using Real = heddle::RealOf<S>;
  using Limits = std::numeric_limits<Real>;
  const Real special[] = {Limits::max(),        Limits::lowest(),    Limits::min(),
                          Limits::denorm_min(), Limits::infinity(),  -Limits::infinity(),
                          Real(-0.0),           Limits::quiet_NaN(), Limits::epsilon()};
  std::size_t k = 0;
  for (const Real value : special) matrix.values()(k++) = S(value);
  check_comes_back(matrix);
}

TEST_CASE("a long file comes back, in many pieces") {
  check_comes_back(random_matrix<double, int, std::int64_t>(30000, 50000, 12));
}

TEST_CASE("one row longer than any piece of the file") {
  const auto matrix = random_matrix<double, int, std::int64_t>(1, 420'000, 210'000);
  CHECK(matrix.nonzeros() > (1 << 18));
  check_comes_back(matrix);
}

TEST_CASE("PETSc: a NaN of double precision keeps all its bits") {
  auto matrix = random_matrix(1, 1, 1);
  REQUIRE(matrix.nonzeros() == 1);
  matrix.values()(0) = std::bit_cast<double>(0xfff8'0000'1234'5678);
  const TemporaryFile file(".petsc");
  heddle::write_petsc(file.path(), matrix.matrix());
  CHECK(same(matrix, heddle::read_petsc(file.path())));
}

TEST_CASE("ordinals of 64 bits, matrices without rows, and columns in disorder") {
  const auto wide = parse_matrix_market<double, std::int64_t, std::int64_t>(
      "%%MatrixMarket matrix coordinate real general\n2 9000000000000000000 1\n"
      "2 8999999999999999999 0.5\n");
  CHECK(same(wide, parse_matrix_market<double, std::int64_t, std::int64_t>(written(wide))));

  const TemporaryFile file(".mtx"), petsc(".petsc");
  write_matrix_market(file.path(), heddle::CsrMatrix<double, int, int, Kokkos::HostSpace>(
                                       0, 3, 0, nullptr, nullptr, nullptr));
  CHECK(read_matrix_market(file.path()).columns() == 3);
  const heddle::CsrMatrix<double, std::int64_t, int, Kokkos::HostSpace> broad(
      0, 5000000000, 0, nullptr, nullptr, nullptr);
  CHECK(error_of([&] { heddle::write_petsc(petsc.path(), broad); }).remedy().find("indices_64") !=
        std::string::npos);
  heddle::write_petsc(petsc.path(), broad, {.indices_64 = true});
  CHECK(heddle::read_petsc<double, std::int64_t, int>(petsc.path()).columns() == 5000000000);

  const int row_ptr[] = {0, 3}, col_idx[] = {2, 0, 2};
  const double values[] = {1, 2, 3};
  write_matrix_market(file.path(), heddle::CsrMatrix<double, int, int, Kokkos::HostSpace>(
                                       1, 3, 3, row_ptr, col_idx, values));
  CHECK(file.content().ends_with("1 3 1\n1 1 2\n1 3 3\n"));
  CHECK_THROWS_AS(read_matrix_market(file.path()), heddle::Error);
}

TEST_CASE("a symmetric matrix comes back as the text it was") {
  const std::string bodies[] = {
      "real symmetric\n3 3 3\n1 1 5\n2 1 4\n3 2 -6\n",
      "real skew-symmetric\n3 3 2\n2 1 4\n3 2 -6\n",
      "pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
      "complex symmetric\n2 2 2\n1 1 5 1\n2 1 4 2\n",
      "complex skew-symmetric\n2 2 1\n2 1 4 2\n",
      "complex hermitian\n2 2 2\n1 1 5 0\n2 1 4 2\n",
      "real skew-symmetric\n2 2 1\n2 1 0\n",
  };
  for (const std::string& body : bodies) {
    const std::string text = "%%MatrixMarket matrix coordinate " + body;
    CAPTURE(text);
    const auto header = heddle::parse_matrix_market_header(text);
    const heddle::MatrixMarketWriteOptions options{
        .symmetry = header.symmetry, .pattern = header.field == heddle::MatrixMarketField::pattern};
    if (header.field == heddle::MatrixMarketField::complex) {
      CHECK(written(parse_matrix_market<Kokkos::complex<double>>(text), options) == text);
    } else {
      CHECK(written(parse_matrix_market(text), options) == text);
    }
  }
}

TEST_CASE("a symmetry is verified before it is written") {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  const TemporaryFile file(".mtx");
  auto refused = [&](const std::string& body, MatrixMarketSymmetry symmetry, std::int64_t row) {
    const auto matrix =
        parse_matrix_market(real + body, "t", {.duplicates = heddle::Duplicates::add});
    const auto error = error_of(
        [&] { write_matrix_market(file.path(), matrix.matrix(), {.symmetry = symmetry}); });
    CHECK(error.where().row == row);
    CHECK(!std::filesystem::exists(file.path()));
  };
  using enum MatrixMarketSymmetry;
  refused("2 2 2\n1 1 1\n2 1 1\n", symmetric, 1);
  refused("2 2 2\n1 2 1\n2 1 1.0000000000000002\n", symmetric, 0);
  refused("2 2 2\n1 2 1\n2 1 1\n", skew_symmetric, 0);
  refused("2 2 3\n1 2 1\n2 1 -1\n2 2 1\n", skew_symmetric, 1);
  refused("2 3 0\n", symmetric, -1);
  refused("1 1 1\n1 1 1\n", hermitian, -1);
}

TEST_CASE("zeros that a skew-symmetric matrix stores on its diagonal are left out") {
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 0\n1 2 -3\n2 1 3\n2 2 -0\n");
  const std::string text = written(matrix, {.symmetry = MatrixMarketSymmetry::skew_symmetric});
  CHECK(text.ends_with("2 2 1\n2 1 3\n"));
  CHECK(parse_matrix_market(text).nonzeros() == 2);
}

TEST_CASE("in a symmetry zeros of either sign are equal, and so are all NaNs") {
  using enum MatrixMarketSymmetry;
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n3 3 4\n2 1 -0\n1 2 0\n3 1 nan\n1 3 -nan\n");
  for (const auto symmetry : {symmetric, skew_symmetric}) {
    const std::string text = written(matrix, {.symmetry = symmetry});
    CHECK(text.ends_with("3 3 2\n2 1 -0\n3 1 nan\n"));
    CHECK(parse_matrix_market(text).nonzeros() == 4);
  }
  using Complex = Kokkos::complex<double>;
  const std::string head = "%%MatrixMarket matrix coordinate complex general\n2 2 2\n";
  const auto pair = parse_matrix_market<Complex>(head + "2 1 0 nan\n1 2 -0 nan\n");
  CHECK(parse_matrix_market<Complex>(written(pair, {.symmetry = hermitian})).nonzeros() == 2);
  // Values that a reader would refuse are not written.
  const auto diagonal = parse_matrix_market<Complex>(head + "1 1 1 0\n2 2 1 nan\n");
  const auto error = error_of([&] { written(diagonal, {.symmetry = hermitian}); });
  CHECK(error.where().row == 1);
}

TEST_CASE("as many rows as the ordinal counts") {
  constexpr int rows = std::numeric_limits<int>::max();
  // Pages that are never written share one page of zeros.
  constexpr std::size_t bytes = (std::size_t{rows} + 1) * sizeof(int);
  void* const zeros =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  heddle::files::prefer_huge_pages(zeros, bytes);
  const TemporaryFile file(".mtx");
  write_matrix_market(file.path(),
                      heddle::CsrMatrix<double, int, int, Kokkos::HostSpace>(
                          rows, 3, 0, static_cast<const int*>(zeros), nullptr, nullptr));
  munmap(zeros, bytes);
  CHECK(file.content().ends_with("\n2147483647 3 0\n"));
}

TEST_CASE_TEMPLATE("a matrix that is none is refused before anything is written", Off, int,
                   std::size_t) {
  using Matrix = heddle::CsrMatrix<double, int, Off, Kokkos::HostSpace>;
  const TemporaryFile file(".mtx"), petsc(".petsc");
  const double values[] = {1, 2, 3};
  auto refused = [&](std::vector<Off> row_ptr, std::vector<int> columns, std::int64_t row,
                     const std::string& why) {
    const Matrix matrix(static_cast<int>(row_ptr.size()) - 1, 3, 3, row_ptr.data(), columns.data(),
                        values);
    const heddle::Error errors[] = {
        error_of([&] { write_matrix_market(file.path(), matrix); }), error_of([&] {
          write_matrix_market(file.path(), matrix, {.symmetry = MatrixMarketSymmetry::symmetric});
        }),
        error_of([&] { heddle::write_petsc(petsc.path(), matrix); })};
    for (const heddle::Error& error : errors) {
      CAPTURE(std::string(error.what()));
      CHECK(error.problem().find(why) != std::string::npos);
      CHECK(error.where().row == row);
      CHECK(!error.remedy().empty());
    }
    CHECK(!std::filesystem::exists(file.path()));
    CHECK(!std::filesystem::exists(petsc.path()));
  };
  refused({1, 1, 2, 3}, {0, 1, 2}, 0, "row_ptr(0) is 1, not 0");
  refused({0, 2, 1, 3}, {0, 1, 2}, 1, "row_ptr(2) is 1, less than 2 before it");
  refused({0, 900'000'000, 2, 3}, {0, 1, 2}, 1, "row_ptr(2) is 2, less than 900000000");
  refused({0, 1, 2, 2}, {0, 1, 2}, 2, "row_ptr(3) is 2, and there are 3 entries");
  refused({0, 1, 2, 900'000'000}, {0, 1, 2}, 2, "row_ptr(3) is 900000000, and there are 3");
  refused({0, 1, 2, 3}, {0, 3, 2}, 1, "column 3 is outside the 3 columns");
  refused({0, 1, 1, 3}, {0, 1, -1}, 2, "column -1 is outside the 3 columns");
  refused({0, 1, 2, 3}, {0, 1, 900'000'000}, 2, "column 900000000");
  const int columns[] = {0, 1, 2};
  const auto error = error_of(
      [&] { write_matrix_market(file.path(), Matrix(0, 3, 3, nullptr, columns, values)); });
  CHECK(error.problem() == "row_ptr is empty and there are 3 entries");
}

TEST_CASE("a matrix is not written where a file cannot be") {
  const auto matrix = random_matrix(10, 10, 3);
  const TemporaryFile locked(".mtx", "old");
  fs::permissions(locked.path(), fs::perms::owner_read);
  CHECK_THROWS_AS(heddle::write_petsc(locked.path(), matrix.matrix()), heddle::Error);
  for (const std::string& path :
       {locked.path(), std::string("/nonexistent/a.mtx.gz"), std::string("/")}) {
    const auto error = error_of([&] { write_matrix_market(path, matrix.matrix()); });
    CHECK(error.where().file == path);
    CHECK(error.problem().find("the file cannot be written: ") == 0);
  }
  CHECK(locked.content() == "old");
}

TEST_CASE("a file is made or replaced, and nothing else is left in its folder") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  require_writable(path);
  CHECK(folder.size() == 0);
  write_whole_file(path, "one");
  CHECK(content_of(path) == "one");
  write_whole_file(path, "");
  CHECK(content_of(path) == "");
  CHECK(folder.size() == 1);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(mode_of(path) == (0666u & ~mask));
}

TEST_CASE("what is not committed leaves the old file as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  write_whole_file(path, "old");
  {
    OutputFile file(path);
    file.write("new");
    CHECK(content_of(path) == "old");
  }
  require_writable(path);
  CHECK(content_of(path) == "old");
  CHECK(folder.size() == 1);
}

TEST_CASE("two writers of one file do not meet") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  OutputFile one(path), two(path);
  one.write("one");
  two.write("two");
  one.commit();
  CHECK(content_of(path) == "one");
  two.commit();
  CHECK(content_of(path) == "two");
  CHECK(folder.size() == 1);
}

TEST_CASE("the mode of a file is kept") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  for (const unsigned mode : {0600u, 0640u, 0755u, 0666u}) {
    write_whole_file(path, "old");
    fs::permissions(path, static_cast<fs::perms>(mode));
    write_whole_file(path, "new");
    CHECK(mode_of(path) == mode);
    CHECK(content_of(path) == "new");
  }
}

TEST_CASE("a file without write permission stays, also for root") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  write_whole_file(path, "old");
  fs::permissions(path, static_cast<fs::perms>(0444));
  check_refused(path);
  CHECK(content_of(path) == "old");
  CHECK(mode_of(path) == 0444);
  CHECK(folder.size() == 1);
}

TEST_CASE("a program that runs stays") {
  // A hard link to this program, in its folder: links do not cross file systems.
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const std::string path = self.string() + ".link";
  fs::remove(path);
  fs::create_hard_link(self, path);
  const auto bytes = fs::file_size(self);
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  const bool busy = descriptor < 0 && errno == ETXTBSY;  // some systems allow it
  if (descriptor >= 0) ::close(descriptor);
  if (busy) {
    check_refused(path);
    CHECK(fs::file_size(path) == bytes);
  } else {
    MESSAGE("not tested: this system lets running programs be opened for writing");
  }
  fs::remove(path);
}

TEST_CASE("a write that fails leaves the old file as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  write_whole_file(path, "old");
  // A file may not grow beyond a thousand bytes, as on a full disk.
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string what;
  try {
    write_whole_file(path, std::string(4000, 'x'));
  } catch (const heddle::Error& error) {
    what = error.what();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(what.find(path) != std::string::npos);
  CHECK(content_of(path) == "old");
  CHECK(folder.size() == 1);
}

TEST_CASE("symbolic links stay and are followed") {
  const TemporaryFolder folder, other;
  write_whole_file(other / "target", "old");
  fs::permissions(other / "target", static_cast<fs::perms>(0600));
  fs::create_symlink(other / "target", folder / "one");
  fs::create_symlink("one", folder / "two");
  write_whole_file(folder / "two", "new");
  CHECK(fs::is_symlink(folder / "two"));
  CHECK(fs::is_symlink(folder / "one"));
  CHECK(!fs::is_symlink(other / "target"));
  CHECK(content_of(other / "target") == "new");
  CHECK(mode_of(other / "target") == 0600);
  CHECK(folder.size() == 2);
  CHECK(other.size() == 1);

  fs::create_symlink(other / "made", folder / "dangling");
  write_whole_file(folder / "dangling", "new");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(content_of(other / "made") == "new");

  fs::create_symlink("circle", folder / "circle");
  check_refused(folder / "circle");
  CHECK(fs::is_symlink(folder / "circle"));
}

TEST_CASE("what cannot be a file is refused and stays") {
  const TemporaryFolder folder;
  check_refused("");
  check_refused(folder / "");
  check_refused(folder / "missing/a");
  check_refused(folder / "missing/");
  fs::create_directory(folder / "b");
  check_refused(folder / "b");
  CHECK(fs::is_directory(folder / "b"));
  CHECK(folder.size() == 1);

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder / "socket";
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(error_of([&] { write_whole_file(path, "new"); }).where().file == path);
  CHECK(fs::is_socket(path));
  ::close(descriptor);
}

TEST_CASE("pipes and devices are written to, not replaced") {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder / "link");
  for (const std::string& name : {path, folder / "link"}) {
    std::string got;
    std::thread reader([&] { got = content_of(path); });
    require_writable(name);  // keeps the reader
    write_whole_file(name, "through");
    reader.join();
    CHECK(got == "through");
    CHECK(fs::is_fifo(path));
  }
  CHECK(folder.size() == 2);

  write_whole_file("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_AS(write_whole_file("/dev/full", "x"), heddle::Error);
    CHECK(fs::is_character_file("/dev/full"));
  }
}

TEST_CASE("a descriptor of this process is written to, whatever lies behind it") {
  if (!fs::exists("/proc/self/fd")) return;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  write_whole_file("/proc/self/fd/" + std::to_string(ends[1]), "through");
  ::close(ends[1]);
  CHECK(rest_of(ends[0]) == "through");
  ::close(ends[0]);

  // A descriptor like /dev/stdout that the shell redirects to a file.
  const TemporaryFolder folder;
  const int descriptor = ::open((folder / "log").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(::write(descriptor, "one ", 4) == 4);
  fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor), folder / "stdout");
  write_whole_file(folder / "stdout", "two ");
  REQUIRE(::write(descriptor, "three", 5) == 5);
  REQUIRE(::lseek(descriptor, 0, SEEK_SET) == 0);
  CHECK(rest_of(descriptor) == "one two three");
  ::close(descriptor);
  CHECK(folder.size() == 2);
}
