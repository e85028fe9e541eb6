#include "base/files/zstd.h"

#include "base/run/freeing.h"

#include <fmt/format.h>

#include <zstd.h>

#include <array>
#include <string>
#include <vector>

namespace holdfast {
namespace {

// Work handed to a compression thread at once. The default is four windows; with two threads and their output that alone would
// take most of the 64 MiB an archive may cost.
constexpr int kJobBytes = 2 * 1024 * 1024;

std::unexpected<Error> no_memory() {
  return fail(ErrorKind::unavailable, "no memory for zstd");
}

}  // namespace

struct ZstdWriter::State {
  std::unique_ptr<ZSTD_CCtx, Freeing<ZSTD_freeCCtx>> context;
  std::function<Result<void>(std::string_view)> sink;
  std::vector<char> out;
  std::uint64_t promised = 0, written = 0;

  // One call of the library; what it gives goes to the sink. The value is what is left to flush.
  Result<std::size_t> step(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context.get(), &to, &in, directive);
    if (ZSTD_isError(left)) return fail(ErrorKind::internal, fmt::format("zstd: {}", ZSTD_getErrorName(left)));
    if (to.pos > 0) HF_CHECK(sink({out.data(), to.pos}));
    return left;
  }
};

ZstdWriter::ZstdWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZstdWriter::ZstdWriter(ZstdWriter&&) noexcept = default;
ZstdWriter::~ZstdWriter() = default;

Result<ZstdWriter> ZstdWriter::make(std::uint64_t content_size, std::function<Result<void>(std::string_view)> sink,
                                    const Options& options) {
  auto state = std::make_unique<State>();
  state->context.reset(ZSTD_createCCtx());
  if (!state->context) return no_memory();
  state->sink = std::move(sink);
  state->out.resize(ZSTD_CStreamOutSize());
  state->promised = content_size;
  ZSTD_CCtx* const context = state->context.get();
  std::vector<std::pair<ZSTD_cParameter, int>> parameters = {{ZSTD_c_compressionLevel, options.level},
                                                             {ZSTD_c_windowLog, options.window_log},
                                                             {ZSTD_c_checksumFlag, 1},
                                                             {ZSTD_c_contentSizeFlag, 1}};
  if (options.workers > 0 && content_size > kJobBytes) {
    parameters.push_back({ZSTD_c_nbWorkers, options.workers});
    parameters.push_back({ZSTD_c_jobSize, kJobBytes});
  }
  for (const auto& [parameter, value] : parameters) {
    const std::size_t set = ZSTD_CCtx_setParameter(context, parameter, value);
    // A library built without threads compresses on this one; the bytes are still a frame.
    if (ZSTD_isError(set) && parameter != ZSTD_c_nbWorkers && parameter != ZSTD_c_jobSize)
      return fail(ErrorKind::invalid, fmt::format("zstd does not take these options: {}", ZSTD_getErrorName(set)));
  }
  if (ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, content_size))) return no_memory();
  return ZstdWriter(std::move(state));
}

Result<void> ZstdWriter::write(std::string_view bytes) {
  state_->written += bytes.size();
  if (state_->written > state_->promised) {
    return fail(ErrorKind::invalid, fmt::format("more than the {} bytes that were promised to the zstd frame", state_->promised));
  }
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (in.pos < in.size) HF_CHECK(state_->step(in, ZSTD_e_continue));
  return {};
}

Result<void> ZstdWriter::finish() {
  if (state_->written != state_->promised) {
    return fail(ErrorKind::invalid,
                fmt::format("{} bytes where {} were promised to the zstd frame", state_->written, state_->promised));
  }
  ZSTD_inBuffer nothing{nullptr, 0, 0};
  for (;;) {
    HF_TRY(const std::size_t left, state_->step(nothing, ZSTD_e_end));
    if (left == 0) return {};
  }
}

struct ZstdReader::State {
  std::unique_ptr<ZSTD_DCtx, Freeing<ZSTD_freeDCtx>> context;
  Source source;
  std::vector<char> buffer;
  ZSTD_inBuffer in{};
  bool inside_frame = false;
  bool at_end = false;
};

ZstdReader::ZstdReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZstdReader::ZstdReader(ZstdReader&&) noexcept = default;
ZstdReader::~ZstdReader() = default;

Result<ZstdReader> ZstdReader::make(Source source, int max_window_log) {
  auto state = std::make_unique<State>();
  state->context.reset(ZSTD_createDCtx());
  if (!state->context) return no_memory();
  const std::size_t set = ZSTD_DCtx_setParameter(state->context.get(), ZSTD_d_windowLogMax, max_window_log);
  if (ZSTD_isError(set)) return fail(ErrorKind::invalid, fmt::format("zstd: a window limit of {} bits", max_window_log));
  state->source = std::move(source);
  state->buffer.resize(ZSTD_DStreamInSize());
  state->in = {state->buffer.data(), 0, 0};
  return ZstdReader(std::move(state));
}

Result<std::size_t> ZstdReader::read(char* to, std::size_t room) {
  State& state = *state_;
  ZSTD_outBuffer out{to, room, 0};
  while (out.pos == 0 && room > 0 && !state.at_end) {
    if (state.in.pos == state.in.size) {
      HF_TRY(const std::size_t got, state.source(state.buffer.data(), state.buffer.size()));
      state.in = {state.buffer.data(), got, 0};
      if (got == 0) {
        // What is left inside the library comes out without further input; only then is the stream cut off.
        if (state.inside_frame) {
          const std::size_t hint = ZSTD_decompressStream(state.context.get(), &out, &state.in);
          if (!ZSTD_isError(hint) && hint == 0) state.inside_frame = false;
          if (out.pos > 0) break;
        }
        if (state.inside_frame) return fail(ErrorKind::corrupt, "the zstd stream is cut off");
        state.at_end = true;
        break;
      }
    }
    const std::size_t hint = ZSTD_decompressStream(state.context.get(), &out, &state.in);
    if (ZSTD_isError(hint)) return fail(ErrorKind::corrupt, fmt::format("damaged zstd stream: {}", ZSTD_getErrorName(hint)));
    state.inside_frame = hint != 0;
  }
  return out.pos;
}

bool looks_like_zstd(std::string_view first_bytes) {
  if (first_bytes.size() < 4) return false;
  std::uint32_t magic = 0;
  for (std::size_t i = 4; i-- > 0;) magic = magic << 8 | static_cast<unsigned char>(first_bytes[i]);
  return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

}  // namespace holdfast
