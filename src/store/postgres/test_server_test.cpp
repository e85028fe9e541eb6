#include "store/postgres/test_server.h"

#include "store/postgres/connection.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace holdfast::store::postgres {

namespace {

// Runs as long as its input is open. PostgreSQL refuses to run as root; then it runs as its own user. The databases of tests need
// not survive a power cut, so nothing is synced; what a crash of the server loses does not depend on it.
constexpr const char* kShell = R"sh(
trap '' INT TERM HUP PIPE
bin=/usr/lib/postgresql/15/bin
as=
if [ "$(id -u)" = 0 ]; then
  chown postgres "$1" || exit 1
  as="setpriv --reuid=postgres --regid=postgres --clear-groups"
fi
cd "$1" || exit 1
start() {
  $as $bin/postgres -D "$1/data" -p "$2" -k "$1" -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off \
    -c max_connections=120 -c shared_buffers=32MB -c deadlock_timeout=100ms -c autovacuum=off -c log_min_messages=fatal \
    >>"$1/log" 2>&1 &
  server=$!
}
stop() {
  kill -QUIT $server
  wait $server
}
$as $bin/initdb -D "$1/data" -U tester -A trust -E UTF8 --locale=C -N >/dev/null 2>"$1/problem" || exit 1
start "$1" "$2"
echo done
while read -r word; do
  case $word in
    start) start "$1" "$2" ;;
    stop) stop ;;
  esac
  echo done
done
stop
rm -rf "$1"
)sh";

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

}  // namespace

TestServer& TestServer::instance() {
  static TestServer server;
  return server;
}

TestServer::TestServer() : port_(free_port()) {
  folder_ = (std::filesystem::temp_directory_path() / "holdfast-postgres-XXXXXX").string();
  if (!::mkdtemp(folder_.data())) throw std::runtime_error("no folder for the server");
  std::array<int, 2> in{}, out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  // A group of its own: an interrupt at the terminal reaches the tests, and the end of those the shell.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string script = kShell, name = "sh", option = "-c", port = std::to_string(port_), folder = folder_;
  std::array<char*, 7> arguments = {name.data(), option.data(), script.data(), name.data(), folder.data(), port.data(), nullptr};
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(in[0]);
  ::close(out[1]);
  to_shell_ = in[1];
  from_shell_ = out[0];
  char answer = 0;
  if (failed != 0 || ::read(from_shell_, &answer, 1) != 1) {
    throw std::runtime_error("PostgreSQL 15 could not be set up; these tests need it (Debian: postgresql-15)");
  }
  wait_until_ready();
}

TestServer::~TestServer() {
  ::close(to_shell_);
  // The pipe closes when the shell is done.
  std::array<char, 64> rest{};
  while (::read(from_shell_, rest.data(), rest.size()) > 0) {
  }
  ::close(from_shell_);
}

void TestServer::tell(const std::string& word) {
  std::array<char, 64> rest{};
  const std::string line = word + "\n";
  // What is left of earlier answers: "done" has five bytes, and each is waited for.
  if (::write(to_shell_, line.data(), line.size()) < 0) throw std::runtime_error("the server's shell is gone");
  std::size_t expected = 5;
  while (expected > 0) {
    const ssize_t got = ::read(from_shell_, rest.data(), expected);
    if (got <= 0) throw std::runtime_error("the server's shell is gone");
    expected -= static_cast<std::size_t>(got);
  }
}

void TestServer::wait_until_ready() const {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    if (Connection::open({url(), "pg_catalog", std::chrono::seconds(10)})) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw std::runtime_error("PostgreSQL does not answer");
}

std::string TestServer::url() const {
  return fmt::format("postgres://tester@127.0.0.1:{}/postgres", port_);
}

std::string TestServer::fresh_url() {
  return fmt::format("{}?options=-csearch_path%3Dtest{}", url(), ++schemas_);
}

void TestServer::drop(const std::string& fresh_url) {
  const std::string schema = fresh_url.substr(fresh_url.rfind('D') + 1);
  auto connection = Connection::open({url(), "pg_catalog", std::chrono::seconds(10)});
  if (connection) static_cast<void>((*connection)->ask(fmt::format("DROP SCHEMA IF EXISTS {} CASCADE", schema)));
}

void TestServer::stop() {
  tell("stop");
}

void TestServer::start() {
  tell("start");
  wait_until_ready();
}

void TestServer::restart() {
  stop();
  start();
}

}  // namespace holdfast::store::postgres
