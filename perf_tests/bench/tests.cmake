# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle-bench is tested by running it: what it prints is compared with golden files, numbers that
# depend on the machine left out, and its JSON with the schema. The tests lie in unit_tests/bench/.
set(bench_tests "${PROJECT_SOURCE_DIR}/unit_tests/bench")
set(schemas "${CMAKE_CURRENT_SOURCE_DIR}/bench/results.schema.json")

# heddle_bench_test(NAME ARGUMENTS... EXIT CODE [OUT GOLDEN] [ERR REGEX])
function(heddle_bench_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXIT;OUT;ERR" "RUN")
  string(REPLACE ";" "|" words "${arg_RUN}")
  add_test(NAME heddle-bench/${name}
           COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:heddle-bench>" "-DRUN=${words}"
                   "-DEXIT=${arg_EXIT}" "-DOUT=${arg_OUT}" "-DERR=${arg_ERR}" -P
                   "${bench_tests}/run.cmake")
  set_tests_properties(heddle-bench/${name} PROPERTIES TIMEOUT 1500
                                                       ENVIRONMENT "${HEDDLE_BENCH_ENVIRONMENT}")
endfunction()
# Small arrays for the machine's own figures: no test reads them, and the usual ones take ten seconds a run.
set(HEDDLE_BENCH_ENVIRONMENT
    "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;HEDDLE_BENCH_ARRAY_MB=1")

set(quick --repeat 5 --budget 0.1)
# The golden files were written with double.
list(GET HEDDLE_BENCH_SCALARS 0 a_scalar)
if("double" IN_LIST HEDDLE_BENCH_SCALARS)
  set(a_scalar double)
endif()
list(GET HEDDLE_BENCH_OFFSETS 0 an_offset)
set(quick ${quick} --scalar ${a_scalar} --offset ${an_offset})

heddle_bench_test(help RUN --help EXIT 0 OUT "${bench_tests}/help.txt")
heddle_bench_test(help_spmv RUN spmv --help EXIT 0 OUT "${bench_tests}/help_spmv.txt")
heddle_bench_test(help_sptrsv RUN sptrsv --help EXIT 0 OUT "${bench_tests}/help_sptrsv.txt")
heddle_bench_test(list RUN list EXIT 0 OUT "${bench_tests}/list.txt")
heddle_bench_test(device RUN device EXIT 0 OUT "${bench_tests}/device.txt")
heddle_bench_test(array_size RUN device EXIT 2 OUT none ERR "HEDDLE_BENCH_ARRAY_MB is \"-1\"")
heddle_bench_test(array_size_first RUN spmv --matrix nowhere.mtx ${quick} EXIT 2 OUT none
                  ERR "HEDDLE_BENCH_ARRAY_MB is \"-1\"")
string(REPLACE "ARRAY_MB=1" "ARRAY_MB=-1" wrong_array_size "${HEDDLE_BENCH_ENVIRONMENT}")
set_tests_properties(heddle-bench/array_size heddle-bench/array_size_first
                     PROPERTIES ENVIRONMENT "${wrong_array_size}")
heddle_bench_test(table RUN spmv --generate grid2d:20,9 diagonal:100 --scheme csr/scalar --baseline
                  none ${quick} EXIT 0 OUT "${bench_tests}/table.txt")
heddle_bench_test(columns RUN spmv --generate rmat:8 --columns 3 --flush ${quick} EXIT 0)
heddle_bench_test(rows RUN spmv --generate rmat:8 --columns 3 --layout right ${quick} EXIT 0)
heddle_bench_test(
  sptrsv_table RUN sptrsv --generate grid2d:20,9 rmat:8 --triangle upper --scheme
  sptrsv/level-set --baseline none ${quick} EXIT 0 OUT "${bench_tests}/sptrsv_table.txt")
if("double" IN_LIST HEDDLE_BENCH_SCALARS AND 32 IN_LIST HEDDLE_BENCH_OFFSETS)
  heddle_bench_test(
    sptrsv_trace RUN sptrsv --generate grid2d:20,9 --scheme sptrsv/level-set --baseline none --repeat
    5 --budget 0.1 --trace /dev/stdout EXIT 0 OUT "${bench_tests}/sptrsv_trace.txt")
endif()
heddle_bench_test(sptrsv_trace_columns RUN sptrsv --generate grid2d:20 --columns 2 --trace t.json ${quick}
                  EXIT 2 OUT none ERR "--trace needs one column, double")
heddle_bench_test(sptrsv_trace_folder RUN sptrsv --generate grid2d:20 --trace /nowhere/t.json EXIT 2
                  OUT none ERR "/nowhere/t.json: the file cannot be written")
heddle_bench_test(sptrsv_columns RUN sptrsv --generate rmat:8 --columns 3 --flush ${quick} EXIT 0)
heddle_bench_test(sptrsv_rows RUN sptrsv --generate rmat:8 --columns 3 --layout right --op transpose
                  ${quick} EXIT 0)
heddle_bench_test(sptrsv_unit RUN sptrsv --generate rmat:8 --triangle upper --diagonal unit --op
                  conjugate-transpose ${quick} EXIT 0)
heddle_bench_test(sptrsv_many_columns RUN sptrsv --generate rmat:8 hypersparse:100,0 --triangle upper
                  --columns 32 --scheme auto ${quick} EXIT 0)
heddle_bench_test(sptrsv_many_rows RUN sptrsv --generate rmat:8 --triangle upper --columns 8 --layout
                  right --op transpose --diagonal unit --scheme auto ${quick} EXIT 0)
heddle_bench_test(
  convert_table RUN convert --generate grid2d:20,9 --scheme ell dia transpose --baseline none ${quick}
  EXIT 0 OUT "${bench_tests}/convert.txt")
heddle_bench_test(
  convert_operations RUN convert --generate grid2d:20,9 --scheme operations --baseline none ${quick}
  EXIT 0 OUT "${bench_tests}/convert_operations.txt")
heddle_bench_test(
  convert_operations_block RUN convert --generate grid2d:21,9 --scheme operations --block 3 --baseline none
  ${quick} EXIT 0 OUT "${bench_tests}/convert_operations_block.txt")
heddle_bench_test(convert_blocks RUN convert --generate rmat:8 rectangular:7,50,9 --block 3 --check
                  ${quick} EXIT 0)
heddle_bench_test(convert_no_block RUN convert --generate grid2d:9 --block 9 ${quick} EXIT 2 OUT none
                  ERR "block: Value 9 not in range")
heddle_bench_test(convert_no_scheme RUN convert --generate grid2d:9 --scheme none ${quick} EXIT 2
                  OUT none ERR "there is no format .none.")
if("double" IN_LIST HEDDLE_BENCH_SCALARS AND 32 IN_LIST HEDDLE_BENCH_OFFSETS)
  heddle_bench_test(lobpcg RUN lobpcg --generate poisson2d:20 grid2d:9 elasticity:3 --count 3 --preconditioner
                    none jacobi multigrid EXIT 0 OUT "${bench_tests}/lobpcg.txt")
endif()
heddle_bench_test(lobpcg_few RUN lobpcg --generate poisson2d:20 --count 2 --max-iterations 2 EXIT 0)
heddle_bench_test(lobpcg_not_square RUN lobpcg --generate rectangular:50,60,3 grid2d:9 --count 2 EXIT 2
                  ERR "rectangular:50,60,3 is not square")
heddle_bench_test(lobpcg_no_preconditioner RUN lobpcg --generate grid2d:9 --preconditioner ssor EXIT 2
                  OUT none ERR "ssor not in")
heddle_bench_test(sgd RUN sgd --ratings 20000 --epochs 5 --blocks 16 8x24 --diagonals EXIT 0
                  OUT "${bench_tests}/sgd.txt")
heddle_bench_test(sgd_no_blocks RUN sgd --ratings 2000 --blocks 4by4 EXIT 2 OUT none ERR "no number of blocks")
heddle_bench_test(sgd_no_file RUN sgd --file nowhere.txt EXIT 2 OUT none ERR "nowhere.txt")
heddle_bench_test(no_command EXIT 2 ERR "subcommand is required")
heddle_bench_test(no_model RUN spmv --generate grid2d:9 --model nowhere.model ${quick} EXIT 2 OUT none
                  ERR "model nowhere.model cannot be read")
heddle_bench_test(no_matrix RUN spmv EXIT 2 ERR "give --matrix FILE or --generate")
heddle_bench_test(no_file RUN spmv --matrix nowhere.mtx ${quick} EXIT 2 OUT none ERR "nowhere.mtx")
heddle_bench_test(no_generator RUN spmv --generate grid4d:9 ${quick} EXIT 2 OUT none
                  ERR ".grid4d. is no generator; use one of grid2d, grid3d")
heddle_bench_test(bad_generator RUN spmv --generate grid2d:9,6 ${quick} EXIT 2 OUT none
                  ERR "the stencil has 5 or 9 points; write grid2d:N")
heddle_bench_test(no_scheme RUN spmv --generate grid2d:9 --scheme csr/none ${quick} EXIT 2 OUT none
                  ERR "csr/scalar|scalar")
heddle_bench_test(sptrsv_no_matrix RUN sptrsv EXIT 2 ERR "give --matrix FILE or --generate")
heddle_bench_test(sptrsv_no_scheme RUN sptrsv --generate grid2d:9 --scheme sptrsv/none ${quick}
                  EXIT 2 OUT none ERR "level-set")
heddle_bench_test(sptrsv_no_baseline RUN sptrsv --generate grid2d:9 --baseline nothing ${quick} EXIT 2
                  OUT none ERR "this build lacks baseline .nothing.; use one of all, none")
foreach(wrong "triangle=left" "diagonal=none" "op=conjugate")
  heddle_bench_test(sptrsv_${wrong} RUN sptrsv --generate grid2d:9 --${wrong} ${quick} EXIT 2 OUT none
                    ERR "not in .*{")
endforeach()
heddle_bench_test(ilu_table RUN ilu --generate grid2d:20,9 grid2d:9 --scheme auto --baseline all
                  ${quick} EXIT 0 OUT "${bench_tests}/ilu_table.txt")
heddle_bench_test(ilu_cholesky RUN ilu --generate grid2d:20,9 hypersparse:500,0 --factors cholesky
                  --level 2 --block 2 --subdomains 3 --columns 2 --baseline none ${quick} EXIT 0)
heddle_bench_test(ilu_float RUN ilu --generate rmat:8 --level 1 --keep float ${quick} EXIT 0)
heddle_bench_test(ilu_no_scheme RUN ilu --generate grid2d:9 --scheme csr/scalar ${quick} EXIT 2 OUT none
                  ERR "csr/scalar")
heddle_bench_test(ilu_not_square RUN ilu --generate rectangular:50,60,3 ${quick} EXIT 2
                  ERR "incomplete factors need a square matrix")
heddle_bench_test(solve_table RUN solve --generate grid2d:20,9 --scheme none jacobi ic0 --baseline program
                  ${quick} EXIT 0 OUT "${bench_tests}/solve_table.txt")
heddle_bench_test(solve_busy RUN solve --generate grid2d:20 --scheme none --baseline none --busy 2
                  ${quick} EXIT 0 OUT "${bench_tests}/solve_busy.txt")
heddle_bench_test(solve_busy_below_0 RUN solve --generate grid2d:20 --busy=-1 ${quick} EXIT 2 OUT none
                  ERR "busy.*-1")
heddle_bench_test(solve_few RUN solve --generate grid2d:20 --scheme none --baseline program-none
                  --max-iterations 3 ${quick} EXIT 0 OUT "${bench_tests}/solve_few.txt")
heddle_bench_test(solve_bicgstab RUN solve --generate grid2d:20 --method bicgstab --scheme none ilu0
                  --baseline program-ilu0 ${quick} EXIT 0)
heddle_bench_test(solve_minres RUN solve --generate grid2d:20 --method minres --excess -0.05 --scheme none
                  jacobi --baseline program-none ${quick} EXIT 0)
heddle_bench_test(solve_indefinite RUN solve --generate grid2d:9 --excess -0.05 ${quick} EXIT 2
                  ERR "only minres solves an indefinite system")
heddle_bench_test(solve_no_scheme RUN solve --generate grid2d:9 --scheme ilu9 ${quick} EXIT 2 OUT none
                  ERR ".ilu9. is no preconditioner; use one of all, none, jacobi")
heddle_bench_test(solve_not_square RUN solve --generate rectangular:50,60,3 ${quick} EXIT 2
                  ERR "solvers need a square matrix")
heddle_bench_test(solve_auto RUN solve --auto --generate poisson2d:30 convection:8 --scheme auto cg/jacobi
                  gmres/jacobi ssor --baseline program-jacobi ${quick} EXIT 0 OUT "${bench_tests}/solve_auto.txt")
heddle_bench_test(solve_auto_no_pair RUN solve --auto --generate grid2d:9 --scheme qmr/none ${quick} EXIT 2 OUT none
                  ERR ".qmr/none. is no preconditioner; use one of all, auto, cg/none")
heddle_bench_test(solve_write_nowhere RUN solve --generate grid2d:9 --write /dev/null/x ${quick} EXIT 2 OUT none
                  ERR "/dev/null/x: the folder cannot be made")
heddle_bench_test(solve_pair_alone RUN solve --generate grid2d:9 --scheme cg/jacobi ${quick} EXIT 2 OUT none
                  ERR ".cg/jacobi. is no preconditioner; use one of all, none")
heddle_bench_test(multiply_table RUN multiply --generate grid2d:20,9 rmat:8 --baseline program ${quick}
                  EXIT 0 OUT "${bench_tests}/multiply_table.txt")
heddle_bench_test(multiply_ap RUN multiply --generate grid3d:8 hub:900 hypersparse:500,0 --product ap ${quick}
                  EXIT 0)
heddle_bench_test(multiply_rap RUN multiply --generate grid3d:8 rmat:8 hypersparse:500,0 --product rap ${quick}
                  EXIT 0)
heddle_bench_test(multiply_no_scheme RUN multiply --generate grid2d:9 --scheme hash ${quick} EXIT 2 OUT none
                  ERR ".hash. is no scheme of products of matrices; use auto")
heddle_bench_test(multiply_not_square RUN multiply --generate rectangular:50,60,3 ${quick} EXIT 2
                  ERR "its product with itself needs a square one")
heddle_bench_test(multiply_too_large RUN multiply --generate grid2d:9 --most-products 100 ${quick} EXIT 2
                  ERR "needs [0-9]+ multiplications; raise --most-products")
heddle_bench_test(solve_multigrid RUN solve --generate poisson3d:12 --scheme multigrid --baseline program-none
                  ${quick} EXIT 0 OUT "${bench_tests}/solve_multigrid.txt")
heddle_bench_test(solve_multigrid_gmres RUN solve --generate convection:12 neumann:9 --method gmres --scheme
                  multigrid --baseline none ${quick} EXIT 0)
heddle_bench_test(multigrid_table RUN multigrid --generate poisson3d:12 grid2d:9 --scheme auto --coarsest-rows 100
                  ${quick} EXIT 0 OUT "${bench_tests}/multigrid_table.txt")
heddle_bench_test(multigrid_systems RUN multigrid --generate poisson2d:30 poisson3d:10,27 anisotropic:10 jumps:16
                  cutfaces:12 neumann:10 elasticity:5 hypersparse:500,0 ${quick} EXIT 0)
heddle_bench_test(multigrid_gmres RUN multigrid --generate convection:10 --method gmres --degree 3 ${quick}
                  EXIT 0)
heddle_bench_test(multigrid_few RUN multigrid --generate poisson2d:30 --max-iterations 2 ${quick} EXIT 1)
heddle_bench_test(multigrid_no_scheme RUN multigrid --generate grid2d:9 --scheme sor ${quick} EXIT 2 OUT none
                  ERR ".sor. is no multigrid; use one of auto, all, chebyshev")
heddle_bench_test(multigrid_not_square RUN multigrid --generate rectangular:50,60,3 ${quick} EXIT 2
                  ERR "solvers need a square matrix")
heddle_bench_test(gs_table RUN gs --generate grid2d:20,9 --scheme auto gauss-seidel/sequential
                  --baseline sequential ${quick} EXIT 0 OUT "${bench_tests}/gs_table.txt")
heddle_bench_test(gs_guess RUN gs --generate rmat:8 hypersparse:500,0 --sweep backward --start guess
                  --sweeps 2 --omega 1.3 --columns 5 --layout right ${quick} EXIT 0)
heddle_bench_test(gs_blocks RUN gs --generate grid2d:20 --block 3 --scheme auto ${quick} EXIT 0)
heddle_bench_test(gs_no_scheme RUN gs --generate grid2d:9 --scheme csr/scalar ${quick} EXIT 2 OUT none
                  ERR "csr/scalar")
heddle_bench_test(gs_not_square RUN gs --generate rectangular:50,60,3 ${quick} EXIT 2
                  ERR "sweeps of Gauss-Seidel need a square matrix")
heddle_bench_test(gs_sweeps_from_zero RUN gs --generate grid2d:9 --sweeps 2 ${quick} EXIT 2 OUT none
                  ERR "one sweep is timed from zero")
# It does not stop the others.
heddle_bench_test(sptrsv_not_square RUN sptrsv --generate rectangular:50,60,3 grid2d:20,9 --triangle
                  upper --scheme sptrsv/level-set --baseline none ${quick} EXIT 2
                  OUT "${bench_tests}/sptrsv_square.txt"
                  ERR "needs a square matrix, and this one has 50 rows and 60 columns")
heddle_bench_test(no_baseline RUN spmv --generate grid2d:9 --baseline none,nothing ${quick} EXIT 2
                  ERR "this build lacks baseline .nothing.; use one of all, none")
heddle_bench_test(no_scalar RUN spmv --generate grid2d:9 --scalar quad EXIT 2
                  ERR "this build lacks scalar quad with offsets of 32 bits")
heddle_bench_test(json_folder RUN spmv --generate grid2d:9 --json /nowhere/x.json ${quick} EXIT 2
                  OUT none ERR "/nowhere/x.json: the file cannot be written")
foreach(budget nan inf -1 0 1s)
  heddle_bench_test(budget_${budget} RUN spmv --generate grid2d:9 --budget=${budget} EXIT 2 OUT none
                    ERR "no number of seconds above 0")
endforeach()
heddle_bench_test(search_seconds RUN sptrsv --generate grid2d:9 --search-seconds nan EXIT 2 OUT none
                  ERR "no number of seconds above 0")
heddle_bench_test(features RUN features --generate grid2d:20 EXIT 0 OUT "${bench_tests}/features.txt")
heddle_bench_test(features_csv RUN features --generate grid2d:20 diagonal:100 --csv EXIT 0
                  OUT "${bench_tests}/features_csv.txt")
heddle_bench_test(features_triangle RUN features --generate grid2d:20 diagonal:100 --triangle upper --csv EXIT 0
                  OUT "${bench_tests}/features_triangle.txt")
heddle_bench_test(features_no_triangle RUN features --generate rectangular:7,50,9 --triangle lower EXIT 2
                  OUT none ERR "the matrix is 7 x 50")
heddle_bench_test(features_times RUN features --generate grid2d:20 --repeat 1 EXIT 0)
# The studies.
if(HEDDLE_BENCH_STUDIES)
  # It binds its threads where nothing is said of that, or says why not.
  if(NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP)
    cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR too_many "${processors} + 1")
    foreach(threads 1 ${too_many})
      add_test(NAME heddle-bench/threads_${threads}
               COMMAND "${CMAKE_COMMAND}" -E env --unset=OMP_PROC_BIND KOKKOS_NUM_THREADS=${threads}
                       OMP_WAIT_POLICY=passive HEDDLE_BENCH_ARRAY_MB=1 "$<TARGET_FILE:heddle-bench>"
                       vectors --rows 100 --repeat 1)
    endforeach()
    set_tests_properties(heddle-bench/threads_1 PROPERTIES PASS_REGULAR_EXPRESSION
                                                           "threads: bound, each to a processor")
    set_tests_properties(
      heddle-bench/threads_${too_many}
      PROPERTIES PASS_REGULAR_EXPRESSION "threads: not bound, since ${too_many} threads share")
  endif()
  heddle_bench_test(vectors RUN vectors --rows 5000 --repeat 2 EXIT 0 OUT "${bench_tests}/vectors.txt")
  if("double" IN_LIST HEDDLE_BENCH_SCALARS AND 32 IN_LIST HEDDLE_BENCH_OFFSETS)
    heddle_bench_test(cliffs RUN cliffs --from 60 --to 120 --csv "${CMAKE_CURRENT_BINARY_DIR}/cliffs.csv" EXIT 0)
    heddle_bench_test(cliffs_table RUN cliffs --from 60 --to 120 --pattern chain --plan Sptrsv --table EXIT 0)
  endif()
  heddle_bench_test(cliffs_no_plan RUN cliffs --plan Nobody EXIT 2 OUT none ERR "no plan of that name")
  heddle_bench_test(read RUN read "${PROJECT_SOURCE_DIR}/examples/data/add32.mtx.xz" nowhere.mtx --repeat 1
                    EXIT 2 ERR "nowhere.mtx")
endif()
heddle_bench_test(features_no_matrix RUN features EXIT 2 ERR "give --matrix FILE or --generate")
# What a set names and its folder lacks is told, and the rest runs.
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/set/Group")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/set/Group/one.mtx"
     "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 1 4\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/set/small.txt" "# three\nGroup/one\nGroup/two\ngrid2d:9\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/set/none.txt" "Group/two\n")
heddle_bench_test(set RUN spmv --set "${CMAKE_CURRENT_BINARY_DIR}/set/small.txt" --folder
                  "${CMAKE_CURRENT_BINARY_DIR}/set" --scheme csr/scalar --baseline none ${quick} EXIT 0
                  OUT "${bench_tests}/set.txt" ERR "1 not found in .*/set: Group/two")
heddle_bench_test(set_of_none RUN features --set "${CMAKE_CURRENT_BINARY_DIR}/set/none.txt" EXIT 2
                  OUT none ERR "no matrix is given")
heddle_bench_test(no_set RUN spmv --set nobody ${quick} EXIT 2 OUT none
                  ERR "the set .nobody. is unknown; use one of dense, ")
# A row of NaN and one of an infinity, which are right.
heddle_bench_test(not_finite RUN spmv --matrix "${CMAKE_CURRENT_BINARY_DIR}/not_finite.mtx" ${quick}
                  EXIT 0)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/not_finite.mtx"
     "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 nan\n2 2 inf\n3 3 1\n3 1 2\n")
# Values that are the file's own, and too large: that is told, and nobody is blamed.
heddle_bench_test(sptrsv_overflow RUN sptrsv --matrix "${CMAKE_CURRENT_BINARY_DIR}/overflow.mtx"
                  --scheme sptrsv/level-set --baseline none ${quick} EXIT 0
                  OUT "${bench_tests}/sptrsv_overflow.txt")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/overflow.mtx"
     "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n2 1 1e30\n2 2 1\n3 2 1e300\n3 3 1\n")
if(EXISTS /dev/full)
  add_test(NAME heddle-bench/full_disk COMMAND sh -c "'$<TARGET_FILE:heddle-bench>' list >/dev/full")
  set_tests_properties(heddle-bench/full_disk PROPERTIES PASS_REGULAR_EXPRESSION
                                                         "cannot write to standard output")
endif()

# What it writes, looked at by a script: files replaced, links followed, words of the command line.
add_test(NAME heddle-bench/output
         COMMAND "${bench_tests}/output" "$<TARGET_FILE:heddle-bench>"
                 "${CMAKE_CURRENT_BINARY_DIR}/output" ${quick})
set_tests_properties(heddle-bench/output PROPERTIES TIMEOUT 1500
                                                    ENVIRONMENT "${HEDDLE_BENCH_ENVIRONMENT}")

# The JSON of a run over every scheme and baseline, a matrix without entries among others.
# heddle_bench_smoke(NAME [OUT GOLDEN] RUN ARGUMENTS...) sets smoke_NAME to that file, and adds it to smoke_runs.
set(smoke_runs "")
function(heddle_bench_smoke name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUT" "RUN")
  set(json "${CMAKE_CURRENT_BINARY_DIR}/smoke_${name}.json")
  if(arg_OUT)
    list(PREPEND arg_OUT OUT)
  endif()
  heddle_bench_test(smoke_${name} RUN ${arg_RUN} --json "${json}" ${quick} EXIT 0 ${arg_OUT})
  set_tests_properties(heddle-bench/smoke_${name} PROPERTIES FIXTURES_SETUP heddle_bench_json)
  set(smoke_${name} "${json}" PARENT_SCOPE)
  list(APPEND smoke_runs "${json}")
  set(smoke_runs "${smoke_runs}" PARENT_SCOPE)
endfunction()
set(spmv_csv "${CMAKE_CURRENT_BINARY_DIR}/smoke_spmv.csv")
set(gmres_csv "${CMAKE_CURRENT_BINARY_DIR}/smoke_gmres.csv")
set(auto_csv "${CMAKE_CURRENT_BINARY_DIR}/smoke_auto.csv")
heddle_bench_smoke(spmv RUN spmv --generate grid2d:30 hub:3000 hypersparse:500,0 dense:16,64 dense:64,16
                   --csv "${spmv_csv}")
heddle_bench_smoke(sptrsv RUN sptrsv --generate grid2d:30 hub:3000 hypersparse:500,0)
heddle_bench_smoke(search OUT "${bench_tests}/sptrsv_search.txt" RUN sptrsv --generate grid2d:20,9
                   hypersparse:500,0 --scheme auto search --search-seconds 60 --baseline none)
heddle_bench_smoke(convert RUN convert --generate grid2d:30 hub:3000 hypersparse:500,0)
heddle_bench_smoke(ilu RUN ilu --generate grid2d:30 hypersparse:500,0)
heddle_bench_smoke(gs RUN gs --generate grid2d:30 hypersparse:500,0)
heddle_bench_smoke(solve RUN solve --generate grid2d:20 hypersparse:50,0)
heddle_bench_smoke(gmres RUN solve --generate grid2d:20 --method gmres --csv "${gmres_csv}")
heddle_bench_smoke(solve_auto RUN solve --auto --generate poisson2d:30 convection:8 helmholtz:9,90 hypersparse:50,0
                   --baseline program --csv "${auto_csv}" --write "${CMAKE_CURRENT_BINARY_DIR}/written")
if(a_scalar STREQUAL double)
  add_test(NAME heddle-bench/written
           COMMAND heddle-solve "${CMAKE_CURRENT_BINARY_DIR}/written/convection:8.petsc"
                   "${CMAKE_CURRENT_BINARY_DIR}/written/convection:8.b.petsc" --quiet)
  set_tests_properties(heddle-bench/written PROPERTIES FIXTURES_REQUIRED heddle_bench_json
                                                       ENVIRONMENT "${HEDDLE_BENCH_ENVIRONMENT}")
endif()
heddle_bench_smoke(multiply RUN multiply --generate grid2d:30 hypersparse:500,0)
heddle_bench_smoke(multigrid RUN multigrid --generate poisson2d:30 elasticity:3 hypersparse:500,0)

# Of one run its JSON and its CSV tell the same; of two, one may be slower.
heddle_bench_test(compare_same RUN compare "${smoke_spmv}" "${spmv_csv}" EXIT 0)
set_tests_properties(heddle-bench/compare_same PROPERTIES FIXTURES_REQUIRED heddle_bench_json)
file(READ "${bench_tests}/unsteady.json" slower)
string(REPLACE "\"median\": 0.001," "\"median\": 0.002," slower "${slower}")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/slower.json" "${slower}")
heddle_bench_test(compare_slower RUN compare "${bench_tests}/unsteady.json"
                  "${CMAKE_CURRENT_BINARY_DIR}/slower.json" EXIT 4 OUT "${bench_tests}/compare.txt")
heddle_bench_test(compare_faster RUN compare "${CMAKE_CURRENT_BINARY_DIR}/slower.json"
                  "${bench_tests}/unsteady.json" EXIT 0)
heddle_bench_test(compare_other_work RUN compare "${smoke_spmv}" "${smoke_sptrsv}" EXIT 2 OUT none
                  ERR "are of different work")
set_tests_properties(heddle-bench/compare_other_work PROPERTIES FIXTURES_REQUIRED heddle_bench_json)
heddle_bench_test(compare_no_file RUN compare nowhere.json nowhere.json EXIT 2 OUT none
                  ERR "nowhere.json: the file cannot be read")

find_package(nlohmann_json_schema_validator CONFIG QUIET)
if(nlohmann_json_schema_validator_FOUND)
  add_executable(heddle_bench_check_schema "${bench_tests}/check_schema.cpp")
  target_link_libraries(
    heddle_bench_check_schema PRIVATE heddle_warnings
                                      nlohmann_json_schema_validator::validator)
  target_compile_features(heddle_bench_check_schema PRIVATE cxx_std_20)
  add_test(NAME heddle-bench/schema COMMAND heddle_bench_check_schema ${schemas} -- ${smoke_runs}
                                            "${bench_tests}/unsteady.json")
  set_tests_properties(heddle-bench/schema PROPERTIES FIXTURES_REQUIRED heddle_bench_json)
  # Of no version that there is; without a key; of sptrsv, but without one of its settings, or with a
  # search that lost a time.
  foreach(wrong unknown_version lost_key lost_setting lost_time)
    add_test(NAME heddle-bench/schema_refuses_${wrong}
             COMMAND heddle_bench_check_schema ${schemas} -- "${bench_tests}/${wrong}.json")
  endforeach()
  set_tests_properties(heddle-bench/schema_refuses_unknown_version
                       PROPERTIES PASS_REGULAR_EXPRESSION "no schema of schema_version 99")
  set_tests_properties(heddle-bench/schema_refuses_lost_key PROPERTIES PASS_REGULAR_EXPRESSION
                                                                       "operation")
  set_tests_properties(heddle-bench/schema_refuses_lost_setting PROPERTIES PASS_REGULAR_EXPRESSION
                                                                           "diagonal")
  set_tests_properties(heddle-bench/schema_refuses_lost_time PROPERTIES PASS_REGULAR_EXPRESSION
                                                                        "seconds")
else()
  message(STATUS "heddle-bench: its JSON is not checked against the schema; install Debian's "
                 "libnlohmann-json-schema-validator-dev")
endif()

# No format is missing in the docs.
add_test(NAME docs/formats COMMAND heddle_formats_table --check "${PROJECT_SOURCE_DIR}/docs/formats.md")

find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_test(NAME docs/links COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/dev/parts/lint/links")
  add_test(NAME heddle-bench/summary_figures
           COMMAND "${Python3_EXECUTABLE}" "${bench_tests}/summary.py" "${CMAKE_CURRENT_SOURCE_DIR}/report")
  # Of all matrices of kept results, and with figures between -1 and 1.
  add_test(NAME heddle-bench/summary
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/summary.py"
                   "${CMAKE_CURRENT_SOURCE_DIR}/results/h200-spmv-double-all-formats.csv")
  set_tests_properties(heddle-bench/summary PROPERTIES PASS_REGULAR_EXPRESSION
                                                       "cusparse-alg1. . 44 . -?[01]\\.[0-9]+ . -?[01]\\.[0-9]+ .")
  add_test(NAME heddle-bench/summary_unsteady
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/summary.py"
                   "${bench_tests}/unsteady.json")
  set_tests_properties(
    heddle-bench/summary_unsteady
    PROPERTIES PASS_REGULAR_EXPRESSION
               "- Unsteady: grid: the reference operation .80 %., csr/merge .150 %.\\.")
  add_test(NAME heddle-bench/choice
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/choice.py" "${bench_tests}/choice.csv")
  set_tests_properties(
    heddle-bench/choice
    PROPERTIES PASS_REGULAR_EXPRESSION
               "solved by auto: 2 of 4. by a pair alone: c. by neither: d.*mean 1\\.500, worst 2\\.00 .b..*\
of 1 from 50 ms on: mean 10\\.0 %, most 10\\.0 % .a., above 5 %: 1.*peers: 1 of 2 ")
  add_test(NAME heddle-bench/peers
           COMMAND "${Python3_EXECUTABLE}" "${bench_tests}/peers.py" "${CMAKE_CURRENT_SOURCE_DIR}/report")
  add_test(NAME heddle-bench/choice_of_a_run
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/choice.py" "${auto_csv}"
                   "${smoke_solve_auto}")
  set_tests_properties(heddle-bench/choice_of_a_run PROPERTIES FIXTURES_REQUIRED heddle_bench_json
                                                               PASS_REGULAR_EXPRESSION "solved by auto: 4 of 4")
  # Kept results are read and would be written as they are; so would be the smoke runs.
  add_test(NAME heddle-bench/kept_results
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/keep.py" --check)
  # And the CSV that heddle-bench writes has the columns that keep.py does.
  set(kept "${CMAKE_CURRENT_BINARY_DIR}/kept")
  file(MAKE_DIRECTORY "${kept}")
  list(JOIN smoke_runs "' '" runs)
  set(keep "'${Python3_EXECUTABLE}' '${CMAKE_CURRENT_SOURCE_DIR}/report/keep.py' -o '${kept}'")
  add_test(NAME heddle-bench/keep
           COMMAND sh -c "rm -f '${kept}'/*.csv && ${keep} '${runs}' '${bench_tests}/unsteady.json' && \
${keep} --check '${spmv_csv}' '${gmres_csv}' '${auto_csv}'")
  set_tests_properties(heddle-bench/keep PROPERTIES FIXTURES_REQUIRED heddle_bench_json)
  # docs/performance.md and what else is made of kept results are what these say.
  add_test(NAME heddle-bench/performance_page
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/performance.py" --check)
  execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import matplotlib" RESULT_VARIABLE no_matplotlib
                  OUTPUT_QUIET ERROR_QUIET)
  if(NOT no_matplotlib)
    add_test(NAME heddle-bench/report
             COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/report.py"
                     ${smoke_runs} "${bench_tests}/unsteady.json"
                     "${CMAKE_CURRENT_SOURCE_DIR}/results/h200-sptrsv-double.csv"
                     -o "${CMAKE_CURRENT_BINARY_DIR}/smoke.html")
    add_test(NAME heddle-bench/report_dense
             COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/report/report.py"
                     "${smoke_spmv}" -o "${CMAKE_CURRENT_BINARY_DIR}/dense.svg")
    set_tests_properties(heddle-bench/report heddle-bench/report_dense
                         PROPERTIES FIXTURES_REQUIRED heddle_bench_json)
  endif()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/units.cmake")
