#include "research/providers.h"

#include "research/local_provider.h"

#include <fmt/format.h>

namespace holdfast::research {
namespace {

// A folder that is gone today must not keep the program from searching the others.
Result<std::unique_ptr<Corpus>> open_corpus(const ProviderSettings& settings, std::vector<std::string>& warnings) {
  std::vector<CorpusRoot> roots;
  for (const CorpusRoot& root : settings.corpus) {
    auto opened = Corpus::open({root}, "");
    if (opened) {
      roots.push_back(root);
    } else if (opened.error().kind == ErrorKind::io) {
      warnings.push_back(fmt::format("documents are left out: {}", opened.error().message));
    } else {
      return fail(opened.error());
    }
  }
  if (roots.empty()) return nullptr;
  return Corpus::open(std::move(roots), settings.cache_folder);
}

}  // namespace

Result<MadeProviders> make_providers(session::Store& store, const ProviderSettings& settings) {
  MadeProviders made;
  HF_TRY(auto corpus, open_corpus(settings, made.warnings));
  made.providers.push_back(make_local_provider(std::move(corpus), settings.sessions ? &store : nullptr));
  return made;
}

}  // namespace holdfast::research
