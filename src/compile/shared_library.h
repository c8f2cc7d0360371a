#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kvgen {

// A library's function of this name; false when it has none.
template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// The first library that opens and that `take` says yes to, for the life of the process: by each
// name in turn in these folders, then in the loader's path. Null when there is none.
template <class Take>
void* open_library(std::span<const char* const> names,
                   const std::vector<std::filesystem::path>& folders, Take take) {
  std::vector<std::string> places;
  for (const char* name : names) {
    for (const auto& folder : folders) places.push_back((folder / name).string());
  }
  for (const char* name : names) places.emplace_back(name);
  for (const std::string& place : places) {
    void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr && take(library)) return library;
  }
  return nullptr;
}

}  // namespace kvgen
