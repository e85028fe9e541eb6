#pragma once

// The lines of a session through a Rewriter, by several threads where there is much of them, in their order.
//
// Rewriting is three quarters of what a copy costs, and lines do not depend on each other (but for up_to, which is not shared
// out). So they are gathered into batches; each batch is rewritten as a whole by one of a few threads, and what it became is
// given out when all before it has been. Memory is that of the batches; a line that is too long for one is rewritten where it
// stands. The threads begin with the first full batch, so short sessions have none. What comes out, is counted and fails is what
// one Rewriter alone would give.
//
// Called by one thread.

#include "kinds/transcripts/rewrite/rewrite.h"

namespace holdfast::transcripts {

class RewriteLines {
 public:
  // `rewriter` does the work of the calling thread and has all counts after end(); it must outlive this.
  explicit RewriteLines(Rewriter& rewriter);
  RewriteLines(RewriteLines&&) noexcept;
  ~RewriteLines();  // stops the threads; what was not given out is lost

  void begin(const Artifact& artifact);
  // Appends what lines before, and perhaps this one, have become.
  Result<void> line(std::string_view text, std::string_view ending, bool overlong, std::string& out);
  // Appends the rest. Errors: those of Rewriter::end.
  Result<void> end(std::string& out);

 private:
  struct Batch;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::transcripts
