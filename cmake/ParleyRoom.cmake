# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0

# Not part of `all`: a flavour does not need the tests of all rooms.
if(NOT TARGET unit_tests)
  add_custom_target(unit_tests)
  add_custom_target(fuzz_targets)
endif()

# parley_room(NAME [TESTED_ABOVE] [FOLDERS folder...] [DEPENDS target...] [TEST_FOLDERS folder...] [TEST_DEPENDS target...])
#
# The library parley_NAME from every .cpp beside the calling CMakeLists.txt and in FOLDERS below it, and
# the test program NAME_test, which has PARLEY_SOURCE_DIR, from every *_test.cpp there. TEST_FOLDERS: rooms with TESTED_ABOVE whose
# tests are in this room's test program, because a program costs more build time than a library. A room
# links only to the rooms in DEPENDS, so a dependency in the wrong direction does not link; the tidy test
# checks the includes as well.
#
# In a unity build, the rooms of a wing (PARLEY_WING, set by the wing's CMakeLists.txt) are one library, and
# parley_NAME only passes it on (docs/decisions/0008). Their tests are one program, PARLEY_WING_test.
function(parley_room NAME)
  cmake_parse_arguments(ROOM "TESTED_ABOVE" "" "FOLDERS;DEPENDS;PRIVATE_DEPENDS;TEST_FOLDERS;TEST_DEPENDS" ${ARGN})
  set(patterns "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  foreach(folder IN LISTS ROOM_FOLDERS)
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  foreach(folder IN LISTS ROOM_TEST_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp")
    list(APPEND tests ${found})
  endforeach()
  # What is no part of the server is included by its path from the root of the project.
  set(folders "${CMAKE_SOURCE_DIR}/src")
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/src/")
    list(APPEND folders "${CMAKE_SOURCE_DIR}")
  endif()
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(PARLEY_UNITY AND PARLEY_WING AND sources)
    set(wing parley_wing_${PARLEY_WING})
    if(NOT TARGET ${wing})
      add_library(${wing} STATIC)
      target_include_directories(${wing} PRIVATE "${CMAKE_SOURCE_DIR}/src")
      set_target_properties(${wing} PROPERTIES UNITY_BUILD_BATCH_SIZE ${PARLEY_WING_BATCH})
      parley_precompiled(${wing} rooms)
    endif()
    target_sources(${wing} PRIVATE ${sources})
    target_link_libraries(${wing} PRIVATE parley_flags ${ROOM_DEPENDS} ${ROOM_PRIVATE_DEPENDS})
    add_library(parley_${NAME} INTERFACE)
    set_target_properties(parley_${NAME} PROPERTIES PARLEY_LIBRARY ${wing})
    target_include_directories(parley_${NAME} INTERFACE ${folders})
    target_link_libraries(parley_${NAME} INTERFACE ${wing} ${ROOM_DEPENDS})
  elseif(sources)
    add_library(parley_${NAME} STATIC ${sources})
    set_target_properties(parley_${NAME} PROPERTIES PARLEY_LIBRARY parley_${NAME})
    target_include_directories(parley_${NAME} PUBLIC ${folders})
    target_link_libraries(parley_${NAME} PUBLIC ${ROOM_DEPENDS} PRIVATE parley_flags ${ROOM_PRIVATE_DEPENDS})
    parley_precompiled(parley_${NAME} rooms)
  else()
    add_library(parley_${NAME} INTERFACE)
    target_include_directories(parley_${NAME} INTERFACE ${folders})
    target_link_libraries(parley_${NAME} INTERFACE ${ROOM_DEPENDS})
  endif()
  if(tests AND PARLEY_TESTS AND NOT ROOM_TESTED_ABOVE)
    parley_test_program(${NAME} program)
    if(NOT TARGET ${program})
      add_executable(${program} EXCLUDE_FROM_ALL)
      add_dependencies(unit_tests ${program})
      target_link_libraries(${program} PRIVATE parley_flags GTest::gmock GTest::gtest_main)
      target_include_directories(${program} PRIVATE "${CMAKE_SOURCE_DIR}")
      target_compile_definitions(${program} PRIVATE "PARLEY_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
      target_compile_options(${program} PRIVATE ${PARLEY_TEST_FLAGS})
      set_target_properties(${program} PROPERTIES UNITY_BUILD_BATCH_SIZE "${PARLEY_WING_BATCH}")
      parley_precompiled(${program} tests)
      string(REGEX REPLACE "_test$" "" label "${program}")
      add_test(NAME unit.${label} COMMAND ${program})
      set_tests_properties(unit.${label} PROPERTIES LABELS unit TIMEOUT 1800)
      if(label MATCHES "^(model|session)$")
        set_tests_properties(unit.${label} PROPERTIES COST 90) # Long, so it starts early.
        if(PARLEY_SANITIZE)
          # A seed takes 30 times as long as in the release configuration, which runs 4,000 and 1,000.
          set_tests_properties(unit.${label} PROPERTIES ENVIRONMENT PARLEY_SEEDS=400)
        endif()
      endif()
    endif()
    target_sources(${program} PRIVATE ${tests})
    target_link_libraries(${program} PRIVATE parley_${NAME} ${ROOM_TEST_DEPENDS} ${ROOM_PRIVATE_DEPENDS})
  endif()
  if(PARLEY_FUZZ)
    string(REPLACE "*.cpp" "*_fuzz.cpp" patterns "${patterns}")
    file(GLOB fuzzers CONFIGURE_DEPENDS ${patterns})
    foreach(source IN LISTS fuzzers)
      get_filename_component(target "${source}" NAME_WE)
      add_executable(${target} EXCLUDE_FROM_ALL "${source}")
      add_dependencies(fuzz_targets ${target})
      target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}")
      target_link_libraries(${target} PRIVATE parley_${NAME} parley_flags ${ROOM_TEST_DEPENDS}
                            ${ROOM_PRIVATE_DEPENDS} -fsanitize=fuzzer)
      set_property(GLOBAL APPEND PROPERTY PARLEY_FUZZERS ${target})
    endforeach()
  endif()
endfunction()

# The program with the tests of a room: in a unity build one for all rooms of the wing.
function(parley_test_program NAME RESULT)
  if(PARLEY_UNITY AND PARLEY_WING)
    set(NAME ${PARLEY_WING})
  endif()
  set(${RESULT} ${NAME}_test PARENT_SCOPE)
endfunction()

# parley_test_definitions(NAME definition...)   for the tests of a room, if it has a program of tests.
function(parley_test_definitions NAME)
  parley_test_program(${NAME} program)
  if(TARGET ${program})
    target_compile_definitions(${program} PRIVATE ${ARGN})
  endif()
endfunction()

# Adds generated sources to a room.
function(parley_room_sources NAME)
  get_target_property(library parley_${NAME} PARLEY_LIBRARY)
  target_sources(${library} PRIVATE ${ARGN})
endfunction()
