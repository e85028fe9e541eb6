#pragma once

// The stdio transport in a test: what it reads and writes are files in memory.

#include "base/files/fd.h"
#include "base/files/file.h"
#include "mcp/server/test_server.h"
#include "mcp/transport/transport_stdio.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace holdfast::mcp {

class TestStdio {
 public:
  explicit TestStdio(TestServer& server)
      : server_(server),
        in_(::memfd_create("in", MFD_CLOEXEC)),
        out_(::memfd_create("out", MFD_CLOEXEC)),
        transport(server.server, server.loop, in_.get(), out_.get(), "local") {}

  // Everything that has been written, by lines.
  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::string text(static_cast<std::size_t>(::lseek(out_.get(), 0, SEEK_CUR)), '\0');
    EXPECT_EQ(::pread(out_.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = text.find('\n', begin);
      EXPECT_NE(end, std::string::npos) << "the last line has no end";
      found.push_back(text.substr(begin, end - begin));
      begin = end == std::string::npos ? text.size() : end + 1;
    }
    return found;
  }
  std::vector<Json> messages() const {
    std::vector<Json> out;
    for (const std::string& line : lines()) out.push_back(parse_json(line).value());
    return out;
  }

  void say(const std::string& line) { transport.take_line(line); }
  // Serves this as the whole input, to its end.
  std::vector<Json> serve(const std::string& input) {
    EXPECT_TRUE(write_all(in_.get(), input));
    ::lseek(in_.get(), 0, SEEK_SET);
    transport.run();
    return messages();
  }
  void wait_for_lines(std::size_t count) {
    server_.turn_until([&] { return lines().size() >= count; });
  }

 private:
  TestServer& server_;
  Fd in_, out_;

 public:
  StdioTransport transport;
};

inline std::string legacy_hello(const std::string& version, const std::string& capabilities = "{}") {
  return R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":")" + version + R"(","capabilities":)" +
         capabilities + R"(,"clientInfo":{"name":"t","version":"1"}}})";
}

}  // namespace holdfast::mcp
