// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "../../core/arena.hpp"
#include "../../core/device.hpp"
#include "../../core/error.hpp"
#include "../../core/features.hpp"
#include "../../core/multivector.hpp"

namespace heddle {

/// Bytes of the types that a plan works with, the vectors that it is made for, what of the matrix
/// is stored, and what the user promises.
struct Sizes {
  int scalar_bytes = 8;
  int ordinal_bytes = 4;
  int offset_bytes = 4;
  int vector_bytes = 8;
  int accumulator_bytes = 8;
  ExpectedVectors vectors = {};
  Symmetry symmetry = Symmetry::none;
  Promises promises = {};
};

/// Sizes of products of this type of matrix with vectors of V, summed up in Acc.
template <class Matrix, Scalar V, Scalar Acc>
Sizes sizes_of(const ExpectedVectors& vectors, Symmetry symmetry = Symmetry::none,
               const Promises& promises = {}) {
  Sizes sizes;
  sizes.scalar_bytes = sizeof(typename Matrix::scalar_type);
  sizes.ordinal_bytes = sizeof(typename Matrix::ordinal_type);
  sizes.offset_bytes = sizeof(typename Matrix::offset_type);
  sizes.vector_bytes = sizeof(V);
  sizes.accumulator_bytes = sizeof(Acc);
  sizes.vectors = vectors;
  sizes.symmetry = symmetry;
  sizes.promises = promises;
  return sizes;
}

/// No bound on the bytes that a plan keeps.
inline constexpr std::size_t no_bound = std::numeric_limits<std::size_t>::max();

/// Bytes of a stored transpose, without those that its own scheme keeps: a CSR matrix, and for each
/// value its place in the original matrix.
inline std::size_t stored_transpose_bytes(const RowFeatures& rows, const Sizes& sizes) {
  const auto bytes = [](std::int64_t count, int each) {
    return arena_padded_bytes(static_cast<std::size_t>(count) * static_cast<std::size_t>(each));
  };
  return bytes(rows.columns + 1, sizes.offset_bytes) + bytes(rows.nonzeros, sizes.ordinal_bytes) +
         bytes(rows.nonzeros, sizes.scalar_bytes) + bytes(rows.nonzeros, sizes.offset_bytes);
}

/// Bytes that y = A x moves of the expected vectors: each of x and y once.
inline double vector_bytes(const RowFeatures& rows, const Sizes& sizes) {
  return static_cast<double>(sizes.vectors.count) * sizes.vector_bytes *
         static_cast<double>(rows.rows + rows.columns);
}

/// The fewest bytes that y = A x moves in CSR, in `passes` passes over the matrix: values, columns
/// and row pointer once a pass, and x and y once.
inline double csr_least_bytes(const RowFeatures& rows, const Sizes& sizes, int passes = 1) {
  const auto n = static_cast<double>(rows.nonzeros);
  return passes * (n * (sizes.scalar_bytes + sizes.ordinal_bytes) +
                   static_cast<double>(rows.rows + 1) * sizes.offset_bytes) +
         vector_bytes(rows, sizes);
}

/// Memory bandwidth of a device in bytes a second: Device::bytes_per_second. If that is not known,
/// it is estimated from the device's size: 31.7e9 for each multiprocessor, as of an H200, 14.5e9
/// for each compute unit of an AMD GPU, 5e9 for each thread of a CPU.
inline double estimated_bytes_per_second(const Device& device) {
  if (device.bytes_per_second > 0) return device.bytes_per_second;
  const double each = device.lanes == 1 ? 5e9 : device.lanes == 64 ? 14.5e9 : 31.7e9;
  return each * device.multiprocessors;
}

/// Vectors of x that one launch over shares serves; more vectors need more launches. A CPU has few
/// shares, so their carry-outs may be large.
constexpr int most_vectors_per_launch(bool has_lanes) { return has_lanes ? 32 : 64; }

/// Seconds from a launch to its first load on an idle device.
inline double estimated_launch_seconds(const Device& device) {
  return device.has_lanes() ? 6e-6 : 2e-6;
}

/// Costs of a stored transpose. An apply of its own scheme, whichever that is, runs at the speed of
/// memory; making the transpose costs 45 applies (19 to 58 measured: docs/choose.md).
struct StoredTranspose {
  double seconds;
  double setup_seconds;

  StoredTranspose(const RowFeatures& rows, const Device& device, const Sizes& sizes)
      : seconds(estimated_launch_seconds(device) +
                csr_least_bytes(rows, sizes) / estimated_bytes_per_second(device)),
        setup_seconds(45 * seconds) {}
};

/// Seconds of a GPU that waits for both: the longer of the two, and more if they are alike.
inline double waiting_for_both(double work_seconds, double memory_seconds) {
  return std::cbrt(std::pow(work_seconds, 3) + std::pow(memory_seconds, 3));
}

/// Seconds that an allocation and a readback add to an inspection on a CPU.
inline constexpr double cpu_setup_seconds = 10e-6;

/// Lanes for each row of a slot format (ELL, blocked ELL) on a GPU: so many that the lanes of all
/// rows fill at most half of the resident threads, and each lane has batches of slots.
inline int lanes_of_slots(const RowFeatures& rows, const Device& device, int batch, int most) {
  const std::int64_t room =
      static_cast<std::int64_t>(device.multiprocessors) * device.threads_per_multiprocessor;
  int lanes = 1;
  if (!device.has_lanes()) return lanes;
  while (lanes < most && rows.rows * 2 * lanes <= room / 2 &&
         2 * lanes * batch < rows.longest_row + batch) {
    lanes *= 2;
  }
  return lanes;
}

/// Cost of row features and inspection on a GPU, in microseconds: a constant, and microseconds for
/// a million nonzeros, a million rows, and a thousand entries of the longest row. Fitted to each
/// format on an H200: docs/choose.md.
struct GpuSetup {
  double base = 0;
  double nonzeros = 0;
  double rows = 0;
  double longest_row = 0;

  /// Seconds on `device`: on a GPU other than an H200 all but the constant scale with bandwidth.
  double seconds(const RowFeatures& features, const Device& device) const {
    const double work = nonzeros * 1e-6 * static_cast<double>(features.nonzeros) +
                        rows * 1e-6 * static_cast<double>(features.rows) +
                        longest_row * 1e-3 * static_cast<double>(features.longest_row);
    constexpr double h200_bytes_per_second = 132 * 31.7e9;
    return 1e-6 * (base + h200_bytes_per_second / estimated_bytes_per_second(device) * work);
  }
};

/// Factor by which several vectors cost a GPU more than a format's formula says: for 2, 4, 8 and 32
/// row-major vectors, and for 3, 8 and 32 column-major ones. Between these it is interpolated in
/// the logarithm of their number. It is large for row-major vectors if a format's lanes are rows,
/// which then read x far from each other. Measured on an H200: docs/choose.md.
struct SeveralVectors {
  std::array<double, 4> side_by_side = {1, 1, 1, 1};
  std::array<double, 3> apart = {1, 1, 1};

  double factor(const ExpectedVectors& vectors) const {
    const double at = std::log2(static_cast<double>(vectors.count));
    if (vectors.apart) {
      return between(at, std::array{0.0, std::log2(3.0), 3.0, 5.0},
                     std::array{1.0, apart[0], apart[1], apart[2]});
    }
    return between(
        at, std::array{0.0, 1.0, 2.0, 3.0, 5.0},
        std::array{1.0, side_by_side[0], side_by_side[1], side_by_side[2], side_by_side[3]});
  }

 private:
  template <std::size_t N>
  static double between(double at, const std::array<double, N>& places,
                        const std::array<double, N>& factors) {
    for (std::size_t i = 1; i < N; ++i) {
      if (at > places[i]) continue;
      const double part = (at - places[i - 1]) / (places[i] - places[i - 1]);
      return factors[i - 1] + part * (factors[i] - factors[i - 1]);
    }
    return factors[N - 1];
  }
};

/// Cost of a scheme on a GPU besides the bytes that it moves.
struct GpuCost {
  /// Loads that wait for each other, and seconds of one load, which more than four vectors prolong.
  double rounds = 0;
  double round_seconds = 0;
  /// Highest share of the memory bandwidth that the scheme reaches.
  double efficiency = 1;
  int launches = 1;
  /// Measured time over the time that bytes and rounds predict.
  double slowdown = 1;
  SeveralVectors several = {};
  GpuSetup setup = {};
};

/// Cost of a scheme on a CPU besides the bytes that it moves.
struct CpuCost {
  double slowdown = 1;
  int launches = 1;
  /// Costs of the inspection: allocations and readbacks, and bytes moved.
  int setup_waits = 1;
  double setup_bytes = 0;
};

/// Prediction of a format for one of its schemes, one matrix and one device, made without a trial.
struct Prediction {
  /// Seconds of one apply to the expected vectors, and of the inspection before it.
  double seconds = 0;
  double setup_seconds = 0;
  /// Bytes that one apply moves to and from memory, and that the plan keeps besides the matrix.
  double moved_bytes = 0;
  double kept_bytes = 0;
  /// Whether the plan reads the user's values in place; else update_values copies them.
  bool borrows_values = true;
  /// The reason for the predicted time, in a few words.
  std::string reason;
  /// Why the format refuses this matrix; empty if it holds it, or may hold it (lacks_pattern).
  std::string refusal = {};
  /// Whether this is a best case because the pattern is not known: the format assumes the pattern
  /// that suits it best, and may refuse the matrix once the pattern is known.
  bool lacks_pattern = false;
  /// Whether a known pattern may make the format refuse the matrix, and not only take longer.
  bool pattern_may_refuse = true;
  /// Time of a transposing op over that of A x, if the scheme applies the op itself.
  double transposed_factor = 1;
  /// Whether the scheme is chosen only if no other is possible, however fast its prediction: it was
  /// the best for hardly any matrix that it was measured on.
  bool last_resort = false;

  bool possible() const { return refusal.empty(); }

  static Prediction refuse(std::string why) {
    Prediction prediction;
    prediction.refusal = std::move(why);
    return prediction;
  }

  /// Sets the seconds of an apply that moves moved_bytes, and of the inspection.
  void price(const GpuCost& cost, const RowFeatures& rows, const Device& device,
             const Sizes& sizes) {
    const double work = cost.round_seconds * cost.rounds * std::max(1.0, sizes.vectors.count / 4.0);
    const double memory = moved_bytes / (cost.efficiency * estimated_bytes_per_second(device));
    seconds =
        cost.several.factor(sizes.vectors) * (cost.launches * estimated_launch_seconds(device) +
                                              cost.slowdown * waiting_for_both(work, memory));
    setup_seconds = cost.setup.seconds(rows, device);
  }
  void price(const CpuCost& cost, const Device& device) {
    const double bandwidth = estimated_bytes_per_second(device);
    seconds =
        cost.launches * estimated_launch_seconds(device) + cost.slowdown * moved_bytes / bandwidth;
    setup_seconds = cost.setup_waits * cpu_setup_seconds + cost.setup_bytes / bandwidth;
  }
};

/// A format does not hold this matrix sensibly, or a scheme cannot run with these types or on this
/// processor. Thrown before a plan allocates memory that it keeps.
class Refusal : public Error {
 public:
  using Error::Error;
};

}  // namespace heddle
