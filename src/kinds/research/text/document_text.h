#pragma once

// A file of the corpus as text, whatever it is written in.

#include "base/crypto/hash.h"
#include "base/files/fd.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct DocumentText {
  Digest digest{};                   // of the file's bytes
  std::string text;                  // in UTF-8, but for single broken characters; of HTML and PDF: what a person would read
  std::string skipped;               // why there is no text; empty otherwise
  std::string title;                 // the first heading of Markdown, <title> of HTML; may be empty
  std::vector<std::uint32_t> lines;  // when not empty: the line in the file where each line of text begins, from 1

  std::uint32_t source_line(std::uint32_t line) const {  // of a line of text
    if (lines.empty()) return line;
    return line >= 1 && line <= lines.size() ? lines[line - 1] : lines.back();
  }
};

// Why a PDF has no text on a machine that cannot read it.
inline constexpr std::string_view kNoPdfReader = "a PDF, and pdftotext is not installed";

// Poppler's pdftotext is in PATH, which reads PDFs. It may come and go while we run.
bool has_pdftotext();

// Whether the text of such a file is made from its bytes, whatever they are. That of others is them, unless they are Latin-1 or
// UTF-16.
bool is_reduced(std::string_view path);

// Opened below the root without following links. Errors: not_found, refused, too_large, io.
Result<std::string> read_document(const Fd& root, std::string_view path);
DocumentText document_text(std::string_view path, std::string bytes);
// Of one that is not reduced, a part: shorter when the file is.
Result<std::string> read_part(const Fd& root, std::string_view path, std::uint64_t offset, std::size_t length);

}  // namespace holdfast::research
