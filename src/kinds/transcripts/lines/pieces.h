#pragma once

// A session on its way from where it is read to where it goes: its files one after another, each in pieces.
//
// Sources of sessions (session_source.h) call; receivers (staging, hashes, counters) are called.
// The order of the files is the reader's; memory is that of one piece. Pieces are the original bytes: all of them, one behind the
// other, are the file. Of files of lines (is_line_file) every piece is one line, or a part of an overlong one.

#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

class Receiver {
 public:
  virtual ~Receiver() = default;

  // Any error ends the reading and is what the reader returns. `artifact.path` is that of the original session.
  virtual Result<void> begin(const Artifact& artifact) = 0;
  // Of the file just begun: this receiver finds out itself which lines are records. Piece::record means nothing then, and
  // a reader that would have to look into every line for it does not.
  virtual bool judges_lines() const { return false; }
  // text and ending as jsonl::Line has them. `record`: the line is one JSON object and valid UTF-8. `overlong`: a part of a line
  // that is too long to look into.
  struct Piece {
    std::string_view text;
    std::string_view ending;
    bool record = false;
    bool overlong = false;
  };
  virtual Result<void> line(const Piece& piece) = 0;
  virtual Result<void> bytes(std::string_view bytes) = 0;  // of all other files
  virtual Result<void> end() = 0;
};

// Takes all and keeps nothing: readers compare hashes themselves.
class Nobody final : public Receiver {
 public:
  Result<void> begin(const Artifact&) override { return {}; }
  Result<void> line(const Piece&) override { return {}; }
  Result<void> bytes(std::string_view) override { return {}; }
  Result<void> end() override { return {}; }
};

}  // namespace holdfast::transcripts
