#pragma once

// For tests: a PostgreSQL server of their own, on a free port, in a folder that is removed.
//
// One for the whole test program, started at first use. It is looked after by a shell that ends with the program, however that
// ends: when the pipe to it closes it stops the server and removes the folder. Without PostgreSQL the tests fail.

#include <string>

namespace holdfast::store::postgres {

class TestServer {
 public:
  static TestServer& instance();

  // A database address for a schema that nothing is in yet.
  std::string fresh_url();
  void drop(const std::string& fresh_url);  // with all that is in it
  // The same server, as its superuser.
  std::string url() const;

  void restart();  // as a crash: no connection is told, the log is replayed
  void stop();
  void start();

  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

 private:
  TestServer();
  ~TestServer();
  void tell(const std::string& word);  // and waits until it is done
  void wait_until_ready() const;

  std::string folder_;
  int port_ = 0;
  int schemas_ = 0;
  int to_shell_ = -1;
  int from_shell_ = -1;
};

}  // namespace holdfast::store::postgres
