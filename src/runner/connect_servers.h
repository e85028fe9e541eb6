#pragma once

// How defined servers are reached: a program is started, with the folders in its arguments where its definition says so; an
// address is spoken to over HTTP.

#include "runner/live_server.h"

namespace holdfast::net {
class EventLoop;
}

namespace holdfast::runner {

// The loop outlives everything that is connected.
LiveServer::Connect connect_servers(net::EventLoop& loop);

}  // namespace holdfast::runner
