#include "operations/store/access_tokens.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/ids.h"
#include "base/run/process.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace holdfast::operations {

namespace {

constexpr std::string_view kTokenSpace = "http.token";
constexpr std::size_t kTokenChars = 43;  // 256 bits in base62
constexpr std::size_t kMaxTokenFile = 4096;

std::string hash_of(std::string_view token) {
  return to_hex(sha256(token));
}

std::string make_token() {
  return std::string(kTokenPrefix) + random_base62(kTokenChars);
}

// "local/" and a place: the first token of one more machine. No name of a token has a slash.
constexpr std::string_view kLocalElsewhere = "local/";
constexpr std::size_t kPlaceChars = 16;

// Which machine's file this is, so that its token replaces its own former one and nobody else's.
std::string place_of(const std::string& file) {
  std::error_code problem;
  const std::filesystem::path path = std::filesystem::weakly_canonical(file, problem);
  const std::string machine = read_file("/etc/machine-id", kMaxTokenFile).value_or("");
  return to_hex(sha256(fmt::format("{}\n{}\n{}", machine, host_name(), problem ? file : path.string()))).substr(0, kPlaceChars);
}

constexpr std::size_t kShownNameChars = 64;  // of a name that is none

std::unexpected<Error> not_a_name(std::string_view what, std::string_view name) {
  return fail(ErrorKind::invalid, fmt::format("\"{}\" cannot name a {}", shorten(name, kShownNameChars), what),
              "use 1 to 64 letters, digits and . _ @ -");
}

JsonObject to_row(const TokenGrant& grant) {
  JsonObject row{{"scopes", grant.scopes.text()}};
  if (!grant.team.empty()) row["team"] = grant.team;
  if (!grant.projects.empty()) row["projects"] = JsonArray(grant.projects.begin(), grant.projects.end());
  if (grant.expires_at) row["expires_at"] = *grant.expires_at;
  return row;
}

// nullopt: not a row that this version understands; better no access than too much of it.
std::optional<AccessToken> read_row(const session::KeyedValue& value) {
  if (!value.value.is_object()) return std::nullopt;
  const JsonObject& row = value.value.get_object();
  AccessToken token;
  token.grant.name = value.key;
  token.hash = find_string(row, "hash").value_or("");
  token.created_at = find_int(row, "created_at").value_or(0);
  token.grant.team = find_string(row, "team").value_or("");
  token.grant.scopes = Scopes::all();  // the first token, and those of before there were scopes
  if (row.contains("scopes")) {
    auto scopes = Scopes::parse(find_string(row, "scopes").value_or("?"));
    if (!scopes) return std::nullopt;
    token.grant.scopes = *scopes;
  }
  if (const Json* projects = holdfast::find(row, "projects")) {
    if (!projects->is_array()) return std::nullopt;
    for (const Json& project : projects->get_array()) {
      if (!project.is_string()) return std::nullopt;
      token.grant.projects.emplace_back(view(project.get_string()));
    }
    if (token.grant.projects.empty()) return std::nullopt;
  }
  if (row.contains("expires_at")) {
    const auto expires_at = find_int(row, "expires_at");
    if (!expires_at) return std::nullopt;
    token.grant.expires_at = *expires_at;
  }
  return token;
}

// Somebody may have copied the file with other permissions.
Result<void> keep_private(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return fail(system_error(file, errno));
  if ((status.st_mode & 077) == 0) return {};
  if (::chmod(file.c_str(), 0600) != 0) return fail(system_error(file, errno));
  return {};
}

}  // namespace

Identity TokenGrant::identity() const {
  Identity identity = full_identity(name.starts_with(kLocalElsewhere) ? std::string(kLocalPrincipal) : name);
  if (!team.empty()) identity.principal = std::string(kTeamPrefix) + team;
  identity.scopes = scopes;
  identity.projects = projects;
  return identity;
}

TokenGrant grant_for(std::string name) {
  TokenGrant grant;
  grant.name = std::move(name);
  return grant;
}

Error expired_token(Millis expired_at) {
  return make_error(ErrorKind::unauthorised, fmt::format("this token has expired on {}", iso8601(expired_at)),
                    "ask whoever runs this server for another: holdfast token add");
}

Result<void> AccessTokens::ensure_first(const std::string& file) {
  auto kept = read_file(file, kMaxTokenFile);
  if (!kept && kept.error().kind == ErrorKind::not_found) {
    const std::string fresh = make_token() + "\n";
    // Of two processes that start at once one wins, and both use the winner's.
    if (auto made = create_file(file, fresh, 0600); !made && made.error().kind != ErrorKind::conflict)
      return fail(std::move(made).error());
    kept = read_file(file, kMaxTokenFile);
  }
  if (!kept) return fail(std::move(kept).error());
  HF_CHECK(keep_private(file));
  const std::string_view token = trim(*kept);
  if (token.empty())
    return fail(ErrorKind::corrupt, file + " holds no token", "remove the file; a new one is made at the next start");
  const std::string place = place_of(file), hash = hash_of(token);
  // The first machine's row is called local; of another that shares the store it is none of our business.
  for (const std::string& name : {std::string(kLocalPrincipal), std::string(kLocalElsewhere) + place}) {
    HF_TRY(const auto known, store_.value(kTokenSpace, name));
    const JsonObject* row = known ? known->value.if_object() : nullptr;
    if (row && find_string(*row, "hash") == hash) return {};
    const bool is_ours = !row || find_string(*row, "place").value_or(place) == place;
    if (is_ours) return put(name, {{"place", place}}, token, session::Expect::anything());
  }
  return fail(ErrorKind::corrupt, "the row of this machine's first token belongs to another",
              "holdfast token list, then revoke it");
}

Result<void> AccessTokens::put(const std::string& name, JsonObject value, std::string_view token, session::Expect expect) {
  value["hash"] = hash_of(token);
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    value["created_at"] = transaction.now();
    HF_CHECK(transaction.put(kTokenSpace, name, Json(value), expect));
    return {};
  });
}

Result<std::string> AccessTokens::add(const TokenGrant& grant) {
  const std::string& name = grant.name;
  if (!is_principal_name(name)) return not_a_name("token", name);
  if (!grant.team.empty() && !is_principal_name(grant.team)) return not_a_name("team", grant.team);
  if (grant.scopes.empty()) return fail(ErrorKind::invalid, "a token needs a scope", "read, write, review or admin");
  if (name == kLocalPrincipal)
    return fail(ErrorKind::conflict, "the name local belongs to the first token", "choose another name");
  HF_TRY(auto known, list());
  if (known.size() >= kMaxTokens)
    return fail(ErrorKind::too_large, fmt::format("there are {} tokens already", known.size()), "revoke one first");
  std::string token = make_token();
  auto added = put(name, to_row(grant), token, session::Expect::absent());
  if (!added && added.error().kind == ErrorKind::conflict)
    return fail(ErrorKind::conflict, fmt::format("there is a token called {} already", name),
                "revoke it first, or choose another name");
  if (!added) return fail(std::move(added).error());
  return token;
}

Result<std::vector<AccessToken>> AccessTokens::list() {
  HF_TRY(auto values, store_.values({std::string(kTokenSpace), {}, {}, kMaxTokens + 1}));
  std::vector<AccessToken> tokens;
  for (const session::KeyedValue& value : values) {
    if (auto token = read_row(value)) tokens.push_back(*std::move(token));
  }
  return tokens;
}

Result<std::optional<AccessToken>> AccessTokens::named(std::string_view name) {
  HF_TRY(const auto value, store_.value(kTokenSpace, name));
  return value ? read_row(*value) : std::nullopt;
}

Result<void> AccessTokens::revoke(const std::string& name) {
  HF_TRY(bool was_there,
         store_.write([&](session::Transaction& transaction) -> Result<bool> { return transaction.erase(kTokenSpace, name); }));
  if (!was_there)
    return fail(ErrorKind::not_found, fmt::format("there is no token called {}", name), "holdfast token list names them");
  return {};
}

const AccessToken* find_token(const std::vector<AccessToken>& tokens, std::string_view presented) {
  const std::string hash = hash_of(presented);
  const AccessToken* found = nullptr;
  for (const AccessToken& token : tokens)
    if (equal_in_constant_time(token.hash, hash)) found = &token;
  return found;
}

}  // namespace holdfast::operations
