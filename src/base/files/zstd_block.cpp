#include "base/files/zstd_block.h"

#include "base/run/freeing.h"

#include <fmt/format.h>

#include <zstd.h>

#include <algorithm>
#include <bit>

namespace holdfast {
namespace {

// What every decoder takes (bits).
constexpr int kMinWindow = 10, kMaxWindow = 27;

// The whole of prefix and bytes must lie in the window, or the beginning of the prefix is out of sight for the end of the bytes.
int window_for(std::size_t bytes, std::size_t prefix) {
  return std::clamp(static_cast<int>(std::bit_width(bytes + prefix)), kMinWindow, kMaxWindow);
}

Error failed(std::string_view doing, std::size_t code) {
  return make_error(ErrorKind::internal, fmt::format("zstd, {}: {}", doing, ZSTD_getErrorName(code)));
}

}  // namespace

struct ZstdPacker::State {
  std::unique_ptr<ZSTD_CCtx, Freeing<ZSTD_freeCCtx>> context{ZSTD_createCCtx()};
  int level = 3;
};

ZstdPacker::ZstdPacker(int level) : state_(std::make_unique<State>()) {
  state_->level = level;
}
ZstdPacker::ZstdPacker(ZstdPacker&&) noexcept = default;
ZstdPacker::~ZstdPacker() = default;

Result<std::string> ZstdPacker::pack(std::string_view bytes, std::string_view prefix) {
  ZSTD_CCtx* const context = state_->context.get();
  if (context == nullptr) return fail(ErrorKind::unavailable, "no memory for zstd");
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  std::size_t code = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, state_->level);
  if (!prefix.empty()) {
    if (!ZSTD_isError(code)) {
      code = ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_for(bytes.size(), prefix.size()));
    }
    if (!ZSTD_isError(code)) code = ZSTD_CCtx_refPrefix(context, prefix.data(), prefix.size());
  }
  if (ZSTD_isError(code)) return fail(failed("preparing", code));
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  code = ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(code)) return fail(failed("packing", code));
  out.resize(code);
  return out;
}

Result<std::string> zstd_unpack(std::string_view frame, std::size_t size, std::string_view prefix) {
  thread_local const std::unique_ptr<ZSTD_DCtx, Freeing<ZSTD_freeDCtx>> context(ZSTD_createDCtx());
  if (!context) return fail(ErrorKind::unavailable, "no memory for zstd");
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  if (!prefix.empty() && ZSTD_isError(ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size()))) {
    return fail(ErrorKind::unavailable, "no memory for zstd");
  }
  std::string bytes(size, '\0');
  const std::size_t code = ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(code)) return fail(ErrorKind::corrupt, fmt::format("damaged zstd frame: {}", ZSTD_getErrorName(code)));
  if (code != size) return fail(ErrorKind::corrupt, fmt::format("a zstd frame of {} bytes where {} were expected", code, size));
  return bytes;
}

}  // namespace holdfast
