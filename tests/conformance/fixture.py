"""Asks the server under test whether it has the fixture that the suite assumes.

Several scenarios pass for a tool that does not exist, because an error has text too. So the names are checked
here, in both eras, over the wire.
"""
import json
import urllib.request

BOTH_ERAS = """test_simple_text test_image_content test_audio_content test_embedded_resource test_multiple_content_types
    test_error_handling test_tool_with_progress json_schema_2020_12_tool test_x_mcp_header echo""".split()
LEGACY = """test_tool_with_logging test_sampling test_elicitation test_elicitation_sep1034_defaults
    test_elicitation_sep1330_enums test_reconnection""".split()
MODERN = """test_missing_capability test_streaming_elicitation test_logging_tool test_trigger_tool_change
    test_trigger_prompt_change test_input_required_result_elicitation test_input_required_result_sampling
    test_input_required_result_list_roots test_input_required_result_request_state
    test_input_required_result_multiple_inputs test_input_required_result_multi_round
    test_input_required_result_tampered_state test_input_required_result_capabilities
    greet slow_compute failing_job protocol_error_job confirm_delete multi_input test_tool_with_task""".split()
SIMPLE_TEXT = "This is a simple text response for testing."
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "fixture-check", "version": "1"}}


def post(url, message, headers):
    """The JSON-RPC answer, whether it comes as JSON or as an event stream, and the session id."""
    request = urllib.request.Request(url, json.dumps(message).encode(), {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers})
    with urllib.request.urlopen(request, timeout=20) as answer:
        body = answer.read().decode()
        session = answer.headers.get("Mcp-Session-Id")
    if not body.lstrip().startswith("{"):
        events = [line[5:].strip() for line in body.splitlines() if line.startswith("data:")]
        body = next((event for event in reversed(events) if event), "{}")
    return json.loads(body or "{}"), session


class Legacy:
    def __init__(self, url):
        self.url = url
        _, session = post(url, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fixture-check", "version": "1"}}}, {})
        self.headers = {"MCP-Protocol-Version": "2025-11-25", **({"Mcp-Session-Id": session} if session else {})}

    def ask(self, method, params):
        return post(self.url, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, self.headers)[0]["result"]


class Modern:
    def __init__(self, url):
        self.url = url

    def ask(self, method, params):
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
        return post(self.url, message, headers)[0]["result"]


def all_tools(era):
    names, params = [], {}
    while True:
        page = era.ask("tools/list", params)
        names += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            return names
        params = {"cursor": page["nextCursor"]}


def check_fixture(url):
    """Complaints about the tools that the suite will call."""
    complaints = []
    for label, make, wanted in (("legacy", Legacy, BOTH_ERAS + LEGACY), ("modern", Modern, BOTH_ERAS + MODERN)):
        try:
            era = make(url)
            listed = all_tools(era)
            complaints += [f"{label}: no tool {name}" for name in wanted if name not in listed]
            if listed[:1] == ["echo"]:
                complaints.append(f"{label}: echo must not be the first tool, the suite calls that one without arguments")
            content = era.ask("tools/call", {"name": "test_simple_text", "arguments": {}})["content"]
            if content != [{"type": "text", "text": SIMPLE_TEXT}]:
                complaints.append(f"{label}: test_simple_text answered {content}")
        except (OSError, KeyError, ValueError) as error:
            complaints.append(f"{label}: {type(error).__name__} {error}")
    return complaints
