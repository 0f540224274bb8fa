# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0

# parley_assets(TARGET DIR directory FALLBACK directory FUNCTION name HEADER header)
#
# A static library that embeds every file of DIR, and the function parley::net::NAME of HEADER that
# lists them. "x.js.gz" and "x.js.br" become encodings of "x.js". The assembler includes the bytes
# (.incbin), which is fast at any size. Without DIR/index.html, FALLBACK is embedded. Every build
# reads the folder again, so a console that was built later is found.
function(parley_assets TARGET)
  cmake_parse_arguments(ASSETS "" "DIR;FALLBACK;FUNCTION;HEADER" "" ${ARGN})
  set(dir "${ASSETS_DIR}")
  file(GLOB index CONFIGURE_DEPENDS "${ASSETS_DIR}/index.html")
  if(NOT index)
    set(dir "${ASSETS_FALLBACK}")
    message(STATUS "${ASSETS_DIR} is not built: its place is taken by a page that says so")
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${dir}/*")
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}")
  set(script "${CMAKE_SOURCE_DIR}/cmake/EmbedAssets.cmake")
  add_custom_command(
    OUTPUT "${base}.S" "${base}.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DDIR=${dir}" "-DBASE=${base}" "-DNAME=${TARGET}"
            "-DFUNCTION=${ASSETS_FUNCTION}" "-DHEADER=${ASSETS_HEADER}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding ${dir}"
    VERBATIM)
  add_library(${TARGET} STATIC "${base}.S" "${base}.cpp")
  target_include_directories(${TARGET} PRIVATE "${CMAKE_SOURCE_DIR}/src")
  set_source_files_properties("${base}.S" PROPERTIES OBJECT_DEPENDS "${files}")
  set_target_properties(${TARGET} PROPERTIES CXX_CLANG_TIDY "")
endfunction()
