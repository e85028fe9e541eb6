#include "net/http/socket_owners.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace holdfast::net {
namespace {

constexpr std::uint32_t kSomebody = 54'321;

// A listening socket, and clients of it.
class Listening {
 public:
  explicit Listening(int family) : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_storage address = loopback(family);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size_for(family)), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    socklen_t length = sizeof address;
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    port_ = family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                               : reinterpret_cast<sockaddr_in&>(address).sin_port;
  }

  // mapped: an IPv4 address in the dress of IPv6, as some programs use for all.
  Fd connect(int family, bool mapped = false) const {
    Fd client(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage address = loopback(family);
    if (family == AF_INET6) {
      auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
      v6.sin6_port = port_;
      if (mapped) ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr);
    } else {
      reinterpret_cast<sockaddr_in&>(address).sin_port = port_;
    }
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), size_for(family)), 0);
    return client;
  }
  Fd accept() const { return Fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  static sockaddr_storage loopback(int family) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET6)
      reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
    else
      reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static socklen_t size_for(int family) { return family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }

  Fd socket_;
  in_port_t port_ = 0;  // network order
};

struct Way {
  int server, client;
  bool mapped;
};
constexpr Way kWays[] = {{AF_INET, AF_INET, false}, {AF_INET6, AF_INET6, false}, {AF_INET, AF_INET6, true}};

TEST(SocketOwners, P2TheKernelKnowsWhoseTheOtherEndIs) {
  SocketOwners owners;
  for (const Way& way : kWays) {
    const Listening server(way.server);
    const Fd client = server.connect(way.client, way.mapped);
    const Fd accepted = server.accept();
    const auto user = owners.peer_of(accepted.get());
    ASSERT_TRUE(user) << user.error().message;
    EXPECT_EQ(*user, ::geteuid());
    ::shutdown(client.get(), SHUT_WR);
    EXPECT_EQ(owners.peer_of(accepted.get()).value(), ::geteuid()) << "half closed is still held";
    if (::geteuid() != 0) continue;
    ::setfsuid(kSomebody);  // whose sockets are made now, on this thread
    const Fd foreign = server.connect(way.client, way.mapped);
    ::setfsuid(0);
    EXPECT_EQ(owners.peer_of(server.accept().get()).value(), kSomebody);
  }
}

// The kernel says of such a socket that it is root's.
TEST(SocketOwners, P2ASocketThatWasClosedIsNobodys) {
  SocketOwners owners;
  for (const Way& way : kWays) {
    const Listening server(way.server);
    Fd client = server.connect(way.client, way.mapped);
    const Fd accepted = server.accept();
    client.reset();
    const auto user = owners.peer_of(accepted.get());
    ASSERT_FALSE(user);
    EXPECT_EQ(user.error().kind, ErrorKind::not_found);
  }
}

TEST(SocketOwners, P2WhatIsNoConnectionHasNoOwner) {
  SocketOwners owners;
  const Fd lonely(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(owners.peer_of(lonely.get()).error().kind, ErrorKind::not_found);
  EXPECT_EQ(owners.peer_of(-1).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace holdfast::net
