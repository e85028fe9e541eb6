#pragma once

// One peer with memory: a stdio pipe, or a legacy HTTP session. I/O thread only.
//
// What must outlive the process (the handshake, log level, subscriptions) is written to the state store by
// the HTTP transport; what is here besides is work in flight, which ends with the process anyway.

#include "mcp/server/caller.h"
#include "mcp/wire/rpc.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace holdfast::mcp {

class Run;

struct Connection {
  std::string key;  // "stdio", or the legacy session id
  std::string principal;
  Transport transport = Transport::stdio;

  std::shared_ptr<const Caller> handshake;        // set by initialize
  bool initialized = false;                       // the client has ended the handshake: it may be told of changes
  Severity log_level = Severity::warning;         // until logging/setLevel says otherwise
  std::set<std::string, std::less<>> subscribed;  // resource URIs

  // Open subscriptions/listen requests, by id_key; theirs are the same ids as those of running requests.
  std::unordered_map<std::string, std::uint64_t> subscriptions;
  // By id_key. Kept here while it waits for an answer: nothing else may hold it then. Run::close removes it.
  std::unordered_map<std::string, std::shared_ptr<Run>> running;
  std::unordered_map<std::string, std::function<void(const Message&)>> asked;  // our requests, by id

  // Takes messages that belong to no request; empty while there is nowhere to send them.
  std::function<void(std::string)> send;
  // Ends the stream behind send, and whether a client is at its other end now; empty on stdio.
  std::function<void()> hang_up;
  std::function<bool()> listens;
  // Keeps what has changed, also against changes that other processes make at the same time, then calls back; empty where
  // nothing needs to be kept.
  struct Change {
    std::optional<Severity> log_level;
    std::string subscribe, unsubscribe;  // URIs
  };
  std::function<void(Change, std::function<void(Result<void>)>)> save;
};

}  // namespace holdfast::mcp
