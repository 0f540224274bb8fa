# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
# Writes BASE.S and BASE.cpp for the files of DIR; see ParleyAssets.cmake.

function(content_type path out)
  set(types
    html=text/html js=text/javascript mjs=text/javascript css=text/css txt=text/plain
    json=application/json map=application/json webmanifest=application/manifest+json
    wasm=application/wasm svg=image/svg+xml png=image/png jpg=image/jpeg webp=image/webp
    ico=image/x-icon woff2=font/woff2 woff=font/woff mp3=audio/mpeg ogg=audio/ogg wav=audio/wav)
  get_filename_component(extension "${path}" LAST_EXT)
  set(found "application/octet-stream")
  foreach(type IN LISTS types)
    string(REPLACE "=" ";" pair "${type}")
    list(GET pair 0 name)
    if(".${name}" STREQUAL extension)
      list(GET pair 1 found)
    endif()
  endforeach()
  if(found MATCHES "^text/")
    string(APPEND found "; charset=utf-8")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# cet.h marks the object as compatible with control-flow enforcement: one object without the mark removes it
# from the whole program.
set(assembly "/* Made by cmake/EmbedAssets.cmake. */
#ifdef __CET__
#include <cet.h>
#endif
.section .rodata\n")
set(declarations "")
set(rows "")
set(count 0)

# Embeds the file `path`; sets `out` to the C++ expression of its bytes.
macro(embed path out)
  file(SIZE "${path}" size)
  set(symbol "${NAME}_${count}")
  math(EXPR count "${count} + 1")
  string(APPEND assembly
    ".global ${symbol}\n.balign 16\n${symbol}:\n.incbin \"${path}\"\n.byte 0\n")
  string(APPEND declarations "extern const char ${symbol}[];\n")
  set(${out} "{${symbol}, ${size}}")
endmacro()

file(GLOB_RECURSE files RELATIVE "${DIR}" "${DIR}/*")
list(SORT files)
set(assets 0)
foreach(file IN LISTS files)
  if(file MATCHES "\\.(gz|br)$")
    continue()
  endif()
  embed("${DIR}/${file}" identity)
  foreach(form gz br)
    set(${form} "{}")
    if(EXISTS "${DIR}/${file}.${form}")
      embed("${DIR}/${file}.${form}" ${form})
    endif()
  endforeach()
  file(SHA256 "${DIR}/${file}" hash)
  string(SUBSTRING "${hash}" 0 32 hash)
  content_type("${file}" type)
  # Vite puts a hash of the content into the names of all files in assets/.
  set(immutable false)
  if(file MATCHES "^assets/")
    set(immutable true)
  endif()
  string(APPEND rows
    "    {\"/${file}\", \"${type}\", ${identity}, ${gz}, ${br}, \"${hash}\", ${immutable}},\n")
  math(EXPR assets "${assets} + 1")
endforeach()

string(APPEND assembly ".section .note.GNU-stack,\"\",%progbits\n")
file(WRITE "${BASE}.S" "${assembly}")
file(WRITE "${BASE}.cpp"
"// Made by cmake/EmbedAssets.cmake.
#include \"${HEADER}\"

#include <array>

extern \"C\" {
${declarations}}

namespace parley::net {

std::span<const Asset> ${FUNCTION}() {
  static constexpr std::array<Asset, ${assets}> kAssets = {{
${rows}  }};
  return kAssets;
}

}  // namespace parley::net
")
