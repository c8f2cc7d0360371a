#pragma once

namespace kvgen {

// The text of extension_support.h.
extern const char* const kSupportText;

}  // namespace kvgen
