#include "web/gateway/subject.h"

#include "base/identity.h"
#include "catalogue/files.h"
#include "session/query/display.h"

namespace holdfast::web {

catalogue::Asker asker_of(session::Store& store, const Transcripts& transcripts, const std::string& principal) {
  const bool is_owner = principal == kLocalPrincipal;
  return {[&store]() -> Result<session::Store*> { return &store; }, principal, is_owner ? transcripts.keeper : nullptr,
          transcripts.kept.get()};
}

Result<Subject> find_subject(session::Store& store, const Transcripts& transcripts, const std::string& principal,
                             const std::string& id_or_prefix) {
  HF_TRY(auto found, catalogue::find(asker_of(store, transcripts, principal), id_or_prefix));
  Subject subject;
  subject.id = found.id();
  subject.kind = found.kind();
  if (found.record())
    subject.title = session::shown_title(*found.record());
  else if (const auto line = catalogue::line_of(*transcripts.keeper, transcripts.kept.get(), found))
    subject.title = line->custom_title.empty() ? line->title : line->custom_title;
  if (subject.title.empty()) subject.title = "untitled transcript";
  subject.found = std::move(found);
  return subject;
}

Transcripts transcripts_of(const transcripts::Keeper* keeper) {
  return {keeper, keeper ? std::make_shared<transcripts::KeptLines>(*keeper) : nullptr};
}

}  // namespace holdfast::web
