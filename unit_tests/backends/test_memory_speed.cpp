// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bandwidth of a device's memory, estimated from its name, or from its clock and bus width.
#include <doctest/doctest.h>

#include "../../backends/memory_speed.hpp"
#include "../../formats/common/prediction.hpp"

namespace heddle::test {

namespace {

Device named(const char* name, int multiprocessors, double clock_khz = 0, double bus_bits = 0) {
  Device device;
  device.name = name;
  device.backend = BackendKind::cuda;
  device.lanes = 32;
  device.multiprocessors = multiprocessors;
  device.bytes_per_second = backends::copy_bytes_per_second(name, clock_khz, bus_bits);
  return device;
}

double rate(const char* name, int multiprocessors) {
  return estimated_bytes_per_second(named(name, multiprocessors));
}

}  // namespace

TEST_CASE("memory speed: an H200 is what choices were judged with, others go by their memory") {
  const double h200 = rate("NVIDIA H200", 132);
  CHECK(h200 == 132 * 31.7e9);
  CHECK(h200 / rate("NVIDIA H100 80GB HBM3", 132) == doctest::Approx(1.43).epsilon(0.005));
  CHECK(h200 / rate("NVIDIA H100 PCIe", 114) == doctest::Approx(4.8 / 2.0));
  CHECK(h200 / rate("NVIDIA H100 NVL", 132) == doctest::Approx(4.8 / 3.9));
  CHECK(h200 / rate("NVIDIA A100-SXM4-80GB", 108) == doctest::Approx(4.8 / 2.04));
  CHECK(h200 / rate("NVIDIA A100-SXM4-40GB", 108) == doctest::Approx(4.8 / 1.555));
  CHECK(h200 / rate("Tesla V100-SXM2-32GB", 80) == doctest::Approx(4.8 / 0.9));
  CHECK(h200 / rate("NVIDIA L40S", 142) == doctest::Approx(4.8 / 0.864));
  CHECK(h200 / rate("NVIDIA GH200 480GB", 132) == doctest::Approx(4.8 / 4.0));
  CHECK(h200 / rate("AMD Instinct MI250X", 110) == doctest::Approx(4.8 / 1.6));
  CHECK(h200 / rate("AMD Instinct MI300X", 304) == doctest::Approx(4.8 / 5.3));
}

TEST_CASE("memory speed: of an unknown name by clock and bus, or by multiprocessors") {
  // An unknown device with the clock and bus width of an H100.
  const Device unknown = named("NVIDIA of tomorrow", 100, 2619e3, 5120);
  CHECK(estimated_bytes_per_second(unknown) == doctest::Approx(2.92e12).epsilon(0.005));
  CHECK(rate("NVIDIA of tomorrow", 100) == 100 * 31.7e9);
  CHECK(estimated_bytes_per_second(named("NVIDIA of tomorrow", 100, 0, 5120)) == 100 * 31.7e9);
  CHECK(rate("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16) == 16 * 31.7e9);
}

TEST_CASE("memory speed: what is said of a device is taken") {
  Device device = named("NVIDIA H200", 132);
  device.bytes_per_second = 1e12;
  CHECK(estimated_bytes_per_second(device) == 1e12);
  Device cpu;
  cpu.multiprocessors = 16;
  CHECK(estimated_bytes_per_second(cpu) == 16 * 5e9);
}

}  // namespace heddle::test
