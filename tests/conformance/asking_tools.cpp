// Tools that ask the client: elicitation, sampling, roots.

#include "fixture.h"

namespace holdfast::conformance {

using namespace mcp;

namespace {

JsonObject text_field(std::string description = {}) {
  JsonObject field{{"type", "string"}};
  if (!description.empty()) field["description"] = std::move(description);
  return field;
}

Question ask_name() {
  return Question::form("What is your name?", object_schema({{"name", text_field()}}, {"name"}));
}

Question ask_ok(std::string message) {
  return Question::form(std::move(message), object_schema({{"ok", JsonObject{{"type", "boolean"}}}}, {"ok"}));
}

Question ask_model(std::string prompt) {
  return Question::sampling({{"messages", JsonArray{PromptResult::message("user", text_block(prompt))}}, {"maxTokens", 100}});
}

Question ask_roots() {
  return Question::roots(std::chrono::seconds(3));
}

std::string field_of(const Answer& answer, std::string_view field) {
  const JsonObject* content = answer.content();
  return content ? std::string(find_string(*content, field).value_or("")) : std::string();
}

std::string sampled_text(const Answer& answer) {
  const JsonObject* content = find_object(answer.result, "content");
  return content ? std::string(find_string(*content, "text").value_or("")) : std::string();
}

// The elicitation of a tool whose client answers it, spelt out.
ToolReply elicit(Call& call, std::string message, JsonObject schema, std::string_view opening) {
  const Answer* answer = call.ask("answer", Question::form(std::move(message), std::move(schema)));
  if (!answer) return InputRequired{};
  if (answer->failure) return ToolResult::failure(*answer->failure);
  const Json* content = find(answer->result, "content");
  return ToolResult::text(std::string(opening) + "action=" + std::string(*find_string(answer->result, "action")) +
                          ", content=" + (content ? to_json(*content) : "{}"));
}

JsonObject defaults_schema() {
  return object_schema(
      {{"name", JsonObject{{"type", "string"}, {"description", "User name"}, {"default", "John Doe"}}},
       {"age", JsonObject{{"type", "integer"}, {"description", "User age"}, {"default", 30}}},
       {"score", JsonObject{{"type", "number"}, {"description", "User score"}, {"default", 95.5}}},
       {"status", JsonObject{{"type", "string"}, {"enum", JsonArray{"active", "inactive", "pending"}}, {"default", "active"}}},
       {"verified", JsonObject{{"type", "boolean"}, {"default", true}}}});
}

JsonObject enums_schema() {
  auto titled = [](const char* value, const char* title) { return JsonObject{{"const", value}, {"title", title}}; };
  JsonArray titles{titled("value1", "First Option"), titled("value2", "Second Option"), titled("value3", "Third Option")};
  JsonArray options{"option1", "option2", "option3"};
  return object_schema(
      {{"untitledSingle", JsonObject{{"type", "string"}, {"enum", options}}},
       {"titledSingle", JsonObject{{"type", "string"}, {"oneOf", titles}}},
       {"legacyEnum", JsonObject{{"type", "string"},
                                 {"enum", JsonArray{"opt1", "opt2", "opt3"}},
                                 {"enumNames", JsonArray{"Option One", "Option Two", "Option Three"}}}},
       {"untitledMulti", JsonObject{{"type", "array"}, {"items", JsonObject{{"type", "string"}, {"enum", options}}}}},
       {"titledMulti", JsonObject{{"type", "array"}, {"items", JsonObject{{"anyOf", titles}}}}}});
}

ToolReply greet_by_name(Call& call) {
  const Answer* answer = call.ask("user_name", ask_name());
  if (!answer) return InputRequired{};
  return ToolResult::text("Hello, " + field_of(*answer, "name") + "!");
}

ToolReply ask_capital(Call& call) {
  const Answer* answer = call.ask("capital_question", ask_model("What is the capital of France?"));
  if (!answer) return InputRequired{};
  return ToolResult::text("The model said: " + sampled_text(*answer));
}

ToolReply name_roots(Call& call) {
  const Answer* answer = call.ask("client_roots", ask_roots());
  if (!answer) return InputRequired{};
  return ToolResult::text("Roots: " + to_json(answer->result.at("roots")));
}

ToolReply check_state(Call& call) {
  Question question = ask_ok("Go on?");
  question.sealed = true;
  call.state()["step"] = "asked";
  const Answer* answer = call.ask("confirm", std::move(question));
  if (!answer) return InputRequired{};
  return ToolResult::text("state-ok");
}

ToolReply ask_three(Call& call) {
  const Answer* name = call.ask("user_name", ask_name());
  const Answer* said = call.ask("greeting", ask_model("Write a greeting"));
  const Answer* roots = call.ask("client_roots", ask_roots());
  if (!name || !said || !roots) return InputRequired{};
  return ToolResult::text(field_of(*name, "name") + ": " + sampled_text(*said) + " " + to_json(roots->result.at("roots")));
}

ToolReply ask_twice(Call& call) {
  const Answer* name = call.ask("step1", ask_name());
  if (!name) return InputRequired{};
  call.state()["name"] = field_of(*name, "name");
  const Answer* color = call.ask("step2", Question::form("Which color?", object_schema({{"color", text_field()}}, {"color"})));
  if (!color) return InputRequired{};
  return ToolResult::text(field_of(*name, "name") + " likes " + field_of(*color, "color"));
}

// Asks only what this client can answer.
ToolReply ask_what_is_possible(Call& call) {
  bool waiting = false;
  if (call.caller().can_sample()) waiting |= !call.ask("sampled", ask_model("Say something"));
  if (call.caller().can_elicit_form()) waiting |= !call.ask("user_name", ask_name());
  if (call.caller().can_list_roots()) waiting |= !call.ask("client_roots", ask_roots());
  if (waiting) return InputRequired{};
  return ToolResult::text("asked what the client can answer");
}

ToolReply need_sampling(Call& call) {
  if (!call.ask("sampled", ask_model("Say something"))) return InputRequired{};
  return ToolResult::text("sampled");
}

ToolReply stream_then_ask(Call& call) {
  call.progress(50, 100);
  if (!call.ask("user_name", ask_name())) return InputRequired{};
  return ToolResult::text("answered");
}

ToolReply log_if_wanted(Call& call) {
  call.log(Severity::info, "conformance", "a message for those who asked");
  return ToolResult::text("logged");
}

}  // namespace

Result<void> add_asking_tools(Server& server) {
  auto add = [&](std::string name, std::string description, Tool::Eras eras, JsonObject schema,
                 std::function<ToolReply(Call&)> handler) {
    Tool tool;
    tool.name = std::move(name);
    tool.description = std::move(description);
    tool.input_schema = std::move(schema);
    tool.eras = eras;
    tool.handler = std::move(handler);
    return server.add_tool(std::move(tool));
  };
  constexpr auto kBoth = Tool::Eras::both;
  constexpr auto kModern = Tool::Eras::modern_only;

  HF_CHECK(add("test_sampling", "Asks the client's model", kBoth, object_schema({{"prompt", text_field()}}, {"prompt"}),
               [](Call& call) -> ToolReply {
                 const Answer* answer = call.ask("sampled", ask_model(std::string(*find_string(call.arguments(), "prompt"))));
                 if (!answer) return InputRequired{};
                 if (answer->failure) return ToolResult::failure(*answer->failure);
                 return ToolResult::text("LLM response: " + sampled_text(*answer));
               }));
  HF_CHECK(add("test_elicitation", "Asks the user", kBoth, object_schema({{"message", text_field()}}, {"message"}),
               [](Call& call) -> ToolReply {
                 return elicit(call, std::string(*find_string(call.arguments(), "message")),
                               object_schema({{"response", text_field("User's response")}}, {"response"}), "User response: ");
               }));
  HF_CHECK(add("test_elicitation_sep1034_defaults", "Asks with defaults", kBoth, object_schema(), [](Call& call) -> ToolReply {
    return elicit(call, "Please review and update the form fields with defaults", defaults_schema(), "Elicitation completed: ");
  }));
  HF_CHECK(add("test_elicitation_sep1330_enums", "Asks with choices", kBoth, object_schema(), [](Call& call) -> ToolReply {
    return elicit(call, "Please select options from the enum fields", enums_schema(), "Elicitation completed: ");
  }));

  HF_CHECK(add("test_missing_capability", "Needs sampling", kModern, object_schema(), need_sampling));
  HF_CHECK(add("test_streaming_elicitation", "Reports progress, then asks", kModern, object_schema(), stream_then_ask));
  HF_CHECK(add("test_logging_tool", "Logs to callers that set a level", kModern, object_schema(), log_if_wanted));
  HF_CHECK(
      add("test_trigger_tool_change", "Announces a change of the tools", kModern, object_schema(), [&server](Call&) -> ToolReply {
        server.tools_changed();
        return ToolResult::text("announced");
      }));
  HF_CHECK(add("test_trigger_prompt_change", "Announces a change of the prompts", kModern, object_schema(),
               [&server](Call&) -> ToolReply {
                 server.prompts_changed();
                 return ToolResult::text("announced");
               }));

  HF_CHECK(add("test_input_required_result_elicitation", "Asks for a name", kModern, object_schema(), greet_by_name));
  HF_CHECK(add("test_input_required_result_sampling", "Asks the client's model", kModern, object_schema(), ask_capital));
  HF_CHECK(add("test_input_required_result_list_roots", "Asks for roots", kModern, object_schema(), name_roots));
  HF_CHECK(add("test_input_required_result_request_state", "Checks its state", kModern, object_schema(), check_state));
  HF_CHECK(add("test_input_required_result_multiple_inputs", "Asks three things at once", kModern, object_schema(), ask_three));
  HF_CHECK(add("test_input_required_result_multi_round", "Asks twice", kModern, object_schema(), ask_twice));
  HF_CHECK(add("test_input_required_result_tampered_state", "Refuses changed state", kModern, object_schema(), check_state));
  return add("test_input_required_result_capabilities", "Asks what the client can answer", kModern, object_schema(),
             ask_what_is_possible);
}

}  // namespace holdfast::conformance
