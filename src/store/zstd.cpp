#include "store/zstd.h"

#include <zstd.h>

#include <memory>

namespace kvgen {
namespace {

// A frame may demand a window this large (2^27 bytes) and no larger.
constexpr int kLargestWindowLog = 27;

}  // namespace

Result<std::string> zstd_pack(std::string_view text, int level) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  if (!context) return Error(Code::kFull, "zstd: out of memory");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), text.data(), text.size());
  if (ZSTD_isError(size) != 0) {
    return Error(Code::kInternal, std::string("zstd: ") + ZSTD_getErrorName(size));
  }
  packed.resize(size);
  return packed;
}

Result<std::string> zstd_unpack(std::string_view bytes, std::uint64_t limit) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (!context) return Error(Code::kFull, "zstd: out of memory");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  std::string text;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t wanted = 1;  // 0 at the end of a frame
  bool filled = false;     // the output was full: more may wait inside the decoder
  while (in.pos < in.size || filled) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    wanted = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(wanted) != 0) {
      return Error(Code::kInvalid,
                   std::string("is damaged (zstd: ") + ZSTD_getErrorName(wanted) + ")");
    }
    filled = out.pos == out.size;
    if (text.size() + out.pos > limit) {
      return Error(Code::kInvalid,
                   "unpacks to more than the limit of " + std::to_string(limit) + " bytes");
    }
    text.append(chunk.data(), out.pos);
    if (wanted == 0 && in.pos == in.size) break;
  }
  if (wanted != 0) return Error(Code::kInvalid, "ends in the middle: it is torn");
  return text;
}

}  // namespace kvgen
