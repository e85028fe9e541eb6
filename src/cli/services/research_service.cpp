#include "cli/services/research_service.h"

#include "base/run/log.h"
#include "cli/program/model_settings.h"
#include "kinds/research/run/job.h"
#include "tools/documents/document_workspaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace holdfast::cli {

namespace {

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

Result<std::unique_ptr<ResearchParts>> ResearchParts::make(const Context& context,
                                                           std::function<Result<OpenTranscripts>()> transcripts) {
  HF_CHECK(check_verbosity(context.settings.text("audit.verbosity")));
  std::unique_ptr<ResearchParts> parts(new ResearchParts(context));
  HF_TRY(parts->models_, make_configured_models(context, WithoutEndpoints::no_model));
  parts->fetcher_ = research::make_fetcher();
  parts->transcripts_ = past_transcripts(context, std::move(transcripts));
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
