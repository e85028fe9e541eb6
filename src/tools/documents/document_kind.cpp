// The kind `document` of the `session` tool (document-review §3: the list by which a lost handle is found again).

#include "session/kinds.h"
#include "tools/documents/document_tools.h"

namespace holdfast::tools {

namespace {

// Entries by what they tell; the label is the id, and all that is needed to resume.
void add_fields(const session::SessionRecord& record, JsonObject& item) {
  item["label"] = record.id;
  if (auto author = find_string(record.data, "author")) item["author"] = *author;
  if (auto model = find_string(record.data, "model")) item["model"] = *model;
  JsonObject counts;
  for (const session::Tally& tally : record.tallies) {
    Json& count = counts[tally.type];
    count = tally.count + (count.is_int64() ? count.get_int64() : 0);
  }
  item["counts"] = std::move(counts);
}

}  // namespace

void add_document_kind(SessionOperations& operations) {
  operations.add_item_fields(std::string(session::kDocument), add_fields);
}

}  // namespace holdfast::tools
