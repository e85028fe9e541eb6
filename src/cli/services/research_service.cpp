#include "cli/services/research_service.h"

#include "base/run/log.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "catalogue/places.h"
#include "cli/program/model_settings.h"
#include "cli/services/keeper_of_home.h"
#include "cli/services/search_service.h"
#include "kinds/research/run/job.h"
#include "kinds/research/sources/session_search.h"
#include "tools/documents/document_workspaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

namespace holdfast::cli {

namespace {

constexpr std::size_t kTextsOfWords = 60, kTextsOfOneSession = 20;  // each is read and scored

// What was said in the transcripts of this user, on disk and in the guard, as sources of research. The context outlives it; any
// thread.
class PastTranscriptSearch {
 public:
  explicit PastTranscriptSearch(const Context& context) : context_(context), principal_(context.settings.text("principal")) {}

  Result<std::vector<research::PastText>> find(const research::SearchAsk& ask, const std::string& words) {
    std::vector<research::PastText> texts;
    // Files of the user who runs the program, of any project.
    if (ask.principal != principal_ || !ask.projects.empty()) return texts;
    if (ask.cancelled && ask.cancelled()) return fail(ErrorKind::cancelled, "stopped while searching transcripts");
    const auto found = hits_of(words);
    if (!found) {
      log(LogLevel::warn, "research", "without transcripts: " + found.error().message);
      return texts;
    }
    for (const search::TextHit& hit : found->hits)
      if (auto text = read(hit)) texts.push_back(*std::move(text));
    add_lines(texts);
    return texts;
  }

 private:
  Result<void> open() {
    const std::lock_guard lock(mutex_);
    if (service_) return {};
    HF_TRY(keeper_, open_keeper(context_, [](bool) -> Result<session::Store*> {
             return fail(ErrorKind::not_found, "transcripts are read without a store");
           }));
    HF_TRY(service_, SearchService::open(context_, keeper_->homes(), false));
    return {};
  }

  Result<search::TextResult> hits_of(const std::string& words) {
    HF_CHECK(open());
    search::TextQuery query;
    HF_TRY(query.clauses, search::parse_text_query(words));
    query.roles = {search::PassageRole::user, search::PassageRole::assistant};
    query.limit = kTextsOfWords;
    query.per_session = kTextsOfOneSession;
    return service_->index().search(service_->sources(), query);
  }

  // nullopt: it is gone meanwhile.
  std::optional<research::PastText> read(const search::TextHit& hit) const {
    research::PastText text;
    text.session = hit.source.session;
    text.line = hit.line;
    text.time = hit.time;
    const auto read =
        service_->sources().read(hit.source, {hit.line_begin, hit.line}, hit.line_begin + 1, [&](const search::Passage& passage) {
          if (passage.role != hit.role) return true;
          text.text += text.text.empty() ? "" : "\n";
          text.text += passage.text;
          return true;
        });
    if (!read || text.text.empty()) return std::nullopt;
    return text;
  }

  // Titles and projects: every place is looked into once for all of them, and each session read once.
  void add_lines(std::vector<research::PastText>& texts) {
    std::map<std::string, transcripts::SessionLine, std::less<>> lines;
    const auto on_disk = catalogue::matches_on_disk(*keeper_, {});
    const auto kept = catalogue::matches_kept(*keeper_, nullptr, {});
    for (const auto& matches : {on_disk ? *on_disk : std::vector<catalogue::Found>(), kept.found})
      for (const catalogue::Found& found : matches) {
        const bool wanted = std::ranges::find(texts, found.id(), &research::PastText::session) != texts.end();
        if (!wanted || lines.contains(found.id())) continue;
        if (auto line = catalogue::line_of(*keeper_, nullptr, found)) lines.emplace(found.id(), *std::move(line));
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
  std::mutex mutex_;  // of what is opened
  std::unique_ptr<transcripts::Keeper> keeper_;
  std::unique_ptr<SearchService> service_;
};

// Opens what it needs with the first question. Transcripts that cannot be searched are logged and done without.
research::PastTranscripts past_transcripts(const Context& context) {
  return [search = std::make_shared<PastTranscriptSearch>(context)](const research::SearchAsk& ask, const std::string& words) {
    return search->find(ask, words);
  };
}

// Each is called by its last name; of two alike the second gets a number.
std::vector<research::CorpusRoot> named_roots(const std::vector<std::string>& folders) {
  std::vector<research::CorpusRoot> roots;
  std::set<std::string> folders_seen, names;
  for (const std::string& folder : folders) {
    if (!folders_seen.insert(folder).second) continue;
    std::string base = std::filesystem::path(folder).filename().string();
    if (base.empty()) base = "root";
    std::string name = base;
    for (int number = 2; !names.insert(name).second; ++number) name = fmt::format("{}-{}", base, number);
    roots.push_back({std::move(name), folder, {}});
  }
  return roots;
}

Result<void> check_verbosity(const std::string& word) {
  if (word == "minimal" || word == "full") return {};
  return fail(ErrorKind::invalid, fmt::format("audit.verbosity: {} is neither minimal nor full", word));
}

}  // namespace

Result<std::string> corpus_folder(const std::string& given) {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::canonical(given, problem);
  if (problem || !std::filesystem::is_directory(folder, problem))
    return fail(ErrorKind::not_found, fmt::format("there is no folder {}", given), "name a folder of documents");
  return folder.string();
}

Identity owner_of_run(const session::SessionRecord& run) {
  Identity owner = full_identity(run.principal);
  owner.projects = research::read_job(run).projects;
  return owner;
}

Result<std::unique_ptr<ResearchParts>> ResearchParts::make(const Context& context) {
  HF_CHECK(check_verbosity(context.settings.text("audit.verbosity")));
  std::unique_ptr<ResearchParts> parts(new ResearchParts(context));
  HF_TRY(parts->models_, make_configured_models(context, WithoutEndpoints::no_model));
  parts->fetcher_ = research::make_fetcher();
  parts->transcripts_ = past_transcripts(context);
  return parts;
}

std::unique_ptr<threads::Threads> ResearchParts::threads(session::Store& store) {
  return threads::Threads::make(store, *models_);
}

std::unique_ptr<research::Research> ResearchParts::research(session::Store& store) {
  const Settings& settings = context_.settings;
  return std::make_unique<research::Research>(research::Tools{
      store, *models_,
      [this, &store](const session::SessionRecord& run, const std::vector<std::string>& corpus) -> Result<research::Providers> {
        HF_TRY(research::MadeProviders made, providers(store, corpus, owner_of_run(run)));
        for (const std::string& warning : made.warnings) log(LogLevel::warn, "research", warning);
        return std::move(made.providers);
      },
      *fetcher_, settings.text("audit.verbosity"), settings.seconds("research.stale_after_s"), context_.clock.get(),
      settings.seconds("research.lease_s")});
}

Result<std::unique_ptr<ResearchService>> ResearchService::make(const Context& context, session::Store& store) {
  auto service = std::make_unique<ResearchService>();
  HF_TRY(service->parts_, ResearchParts::make(context));
  service->threads_ = service->parts_->threads(store);
  service->research_ = service->parts_->research(store);
  return service;
}

Result<research::MadeProviders> ResearchParts::providers(session::Store& store, const std::vector<std::string>& folders,
                                                         const Identity& asker) const {
  std::vector<std::string> all;
  std::vector<std::string> missing;
  for (const std::string& folder : context_.settings.list("research.corpus")) {
    auto found = corpus_folder(folder);
    if (found)
      all.push_back(std::move(*found));
    else
      missing.push_back(fmt::format("research.corpus: {} is left out: {}", folder, found.error().message));
  }
  all.insert(all.end(), folders.begin(), folders.end());
  std::erase_if(all, [&](const std::string& folder) { return !tools::stands_in_projects(folder, asker); });
  research::ProviderSettings wanted;
  wanted.corpus = named_roots(all);
  wanted.sessions = context_.settings.flag("research.past_sessions");
  wanted.transcripts = transcripts_;
  wanted.cache_folder = context_.folders.data + "/corpus";
  wanted.search = context_.settings.json("search");
  wanted.environment = context_.environment;
  auto made = research::make_providers(store, wanted);
  if (!made) return fail(std::move(made).error().within("search"));
  made->warnings.insert(made->warnings.begin(), missing.begin(), missing.end());
  return made;
}

}  // namespace holdfast::cli
