#pragma once

// The JSON document of an archive, member by member (docs/formats/archive.md). Internal to the archive writer.

#include "kinds/transcripts/archive/archive_header.h"
#include "kinds/transcripts/archive/archive_survey.h"

namespace holdfast::transcripts {

// How the bytes of a file stand in the document.
enum class Form { records, text, base64, base64url };

// Counts or writes.
class DocumentOutput {
 public:
  virtual ~DocumentOutput() = default;
  virtual Result<void> text(std::string_view text) = 0;
  virtual Result<void> content(const SurveyedFile& file, Form form) = 0;
};

// What content() gives, without reading it.
std::uint64_t size_of_content(const SurveyedFile& file, Form form);

struct Document {
  ArchiveHeader header;
  const Survey& survey;
  const Inventory& inventory;
  bool with_history = false, without_shared = false;
};

// Version 2.4 with the extension block, or 2.1 without, as header.version says.
Result<void> write_document(const Document& document, DocumentOutput& out);

// Files that stand in the document at all: 2.1 has no place for some.
bool is_written(const SurveyedFile& file, const ArchiveHeader& header);

}  // namespace holdfast::transcripts
