#include "kinds/research/sources/providers.h"

#include "base/text/text.h"
#include "kinds/research/sources/remote_search.h"
#include "kinds/research/sources/resilient.h"

#include <fmt/format.h>

#include <algorithm>

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

std::optional<std::string> key_of(const ProviderSettings& settings, const std::string& variable) {
  auto key = settings.environment ? settings.environment(variable) : std::nullopt;
  if (key && trim(*key).empty()) key.reset();
  return key;
}

class RemoteMaker {
 public:
  RemoteMaker(session::Store& store, const ProviderSettings& settings, MadeProviders& made)
      : store_(store), settings_(settings), made_(made) {}

  Result<void> make(const Json& entry) {
    const JsonObject* object = entry.if_object();
    const auto type = object ? find_string(*object, "type") : std::nullopt;
    if (!type) return fail(ErrorKind::invalid, "every entry of the setting search needs a type", "one of local, searxng, tavily");
    if (*type == "local") return {};  // always there, and first
    if (*type == "searxng") {
      HF_TRY(auto remote, make_searxng(*object));
      return add(std::move(remote), *object);
    }
    if (*type == "tavily") return make_with_key(*object);
    return fail(ErrorKind::invalid, fmt::format("search provider of unknown type \"{}\"", utf8_prefix(*type, 100)),
                "the types are local, searxng, tavily");
  }

 private:
  Result<void> make_with_key(const JsonObject& object) {
    const std::string variable(find_string(object, "api_key_env").value_or("TAVILY_API_KEY"));
    auto key = key_of(settings_, variable);
    HF_TRY(auto remote, make_tavily(object, std::string(trim(key.value_or("")))));  // wrong settings are wrong without a key, too
    if (key) return add(std::move(remote), object);
    made_.warnings.push_back(fmt::format("{} is left out: {} is not set", remote->name(), variable));
    return {};
  }

  Result<void> add(std::unique_ptr<RemoteSearch> remote, const JsonObject& entry) {
    for (const auto& provider : made_.providers)
      if (provider->name() == remote->name())
        return fail(ErrorKind::invalid, fmt::format("two search providers are called \"{}\"", remote->name()),
                    "give one of them another name");
    const std::string service = to_json(entry);
    made_.providers.push_back(make_resilient(std::move(remote), remembered_in(store_, service)));
    return {};
  }

  session::Store& store_;
  const ProviderSettings& settings_;
  MadeProviders& made_;
};

}  // namespace

Result<MadeProviders> make_providers(session::Store& store, const ProviderSettings& settings) {
  MadeProviders made;
  HF_TRY(auto corpus, open_corpus(settings, made.warnings));
  made.providers.push_back(make_local_provider(std::move(corpus), settings.sessions ? &store : nullptr, settings.transcripts));
  if (settings.search.is_null()) return made;
  const JsonArray* entries = settings.search.if_array();
  if (!entries) return fail(ErrorKind::invalid, "the setting search must be a list of providers");
  RemoteMaker maker(store, settings, made);
  for (const Json& entry : *entries) HF_CHECK(maker.make(entry));
  return made;
}

}  // namespace holdfast::research
