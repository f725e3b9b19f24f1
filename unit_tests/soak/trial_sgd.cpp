// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epochs of matrix factorization by every schedule, rank and shape of blocks, against a loop in the
// order of the schedule; and files of the ratings, read again.
#include <iomanip>

#include "../support/sgd_reference.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

/// Writes ratings in a text format; whether they are read back unchanged.
std::string wrong_file(Random& random, const HostRatings<float>& ratings) {
  const std::string separators[] = {" ", "\t", ",", ";", "::", " , "};
  const std::string& separator = one_of(random, separators);
  const bool times = once_in(random, 2);
  std::string file = once_in(random, 3) ? "\xef\xbb\xbf" : "";
  if (once_in(random, 3)) file += "user" + separator + "item" + separator + "rating\n";
  for (std::size_t k = 0; k < ratings.value.size(); ++k) {
    file += text(std::setprecision(9), ratings.row[k], separator, ratings.column[k], separator,
                 ratings.value[k], times ? separator + "881250949" : "",
                 once_in(random, 9) ? "\r\n\n" : "\n");
  }
  const auto read = parse_ratings<float>(file);
  bool same = read.value.extent(0) == ratings.value.size();
  for (std::size_t k = 0; same && k < ratings.value.size(); ++k) {
    same = read.row(k) == ratings.row[k] && read.column(k) == ratings.column[k] &&
           read.value(k) == ratings.value[k];
  }
  return same ? "" : "a file of the ratings gives others";
}

template <class Exec>
void trial(Random& random, Report& report) {
  const Exec exec = draw_instance<Exec>(random, report),
             other = draw_instance<Exec>(random, report);
  const auto extent = [&] {
    return up_to(random, 1 + cut(one_of<std::int64_t>(random, {1, 20, 300})));
  };
  const int rows = extent(), columns = extent(), count = up_to(random, cut(2000)) - 1;
  const auto ratings = some_ratings<float>(rows, columns, count, random.bits());
  SgdOptions options;
  options.rank = one_of(random, {1, 7, 16, 31, 32, 40});
  options.seed = once_in(random, 3) ? 0 : random.bits();
  if (once_in(random, 3)) {
    options.schedule = SgdSchedule::diagonals;
  } else if (once_in(random, 2)) {
    options.block_rows = 1 + random.below(ratings.rows + 3);
    options.block_columns = 1 + random.below(ratings.columns + 3);
  }
  const int epochs = up_to(random, 3);
  report.says(", ", ratings.value.size(), " ratings of ", ratings.rows, " x ", ratings.columns,
              ", rank ", options.rank, ", seed ", options.seed, ", ", name(options.schedule), ", ",
              epochs, " epochs");
  const SgdPlan<Exec, float> plan(exec, ratings.on<typename Exec::memory_space>(), options);
  report.take(wrong_epochs(exec, other, plan, ratings, epochs));
  report.take(wrong_file(random, ratings));
}

const AddTrial added("sgd", &trial<DefaultDevice>);

}  // namespace

}  // namespace heddle::test
