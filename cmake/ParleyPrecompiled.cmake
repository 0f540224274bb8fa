# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Without optimisation, as with sanitizers, reading the headers of libraries takes almost half of the time of
# a build: they are compiled once for the rooms and once for their tests, whose flags differ. Optimised builds
# gain little.
#
# parley_precompiled(TARGET KIND)   KIND: rooms or tests.
set(PARLEY_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <deque> <filesystem> <fstream>
  <functional> <future> <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <string_view>
  <thread> <utility> <variant> <vector>
  <absl/container/flat_hash_map.h> <absl/functional/any_invocable.h> <boost/json.hpp> <simdjson.h>
  <spdlog/spdlog.h> <tl/expected.hpp>)

function(parley_add_precompiled KIND)
  set(source "${CMAKE_BINARY_DIR}/precompiled_${KIND}.cpp")
  file(GENERATE OUTPUT "${source}" CONTENT "")
  add_library(parley_precompiled_${KIND} OBJECT "${source}")
  target_link_libraries(parley_precompiled_${KIND} PRIVATE parley_flags absl::flat_hash_map
                        absl::any_invocable Boost::json simdjson::simdjson spdlog::spdlog tl::expected)
  target_precompile_headers(parley_precompiled_${KIND} PRIVATE ${PARLEY_PRECOMPILED_HEADERS} ${ARGN})
endfunction()

function(parley_precompiled TARGET KIND)
  if(TARGET parley_precompiled_${KIND})
    target_precompile_headers(${TARGET} REUSE_FROM parley_precompiled_${KIND})
  endif()
endfunction()

if(NOT PARLEY_SANITIZE AND NOT PARLEY_QUICK)
  return()
endif()
# Part of the precompiled headers: a source without it would be refused.
add_compile_options(-pthread)
parley_add_precompiled(rooms)
if(PARLEY_TESTS)
  parley_add_precompiled(tests <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(parley_precompiled_tests PRIVATE GTest::gmock)
  target_compile_options(parley_precompiled_tests PRIVATE ${PARLEY_TEST_FLAGS})
endif()
