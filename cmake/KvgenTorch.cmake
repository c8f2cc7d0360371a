# kvgen::torch: the libtorch inside the wheel of KVGEN_TORCH_PYTHON, linked as
# libtorch_cpu and libc10 alone. The wheel's own CMake package would pull in
# CUDA and Caffe2 checks that the referee does not need.
if(TARGET kvgen::torch)
  return()
endif()
set(python ${KVGEN_TORCH_PYTHON})
if(NOT python)
  find_program(python NAMES python3 REQUIRED)
endif()
execute_process(
  COMMAND ${python} -I -c
"import os, warnings; warnings.simplefilter('ignore')
import torch
root = os.path.dirname(torch.__file__)
print(root, torch.__version__, int(torch.compiled_with_cxx11_abi()), sep=';', end='')"
  OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_VARIABLE problem)
if(failed)
  message(FATAL_ERROR "${python} cannot import torch; name one that can with "
                      "-DKVGEN_TORCH_PYTHON=..., or build without the referee: "
                      "-DKVGEN_WITH_TORCH=OFF\n${problem}")
endif()
list(GET answer 0 root)
list(GET answer 1 KVGEN_TORCH_VERSION)
list(GET answer 2 cxx11_abi)
find_library(KVGEN_TORCH_CPU torch_cpu PATHS ${root}/lib NO_DEFAULT_PATH REQUIRED)
find_library(KVGEN_TORCH_C10 c10 PATHS ${root}/lib NO_DEFAULT_PATH REQUIRED)

add_library(kvgen_torch INTERFACE)
add_library(kvgen::torch ALIAS kvgen_torch)
target_include_directories(kvgen_torch SYSTEM INTERFACE ${root}/include)
target_compile_definitions(kvgen_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=${cxx11_abi})
target_link_libraries(kvgen_torch INTERFACE ${KVGEN_TORCH_CPU} ${KVGEN_TORCH_C10})
message(STATUS "referee: libtorch ${KVGEN_TORCH_VERSION}")
