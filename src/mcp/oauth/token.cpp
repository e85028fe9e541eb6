#include "mcp/oauth/token.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "mcp/oauth/challenge.h"
#include "mcp/oauth/metadata.h"

#include <algorithm>
#include <filesystem>

namespace holdfast::mcp::oauth {
namespace {

// Longer than any token lives; keeps the sum below from overflowing.
constexpr std::int64_t kMaxLifetimeSeconds = 10LL * 365 * 24 * 3600;

// RFC 6749 appendix A: anything else would let a token write headers.
bool is_token_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

constexpr std::size_t kMaxFileBytes = 4 * 1024 * 1024;  // hundreds of servers of one issuer

bool is_for(const std::string& resource, const HttpUrl& server) {
  const auto url = parse_http_url(resource);
  return url && covers(*url, server);
}

}  // namespace

bool Token::covers(const std::vector<std::string>& wanted) const {
  return std::ranges::all_of(wanted, [&](const std::string& scope) { return std::ranges::find(scopes, scope) != scopes.end(); });
}

Result<Token> read_token_answer(const Json& body, const std::vector<std::string>& asked_scopes, Millis now) {
  const JsonObject* object = body.if_object();
  if (!object) return fail(ErrorKind::corrupt, "the token endpoint did not answer with a JSON object");
  Token token;
  token.access_token = text_in(*object, "access_token");
  if (!is_token_text(token.access_token)) return fail(ErrorKind::corrupt, "the token endpoint answered without an access token");
  const auto type = find_string(*object, "token_type");
  token.dpop = type && equal_ignoring_ascii_case(*type, "dpop");
  if (!type || (!token.dpop && !equal_ignoring_ascii_case(*type, "bearer")))
    return fail(ErrorKind::corrupt, "the token endpoint answered with a type of token that we do not know");
  token.refresh_token = text_in(*object, "refresh_token");
  if (!token.refresh_token.empty() && !is_token_text(token.refresh_token)) token.refresh_token.clear();
  const auto scope = find_string(*object, "scope");
  token.scopes = scope ? split_scopes(*scope) : asked_scopes;
  if (const auto lifetime = find_int(*object, "expires_in"); lifetime && *lifetime >= 0)
    token.expires_at = now + std::min(*lifetime, kMaxLifetimeSeconds) * 1000;
  return token;
}

JsonObject to_json_object(const IssuerRecord& record) {
  JsonObject tokens;
  for (const auto& [resource, token] : record.tokens)
    tokens[resource] = JsonObject{
        {"access_token", token.access_token}, {"refresh_token", token.refresh_token}, {"dpop", token.dpop},
        {"dpop_key", token.dpop_key},         {"scope", join_scopes(token.scopes)},   {"expires_at", token.expires_at}};
  JsonObject object{{"tokens", std::move(tokens)}};
  if (record.registration)
    object["registration"] = JsonObject{{"client_id", record.registration->client_id},
                                        {"client_secret", record.registration->client_secret},
                                        {"auth_method", record.registration->auth_method},
                                        {"redirect_uri", record.registration->redirect_uri}};
  return object;
}

IssuerRecord read_issuer_record(const JsonObject& object) {
  IssuerRecord record;
  if (const JsonObject* client = find_object(object, "registration"))
    record.registration = ClientRegistration{text_in(*client, "client_id"), text_in(*client, "client_secret"),
                                             text_in(*client, "auth_method"), text_in(*client, "redirect_uri")};
  const JsonObject* tokens = find_object(object, "tokens");
  for (const auto& member : tokens ? *tokens : JsonObject()) {
    const JsonObject* stored = member.value().if_object();
    if (!stored || !is_token_text(text_in(*stored, "access_token"))) continue;
    Token& token = record.tokens[std::string(member.key())];
    token.access_token = text_in(*stored, "access_token");
    token.refresh_token = text_in(*stored, "refresh_token");
    token.dpop = find_bool(*stored, "dpop").value_or(false);
    token.dpop_key = text_in(*stored, "dpop_key");
    token.scopes = split_scopes(text_in(*stored, "scope"));
    token.expires_at = find_int(*stored, "expires_at").value_or(0);
  }
  return record;
}

Result<IssuerRecord> MemoryTokenStore::read(const std::string& issuer) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(issuer);
  return found == records_.end() ? IssuerRecord() : found->second;
}

Result<void> MemoryTokenStore::change(const std::string& issuer, const Change& change) {
  const std::lock_guard lock(mutex_);
  IssuerRecord record = records_[issuer];
  HF_CHECK(change(record));
  records_[issuer] = std::move(record);
  return {};
}

// The issuer is a stranger's text, so its digest is the name.
std::string FileTokenStore::path_of(const std::string& issuer) const {
  return folder_ + '/' + to_hex(sha256(issuer)).substr(0, 32) + ".json";
}

Result<IssuerRecord> FileTokenStore::read(const std::string& issuer) {
  auto text = read_file(path_of(issuer), kMaxFileBytes);
  if (!text && text.error().kind == ErrorKind::not_found) return IssuerRecord();
  if (!text) return fail(std::move(text).error());
  const auto value = parse_json(*text);
  const JsonObject* object = value ? value->if_object() : nullptr;
  if (!object || find_string(*object, "issuer") != issuer) return IssuerRecord();
  return read_issuer_record(*object);
}

Result<void> FileTokenStore::change(const std::string& issuer, const Change& change) {
  HF_CHECK(make_private_folder(folder_));
  HF_TRY(const FileLock lock, FileLock::acquire(path_of(issuer) + ".lock"));
  HF_TRY(IssuerRecord record, read(issuer));
  const JsonObject before = to_json_object(record);
  HF_CHECK(change(record));
  JsonObject object = to_json_object(record);
  if (object == before) return {};
  object["issuer"] = issuer;
  return replace_file(path_of(issuer), to_json(object), 0600);
}

Result<std::vector<std::string>> FileTokenStore::issuers() const {
  std::vector<std::string> found;
  std::error_code problem;
  std::filesystem::directory_iterator files(folder_, problem), end;
  if (problem == std::errc::no_such_file_or_directory) return found;
  for (; !problem && files != end; files.increment(problem)) {
    if (files->path().extension() != ".json") continue;
    const auto text = read_file(files->path().string(), kMaxFileBytes);
    const auto value = text ? parse_json(*text) : Result<Json>(fail(text.error()));
    const JsonObject* object = value ? value->if_object() : nullptr;
    if (const auto issuer = object ? find_string(*object, "issuer") : std::nullopt) found.emplace_back(*issuer);
  }
  if (problem) return fail(system_error(folder_, problem.value()));
  return found;
}

Result<bool> FileTokenStore::knows(const HttpUrl& server) {
  HF_TRY(const auto all, issuers());
  for (const std::string& issuer : all) {
    HF_TRY(const IssuerRecord record, read(issuer));
    if (std::ranges::any_of(record.tokens, [&](const auto& token) { return is_for(token.first, server); })) return true;
  }
  return false;
}

Result<bool> FileTokenStore::forget(const HttpUrl& server) {
  HF_TRY(const auto all, issuers());
  bool any = false;
  for (const std::string& issuer : all) {
    HF_CHECK(change(issuer, [&](IssuerRecord& record) -> Result<void> {
      if (std::erase_if(record.tokens, [&](const auto& token) { return is_for(token.first, server); }) == 0) return {};
      any = true;
      if (record.tokens.empty()) record.registration.reset();
      return {};
    }));
  }
  return any;
}

}  // namespace holdfast::mcp::oauth
