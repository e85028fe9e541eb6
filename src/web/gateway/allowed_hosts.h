#pragma once

// Which Host and Origin a request may carry.
//
// A server on the loopback interface can be reached by any page a browser shows: by a name that the attacker's
// DNS points to 127.0.0.1, or by a plain cross-site request. The first has a foreign Host, the second a
// foreign Origin. No Origin at all means no browser (mcp-protocol §8).

#include "net/http/http_server.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

// True for localhost and addresses that only this machine can reach.
bool is_loopback(std::string_view host);

class AllowedHosts {
 public:
  // bound: the address we listen on. names: setting http.allowed_hosts, without ports.
  AllowedHosts(std::string_view bound, std::vector<std::string> names);

  void set_port(std::uint16_t port) { port_ = port; }
  void add(std::string name) { names_.push_back(std::move(name)); }

  // The host that the request is for: lower case, without port and brackets; empty when it names none.
  static std::string host_of(const net::HttpRequest& request);

  bool host_allowed(const net::HttpRequest& request) const;
  // Absent passes; otherwise it must be the origin the request was sent to, or this machine at our port.
  bool origin_allowed(const net::HttpRequest& request) const;

 private:
  bool is_ours(std::string_view host) const;

  std::vector<std::string> names_;
  std::uint16_t port_ = 0;
};

}  // namespace holdfast::web
