#pragma once

// The id of a session in text that cannot be taken apart: a torn line, a line with NUL in it, one that is too long to hold.
//
// Where a line is no JSON we look into, its strings are not known, but a UUID does not occur by chance. So it gives way to the id
// of the copy as it stands there, and with it the project's folder in a path in front of it; nothing else is touched. A long line
// comes in pieces, and what is to be replaced may lie across two of them: as much as may be the beginning of it is held back.
// One thread.

#include "kinds/transcripts/rewrite/identity.h"

#include <string>
#include <string_view>

namespace holdfast::transcripts {

class IdInText {
 public:
  explicit IdInText(const Identity& identity);  // of a move: nothing is replaced

  // Appends what this piece of a text has become, but for what is held back.
  void add(std::string_view piece, std::string& out);
  // The text is over: appends the rest. Says whether anything of the text was replaced.
  bool end(std::string& out);

 private:
  void add_block(std::string_view block, std::string& out);

  const std::string id_, new_id_;
  const std::string path_, new_path_;  // "/projects/<folder>/<id>"
  std::string held_;
  bool replaced_ = false;
};

}  // namespace holdfast::transcripts
