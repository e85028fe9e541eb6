#include "web/access_tokens.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/text.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>

namespace holdfast::web {

namespace {

constexpr std::string_view kSpace = "http.token";
constexpr std::size_t kTokenChars = 43;  // 256 bits in base62
constexpr std::size_t kMaxTokenFile = 4096;
constexpr std::size_t kMaxNameBytes = 64;

std::string hash_of(std::string_view token) {
  return to_hex(sha256(token));
}

std::string make_token() {
  return "hf_" + random_base62(kTokenChars);
}

bool is_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  return std::ranges::all_of(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("._@-").contains(c); });
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
  HF_TRY(auto known, store_.value(kSpace, kFirstToken));
  if (known && known->value.is_object() && find_string(known->value.get_object(), "hash") == hash_of(token)) return {};
  return put(std::string(kFirstToken), token, session::Expect::anything());
}

Result<void> AccessTokens::put(const std::string& name, std::string_view token, session::Expect expect) {
  const std::string hash = hash_of(token);
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    JsonObject value{{"hash", hash}, {"created_at", transaction.now()}};
    HF_CHECK(transaction.put(kSpace, name, Json(value), expect));
    return {};
  });
}

Result<std::string> AccessTokens::add(const std::string& name) {
  if (!is_name(name))
    return fail(ErrorKind::invalid, fmt::format("\"{}\" cannot name a token", shorten(name, kMaxNameBytes)),
                "use 1 to 64 letters, digits and . _ @ -");
  if (name == kFirstToken) return fail(ErrorKind::conflict, "the name local belongs to the first token", "choose another name");
  HF_TRY(auto known, list());
  if (known.size() >= kMaxTokens)
    return fail(ErrorKind::too_large, fmt::format("there are {} tokens already", known.size()), "revoke one first");
  std::string token = make_token();
  auto added = put(name, token, session::Expect::absent());
  if (!added && added.error().kind == ErrorKind::conflict)
    return fail(ErrorKind::conflict, fmt::format("there is a token called {} already", name),
                "revoke it first, or choose another name");
  if (!added) return fail(std::move(added).error());
  return token;
}

Result<std::vector<AccessToken>> AccessTokens::list() {
  HF_TRY(auto values, store_.values({std::string(kSpace), {}, {}, kMaxTokens + 1}));
  std::vector<AccessToken> tokens;
  for (const session::KeyedValue& value : values) {
    if (!value.value.is_object()) continue;
    const JsonObject& fields = value.value.get_object();
    tokens.push_back(
        {value.key, std::string(find_string(fields, "hash").value_or("")), find_int(fields, "created_at").value_or(0)});
  }
  return tokens;
}

Result<void> AccessTokens::revoke(const std::string& name) {
  HF_TRY(bool was_there,
         store_.write([&](session::Transaction& transaction) -> Result<bool> { return transaction.erase(kSpace, name); }));
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

}  // namespace holdfast::web
