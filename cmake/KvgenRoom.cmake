# kvgen_room(NAME [OWN_HEADERS] [ASYNC] [SOURCES ...] [USES room ...] [LIBRARIES target ...])
#
# One static library a room. USES must be a subset of what the house allows
# (cmake/house.cmake); linking another room is a configure error. ASYNC rooms read Boost.Asio;
# OWN_HEADERS keeps the shared precompiled headers out, where a room's flags differ.
include(${CMAKE_CURRENT_LIST_DIR}/house.cmake)

# Headers that most files read, precompiled once for all targets of the same flags: reading
# nlohmann_json alone takes longer than compiling a typical file behind it.
function(kvgen_precompiled name)
  cmake_parse_arguments(P "" "" "HEADERS;LIBRARIES" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(kvgen_${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(kvgen_${name} PRIVATE kvgen_warnings nlohmann_json::nlohmann_json
                        spdlog::spdlog ${P_LIBRARIES})
  target_precompile_headers(kvgen_${name} PRIVATE ${P_HEADERS})
endfunction()

function(kvgen_room name)
  cmake_parse_arguments(ROOM "OWN_HEADERS;ASYNC" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" key ${name})
  if(NOT DEFINED KVGEN_MAY_USE_${key})
    message(FATAL_ERROR "room ${name} is not in cmake/house.cmake")
  endif()
  add_library(kvgen_${key} STATIC ${ROOM_SOURCES})
  target_include_directories(kvgen_${key} PUBLIC ${PROJECT_SOURCE_DIR}/include
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kvgen_${key} PRIVATE kvgen_warnings)
  foreach(used IN LISTS ROOM_USES)
    if(NOT used IN_LIST KVGEN_MAY_USE_${key})
      message(FATAL_ERROR "room ${name} may not use ${used}: see cmake/house.cmake")
    endif()
    string(REPLACE "/" "_" used_key ${used})
    target_link_libraries(kvgen_${key} PUBLIC kvgen_${used_key})
  endforeach()
  target_link_libraries(kvgen_${key} PUBLIC ${ROOM_LIBRARIES})
  if(ROOM_ASYNC)
    target_precompile_headers(kvgen_${key} REUSE_FROM kvgen_async_headers)
  elseif(NOT ROOM_OWN_HEADERS)
    target_precompile_headers(kvgen_${key} REUSE_FROM kvgen_common_headers)
  endif()
endfunction()

# kvgen_test(NAME SOURCES ... USES room ... [LIBRARIES ...] [LABELS ...]): one gtest program,
# registered case by case.
function(kvgen_test name)
  if(NOT KVGEN_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(T "" "" "SOURCES;USES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE kvgen_warnings GTest::gmock_main)
  foreach(used IN LISTS T_USES)
    string(REPLACE "/" "_" used_key ${used})
    target_link_libraries(${name} PRIVATE kvgen_${used_key})
  endforeach()
  target_link_libraries(${name} PRIVATE ${T_LIBRARIES})
  target_precompile_headers(${name} REUSE_FROM kvgen_test_headers)
  target_compile_definitions(${name} PRIVATE KVGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             KVGEN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 LABELS "${T_LABELS}")
endfunction()
