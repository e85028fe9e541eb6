#pragma once

// Whether a line of JSON may hold what is sought, without taking it apart.
//
// A search reads blocks of lines of which one in ten or in a hundred holds something. What a passage has (session::Wanted)
// stands in its line as it is, but for capital letters, escapes and characters that folding makes ASCII of; where one of the
// latter is in the line nothing is known. So a line may be passed over exactly when it has none of them and lacks a piece.

#include "base/text/find_bytes.h"
#include "session/query/passages.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

class LineGlance {
 public:
  // nested: strings of a line may be JSON themselves, with escapes of their own; then symbols between words are not looked at.
  LineGlance(const session::Wanted& wanted, bool nested);

  // False: no passage of the line has all pieces.
  bool may_hold(std::string_view line) const;

 private:
  struct Piece {
    std::string bytes;          // as wanted, from its first plain character on
    ByteFinder opening;         // the plain characters that begin it
    bool behind_slash = false;  // it is wanted behind one, and that ends with one however JSON spells it
  };
  static bool stands_in(const Piece& piece, std::string_view line);

  std::vector<Piece> pieces_;
};

// Whether folding makes no ASCII of the character that begins at text[at], beyond ASCII; sets its length. False when in doubt.
bool folds_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length);

}  // namespace holdfast::transcripts
