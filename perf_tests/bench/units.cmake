# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Parts of heddle-bench alone, in one program; included by tests.cmake.
add_executable(heddle_bench_tests "${bench_tests}/allocator.cpp" "${bench_tests}/bind_threads.cpp"
                                  "${bench_tests}/choose_replay.cpp" "${bench_tests}/cliffs.cpp"
                                  "${bench_tests}/compare.cpp"
                                  "${bench_tests}/contest_options.cpp"
                                  "${bench_tests}/dependent_steps.cpp" "${bench_tests}/device_log.cpp"
                                  "${bench_tests}/generators.cpp"
                                  "${bench_tests}/ilu_check.cpp"
                                  "${bench_tests}/matrix_set.cpp"
                                  "${bench_tests}/multiply.cpp"
                                  "${bench_tests}/order_rows.cpp"
                                  "${bench_tests}/pattern_picture.cpp"
                                  "${bench_tests}/reference.cpp"
                                  "${bench_tests}/scheme_search.cpp" "${bench_tests}/solve.cpp"
                                  "${bench_tests}/sptrsv.cpp" "${bench_tests}/sptrsv_replay.cpp"
                                  "${bench_tests}/steadiness.cpp" "${bench_tests}/systems.cpp"
                                  "${bench_tests}/table.cpp" "${bench_tests}/timing.cpp"
                                  "${bench_tests}/trace.cpp"
                                  "${bench_tests}/user_format.cpp" bench/sptrsv/trace.cpp
                                  studies/cliffs/growth.cpp studies/cliffs/patterns.cpp
                                  bench/common/bind_threads.cpp bench/common/dependent_steps.cpp
                                  bench/common/figures.cpp bench/common/json.cpp
                                  bench/common/matrix_set.cpp
                                  bench/common/stopwatch.cpp bench/common/table.cpp
                                  bench/common/timing.cpp bench/compare/comparison.cpp)
target_link_libraries(heddle_bench_tests PRIVATE heddle_tests_main nlohmann_json::nlohmann_json)
target_compile_definitions(heddle_bench_tests
                           PRIVATE "HEDDLE_KEPT_RESULTS=\"${CMAKE_CURRENT_SOURCE_DIR}/results\""
                                   "HEDDLE_TEST_DATA=\"${PROJECT_SOURCE_DIR}/unit_tests/data\"")
add_test(NAME heddle-bench/units COMMAND heddle_bench_tests)
set_tests_properties(heddle-bench/units PROPERTIES TIMEOUT 1500
                                                   ENVIRONMENT "${HEDDLE_BENCH_ENVIRONMENT}")
