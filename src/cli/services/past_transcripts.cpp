#include "cli/services/past_transcripts.h"

#include "base/run/log.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "catalogue/find.h"
#include "cli/services/keeper_of_home.h"
#include "cli/services/search_service.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace holdfast::cli {

namespace {

constexpr std::size_t kTextsOfWords = 60, kTextsOfOneSession = 20;  // each is read and scored

class PastTranscriptSearch {
 public:
  PastTranscriptSearch(const Context& context, std::function<Result<OpenTranscripts>()> open)
      : context_(context), principal_(context.settings.text("principal")), open_(std::move(open)) {}

  Result<std::vector<research::PastText>> find(const research::SearchAsk& ask, const std::string& words) {
    std::vector<research::PastText> texts;
    // Files of the user who runs the program, of any project.
    if (ask.principal != principal_ || !ask.projects.empty()) return texts;
    if (ask.cancelled && ask.cancelled()) return fail(ErrorKind::cancelled, "stopped while searching transcripts");
    const auto opened = open();
    const auto found = opened ? hits_of(*opened->search, words) : Result<search::TextResult>(fail(opened.error()));
    if (!found) {
      log(LogLevel::warn, "research", "without transcripts: " + found.error().message);
      return texts;
    }
    for (const search::TextHit& hit : found->hits)
      if (auto text = read(*opened->search, hit)) texts.push_back(*std::move(text));
    add_lines(*opened->keeper, texts);
    return texts;
  }

 private:
  Result<OpenTranscripts> open() {
    if (open_) return open_();
    const std::lock_guard lock(mutex_);
    if (service_) return OpenTranscripts{keeper_.get(), service_.get()};
    HF_TRY(keeper_, open_keeper(context_, [](bool) -> Result<session::Store*> {
             return fail(ErrorKind::not_found, "transcripts are read without a store");
           }));
    HF_TRY(service_, SearchService::open(context_, keeper_->homes(), false));
    return OpenTranscripts{keeper_.get(), service_.get()};
  }

  static Result<search::TextResult> hits_of(SearchService& service, const std::string& words) {
    search::TextQuery query;
    HF_TRY(query.clauses, search::parse_text_query(words));
    query.roles = {search::PassageRole::user, search::PassageRole::assistant};
    query.limit = kTextsOfWords;
    query.per_session = kTextsOfOneSession;
    return service.index().search(service.sources(), query);
  }

  // nullopt: it is gone meanwhile.
  static std::optional<research::PastText> read(SearchService& service, const search::TextHit& hit) {
    research::PastText text;
    text.session = hit.source.session;
    text.line = hit.line;
    text.time = hit.time;
    const auto read =
        service.sources().read(hit.source, {hit.line_begin, hit.line}, hit.line_begin + 1, [&](const search::Passage& passage) {
          if (passage.role != hit.role) return true;
          text.text += text.text.empty() ? "" : "\n";
          text.text += passage.text;
          return true;
        });
    if (!read || text.text.empty()) return std::nullopt;
    return text;
  }

  // Titles and projects: every place is looked into once for all of them, and each session read once.
  static void add_lines(const transcripts::Keeper& keeper, std::vector<research::PastText>& texts) {
    std::map<std::string, transcripts::SessionLine, std::less<>> lines;
    const auto on_disk = catalogue::matches_on_disk(keeper, {});
    const auto kept = catalogue::matches_kept(keeper, nullptr, {});
    for (const auto& matches : {on_disk ? *on_disk : std::vector<catalogue::Found>(), kept.found})
      for (const catalogue::Found& found : matches) {
        const bool wanted = std::ranges::find(texts, found.id(), &research::PastText::session) != texts.end();
        if (!wanted || lines.contains(found.id())) continue;
        if (auto line = catalogue::line_of(keeper, nullptr, found)) lines.emplace(found.id(), *std::move(line));
      }
    for (research::PastText& text : texts) {
      const auto line = lines.find(text.session);
      if (line == lines.end()) continue;
      text.title = line->second.title;
      if (auto root = canonical_root(line->second.project_path)) text.root_uri = *std::move(root);
    }
  }

  const Context& context_;
  const std::string principal_;
  const std::function<Result<OpenTranscripts>()> open_;
  std::mutex mutex_;  // of what is opened
  std::unique_ptr<transcripts::Keeper> keeper_;
  std::unique_ptr<SearchService> service_;
};

}  // namespace

research::PastTranscripts past_transcripts(const Context& context, std::function<Result<OpenTranscripts>()> open) {
  return [search = std::make_shared<PastTranscriptSearch>(context, std::move(open))](
             const research::SearchAsk& ask, const std::string& words) { return search->find(ask, words); };
}

}  // namespace holdfast::cli
