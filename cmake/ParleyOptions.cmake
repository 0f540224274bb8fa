# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
option(PARLEY_TESTS "Build the tests" ON)
option(PARLEY_BENCH "Build the benchmarks, without the tests" OFF)
option(PARLEY_FUZZ "Build the fuzz targets (clang only)" OFF)
option(PARLEY_WERROR "Warnings are errors" ON)
option(PARLEY_UNITY "Compile the sources of a room some at a time: less than half the work when all is built" OFF)
option(PARLEY_QUICK "Optimise nothing: builds in less than half of the time, for tests" OFF)
set(PARLEY_SANITIZE "" CACHE STRING "Sanitizers: empty, 'address' (with undefined) or 'thread'")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "" FORCE)
if(PARLEY_QUICK)
  set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# With precompiled headers, the compiler's own choice: the same for libraries and programs, which share them.
if(NOT PARLEY_SANITIZE AND NOT PARLEY_QUICK)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

if(PARLEY_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
  # Sources of rooms: reading the common headers costs a unit as much as ten of its sources, and a unit of
  # this size needs about 2 GB.
  set(PARLEY_WING_BATCH 48)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  # Without the settings ccache refuses precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
endif()

add_library(parley_flags INTERFACE)
target_compile_options(parley_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False warnings of g++ 12 about overlaps in std::string (GCC bug 105651).
  target_compile_options(parley_flags INTERFACE -Wno-restrict)
endif()
if(PARLEY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ treats a source that another one includes as a header, and warns about types of its anonymous
  # namespace.
  add_compile_options(-Wno-subobject-linkage)
endif()
if(PARLEY_WERROR)
  target_compile_options(parley_flags INTERFACE -Werror)
endif()

if(PARLEY_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    "-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/undefined_ignore.txt")
  add_link_options(-fsanitize=address,undefined)
elseif(PARLEY_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(PARLEY_FUZZ AND PARLEY_TESTS)
  # Without instrumentation of comparisons: it takes a quarter of the build and helps little in runs of
  # seconds.
  add_compile_options(-fsanitize-coverage=inline-8bit-counters,pc-table
    "-fsanitize-coverage-allowlist=${CMAKE_SOURCE_DIR}/cmake/coverage_allow.txt")
elseif(PARLEY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# For the sources of tests only: less optimisation and fewer checks halve the time of their build. Fuzzers
# do not need their coverage.
if(PARLEY_FUZZ)
  # The list of folders for coverage has no use there.
  set(PARLEY_TEST_FLAGS -O0 -fno-sanitize=undefined -fno-sanitize-coverage=inline-8bit-counters,pc-table
    -Wno-unused-command-line-argument)
elseif(PARLEY_SANITIZE)
  set(PARLEY_TEST_FLAGS -O0)
else()
  set(PARLEY_TEST_FLAGS -O0 -U_FORTIFY_SOURCE)
endif()

include(ParleyHardening)

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
