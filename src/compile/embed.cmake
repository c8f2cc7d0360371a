# cmake -DLIST=FILE -DEMPTY=FILE -DOUTPUT=FILE.cpp -P embed.cmake
#
# Writes a C++ file that holds the text of each "name|path" line of LIST, and of the names in
# EMPTY, which stand for the prelude.
file(STRINGS ${LIST} lines)
file(STRINGS ${EMPTY} names)
set(text "#include \"compile/embedded.h\"\n\nnamespace kvgen {\n\n")
string(APPEND text "std::vector<VirtualFile> embedded_files() {\n  return {\n")
foreach(line IN LISTS lines)
  string(REPLACE "|" ";" pair "${line}")
  list(GET pair 0 name)
  list(GET pair 1 path)
  file(READ "${path}" content)
  string(APPEND text "      {\"${name}\", R\"kvgen~(${content})kvgen~\"},\n")
endforeach()
foreach(name IN LISTS names)
  if(NOT name MATCHES "^#")
    string(APPEND text "      {\"${name}\", \"#pragma once\\n\"},\n")
  endif()
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace kvgen\n")
file(WRITE ${OUTPUT} "${text}")
