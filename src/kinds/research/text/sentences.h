#pragma once

// A text cut into its sentences, each word for word, for the engine that quotes instead of writing.
//
// Knows markdown, manuals and transcripts well enough not to quote them badly: headings are context, not sentences, also those
// that are underlined, numbered or in capitals; an item of a list, a row of a table and a line of a quotation stand alone; the
// head of a table is context of its rows, and a short line of its own ("-k --keep"), or the term that an entry begins with, of
// what follows it; blocks of code are left out but for lines with a remark; a word that was divided at the end of a line by the
// hyphen of typesetters is whole; a paragraph is one text however it is wrapped, and a full stop inside "e.g.", "3.5" or
// "config.json" does not end it.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct Sentence {
  std::string text;           // white space folded to single blanks; otherwise the very characters of the source
  std::string heading;        // of the section it stands in, the table, the line above; may be empty
  std::string entry;          // the term it explains: "--keep, -k"; may be empty
  std::size_t paragraph = 0;  // sentences of one paragraph follow each other there, white space aside
  bool command = false;       // a line of code with a remark that says what it does
  bool points = false;        // only says where something is: an entry of an index, "*Note ..."
};

std::vector<Sentence> sentences_of(std::string_view text);

// Runs of white space become one blank; none at the ends. A word that a hyphen of typesetters (U+2010, soft) divides over two
// lines is put together again.
std::string fold_blanks(std::string_view text);
// Whether the quotation stands in the text, white space aside. An empty one does not.
bool stands_in(std::string_view quotation, std::string_view text);

}  // namespace holdfast::research
