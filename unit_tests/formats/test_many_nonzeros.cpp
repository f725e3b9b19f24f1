// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More nonzeros than 32 bits count, in formats that borrow the matrix: its arrays map the same few
// pages again and again, and so use no more memory than one period.
#include <sys/mman.h>
#include <unistd.h>

#include "../../testing/format_suite/make_plans.hpp"
#include "../support/copy_in.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

/// Several periods of `one` in memory, one after another; `one` fills whole pages.
template <class V>
class Repeated {
 public:
  Repeated(const std::vector<V>& one, std::size_t periods) : bytes_(one.size() * sizeof(V)) {
    const int file = memfd_create("heddle_test", 0);
    REQUIRE(file >= 0);
    REQUIRE(write(file, one.data(), bytes_) == static_cast<ssize_t>(bytes_));
    all_bytes_ = bytes_ * periods;
    void* const reserved =
        mmap(nullptr, all_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(reserved != MAP_FAILED);
    begin_ = static_cast<char*>(reserved);
    for (std::size_t period = 0; period < periods; ++period) {
      REQUIRE(mmap(begin_ + period * bytes_, bytes_, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) !=
              MAP_FAILED);
    }
    close(file);
  }
  ~Repeated() { munmap(begin_, all_bytes_); }
  Repeated(const Repeated&) = delete;

  const V* data() const { return reinterpret_cast<const V*>(begin_); }

 private:
  std::size_t bytes_;
  std::size_t all_bytes_ = 0;
  char* begin_ = nullptr;
};

constexpr std::int64_t period_entries = std::int64_t{1} << 20;
constexpr std::int64_t periods = 2049;

/// A period of rows with 1 to 2047 entries and some without, and all periods together.
struct ManyNonzeros {
  using S = Kokkos::complex<float>;

  Pattern period{"a period", 3000, {}};
  CsrStorage<S, std::int32_t, std::int64_t, Kokkos::HostSpace> one;
  std::vector<std::int64_t> row_ptr{0};

  ManyNonzeros() {
    Random random(1);
    std::int64_t left = period_entries;
    for (std::int64_t i = 0; left > 0; ++i) {
      const std::int64_t length = i % 8 == 5 ? 0 : std::min(left, 1 + i * 277 % 2047);
      period.rows.push_back(random_row(random, period.columns, length));
      left -= length;
    }
    one = make_matrix<S, std::int32_t, std::int64_t>(period);
    row_ptr.reserve(static_cast<std::size_t>(periods) * period.rows.size() + 1);
    for (std::int64_t p = 0; p < periods; ++p) {
      for (std::size_t i = 0; i < period.rows.size(); ++i) {
        row_ptr.push_back(p * period_entries + one.row_ptr()(i + 1));
      }
    }
  }
};

}  // namespace

/// The types, if they are tested and the device reads host memory.
using ManyTypes =
    std::conditional_t<is_tested<ComplexFloatType> &&
                           std::is_same_v<DefaultDevice::memory_space, Kokkos::HostSpace>,
                       std::tuple<WithFormats<SharedFormats, ComplexFloatType>>, std::tuple<>>;

TEST_CASE_TEMPLATE_DEFINE("formats that borrow a matrix take more than 2^31 nonzeros", T,
                          many_nonzeros) {
  using S = typename T::Scalar;
  const ManyNonzeros many;
  const std::size_t period_rows = many.period.rows.size();
  const Repeated<std::int32_t> col_idx(copy_out(many.one.col_idx()), periods);
  const Repeated<S> values(copy_out(many.one.values()), periods);
  const std::int64_t rows = periods * static_cast<std::int64_t>(period_rows);
  const typename T::Matrix A(
      static_cast<std::int32_t>(rows), static_cast<std::int32_t>(many.period.columns),
      periods * period_entries, many.row_ptr.data(), col_idx.data(), values.data());
  REQUIRE(A.nonzeros() > std::numeric_limits<std::int32_t>::max());
  const auto x = random_vector<S>(static_cast<std::size_t>(many.period.columns), 3);
  const Reference reference =
      reference_spmv(many.one.matrix(), x, HostVector<S>("heddle::test::y", period_rows));
  const HostVector<S> y("heddle::test::y", static_cast<std::size_t>(rows));
  const typename T::Exec exec;
  for (const char* scheme : {"csr/adaptive", "csr/merge", "gcsr"}) {
    CAPTURE(std::string(scheme));
    typename T::template Plan<> plan(exec, A, {.scheme = Scheme::parse(scheme)}, SharedFormats());
    fill_with_poison(y);
    plan.apply(exec, S(1), x, S(0), y);
    exec.fence("heddle::test::applied");
    for (const std::size_t p : {std::size_t{0}, static_cast<std::size_t>(periods) / 2,
                                static_cast<std::size_t>(periods) - 1}) {
      const std::pair range(p * period_rows, (p + 1) * period_rows);
      CHECK(mismatch(reference, Kokkos::subview(y, range)) == "");
    }
    // All rows of a period differ; periods are equal up to the order of their sums.
    bool finite = true;
    for (std::size_t i = 0; i < y.extent(0); ++i) finite = finite && y(i) == y(i);
    CHECK(finite);
  }
}
TEST_CASE_TEMPLATE_APPLY(many_nonzeros, ManyTypes);

}  // namespace heddle::test
