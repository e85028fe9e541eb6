#pragma once

// An access token and what came with it; what we are registered as at an issuer. Both are secrets: never logged.

#include "base/json/json.h"
#include "base/run/clock.h"
#include "mcp/oauth/web.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

struct Token {
  std::string access_token;
  std::string refresh_token;        // empty: none
  bool dpop = false;                // presented with a proof, instead of as a bearer
  std::string dpop_key;             // PEM, of the key it is bound to
  std::vector<std::string> scopes;  // granted
  Millis expires_at = 0;            // 0: not said

  bool expires_before(Millis time) const { return expires_at != 0 && expires_at < time; }
  bool covers(const std::vector<std::string>& wanted) const;
};

// The answer of a token endpoint (RFC 6749 §5.1). What it does not say is as asked for, or as before. Errors: corrupt.
Result<Token> read_token_answer(const Json& body, const std::vector<std::string>& asked_scopes, Millis now);

struct ClientRegistration {
  std::string client_id;
  std::string client_secret;  // empty: none
  std::string auth_method;    // at the token endpoint
  std::string redirect_uri;   // that it was registered with; empty: any
};

// Everything that one issuer knows us by.
struct IssuerRecord {
  std::optional<ClientRegistration> registration;  // that we made
  std::map<std::string, Token> tokens;             // by resource
};

JsonObject to_json_object(const IssuerRecord& record);
IssuerRecord read_issuer_record(const JsonObject& object);  // what is not understood is left out

// Where tokens and registrations are kept between runs, by issuer: what one issuer gave is never shown to another.

// Any thread; blocking.
class TokenStore {
 public:
  using Change = std::function<Result<void>(IssuerRecord& record)>;

  virtual ~TokenStore() = default;
  virtual Result<IssuerRecord> read(const std::string& issuer) = 0;
  // Nobody else, in any process, changes this issuer's record meanwhile: a refresh token that may be used once is used once.
  // What the change leaves is kept unless it fails.
  virtual Result<void> change(const std::string& issuer, const Change& change) = 0;
};

// For this process only.
class MemoryTokenStore final : public TokenStore {
 public:
  Result<IssuerRecord> read(const std::string& issuer) override;
  Result<void> change(const std::string& issuer, const Change& change) override;

 private:
  std::mutex mutex_;  // of all
  std::map<std::string, IssuerRecord> records_;
};

// One file for each issuer, mode 0600, in a folder of mode 0700 that is made when missing. A file that cannot be read as JSON
// counts as empty: at worst somebody logs in again. Errors: those of base/files/file.h.
class FileTokenStore final : public TokenStore {
 public:
  explicit FileTokenStore(std::string folder) : folder_(std::move(folder)) {}
  Result<IssuerRecord> read(const std::string& issuer) override;
  Result<void> change(const std::string& issuer, const Change& change) override;

  // Of every issuer, what was given for this server. The issuer is not told: its tokens end by themselves.
  Result<bool> knows(const HttpUrl& server);
  // Whether there was anything. An issuer that has given nothing else is forgotten altogether.
  Result<bool> forget(const HttpUrl& server);

  std::string path_of(const std::string& issuer) const;

 private:
  Result<std::vector<std::string>> issuers() const;

  std::string folder_;
};

}  // namespace holdfast::mcp::oauth
