# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where there is Python.
heddle_bench_test(train_help RUN train --help EXIT 0)
if("double" IN_LIST HEDDLE_BENCH_SCALARS AND 32 IN_LIST HEDDLE_BENCH_OFFSETS)
  heddle_bench_test(train RUN train --gather-only --folder train-results --set
                    "${bench_tests}/train_set.txt" --budget 0.001 EXIT 0 ERR
                    "measured, . from before, of 4")
endif()
add_test(NAME heddle-bench/train_gather COMMAND "${Python3_EXECUTABLE}" "${bench_tests}/gather.py"
                                                "${CMAKE_CURRENT_SOURCE_DIR}/model")
