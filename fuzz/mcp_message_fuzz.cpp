// Lines of a hostile client on the pipe, in both eras. Whatever comes, the server answers or ignores it; a run that
// is left over is cancelled with the transport.

#include "base/files/fd.h"
#include "mcp/transport/transport_stdio.h"
#include "mcp_fixture.h"

#include <fcntl.h>

#include <cstdint>
#include <string_view>

using namespace holdfast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  std::string_view input(reinterpret_cast<const char*>(data), size);
  mcp::FuzzServer fixture;
  {
    mcp::StdioTransport transport(fixture.server, fixture.loop, -1, nowhere.get(), "local");
    while (!input.empty()) {
      std::size_t end = input.find('\n');
      transport.take_line(input.substr(0, end));
      input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
      fixture.loop.run_ready();
    }
    fixture.settle([&] { return fixture.server.counts().running == 0; });
  }
  mcp::FuzzServer::require(fixture.server.counts().running == 0);
  return 0;
}
