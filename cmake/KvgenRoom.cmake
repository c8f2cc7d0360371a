# kvgen_room(NAME [SOURCES ...] [USES room ...] [LIBRARIES target ...])
#
# One static library a room. USES must be a subset of what the house allows
# (cmake/house.cmake); linking another room is a configure error.
include(${CMAKE_CURRENT_LIST_DIR}/house.cmake)

function(kvgen_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
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
  target_compile_definitions(${name} PRIVATE KVGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             KVGEN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 LABELS "${T_LABELS}")
endfunction()
