#include "kinds/transcripts/lines/read_ahead.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kAheadBlockBytes = 512 * 1024;  // large enough that handing one over does not show
constexpr std::size_t kAheadBlocks = 4;               // ahead; more would only cost memory

}  // namespace

struct ReadAhead::State {
  explicit State(Source from) : source(std::move(from)) {
    for (auto& block : blocks) block.bytes.resize(kAheadBlockBytes);
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
    std::optional<Error> error;
  };

  void run(const std::stop_token& stop) {
    for (std::size_t next = 0; !stop.stop_requested(); next = (next + 1) % kAheadBlocks) {
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [this] { return filled < kAheadBlocks; })) return;
      }
      Block& block = blocks[next];
      block.size = 0;
      bool last = false;
      while (block.size < block.bytes.size() && !last) {
        auto got = source(block.bytes.data() + block.size, block.bytes.size() - block.size);
        if (!got) block.error = std::move(got).error();
        last = !got || *got == 0;
        if (got) block.size += *got;
      }
      {
        const std::lock_guard lock(mutex);
        ++filled;
        ended = last;
      }
      changed.notify_all();
      if (last) return;
    }
  }

  Result<std::size_t> read(char* to, std::size_t room) {
    for (;;) {
      Block& block = blocks[current];
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return filled > 0 || ended; });
        if (filled == 0) return 0;
      }
      if (taken < block.size) {
        const std::size_t count = std::min(room, block.size - taken);
        std::memcpy(to, block.bytes.data() + taken, count);
        taken += count;
        return count;
      }
      if (block.error) return fail(*block.error);  // stays the last word
      {
        const std::lock_guard lock(mutex);
        --filled;
      }
      changed.notify_all();
      current = (current + 1) % kAheadBlocks;
      taken = 0;
    }
  }

  Source source;
  std::array<Block, kAheadBlocks> blocks;  // `filled` of them from `current` on belong to the reader, the others to the thread
  std::size_t current = 0, taken = 0;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::size_t filled = 0;  // guarded by mutex
  bool ended = false;      // guarded by mutex
  std::jthread thread;     // last: stops before anything it uses goes
};

ReadAhead::ReadAhead(Source source) : state_(std::make_unique<State>(std::move(source))) {}
ReadAhead::~ReadAhead() = default;

Result<std::size_t> ReadAhead::read(char* to, std::size_t room) {
  return state_->read(to, room);
}

}  // namespace holdfast::transcripts
