// What a command has for operations beside transcripts: documents under review, and the store as a whole.

#include "cli/transcripts/transcript_work.h"

#include <unistd.h>

namespace holdfast::cli {

Result<session::Store*> TranscriptWork::open_whole(bool to_read) {
  if (store_ && (to_read || !store_is_to_read_)) return store_.get();
  view_.reset();
  HF_TRY(store_, context_.open_store(to_read));
  store_is_to_read_ = to_read;
  return store_.get();
}

Result<operations::Documents> TranscriptWork::documents() {
  if (!review_) {
    HF_TRY(review_, ReviewWorkspace::open(context_));
  }
  return review_->documents();
}

// The bar of work that nobody can stop: Ctrl-C ends the program.
Result<operations::Administration> TranscriptWork::administration() {
  return operations::Administration{
      .store = [this](bool to_read) { return open_whole(to_read); },
      .store_url = context_.store_url(),
      .token_file = context_.folders.token_file(),
      .tell =
          [this, shown = ::isatty(STDERR_FILENO) != 0](std::string_view step, std::uint64_t done, std::uint64_t total) {
            if (shown) bar_.update(steady_milliseconds(), step, done, total);
          }};
}

}  // namespace holdfast::cli
