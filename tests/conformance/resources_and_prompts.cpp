#include "fixture.h"

namespace holdfast::conformance {

using namespace mcp;

namespace {

std::string argument(const Call& call, std::string_view name) {
  return std::string(find_string(call.arguments(), name).value_or(""));
}

PromptResult one_message(JsonObject content) {
  return {{}, {PromptResult::message("user", std::move(content))}};
}

}  // namespace

void add_resources_and_prompts(Server& server) {
  auto fixed = [&](std::string uri, std::string name, std::string description, std::string type, JsonObject contents) {
    server.add_resource(
        {{std::move(uri), std::move(name), {}, std::move(description), std::move(type)},
         [contents = std::move(contents)](Call&) -> ResourceReply { return ResourceResult{{contents}, 60'000, true}; }});
  };
  fixed("test://static-text", "Static text", "A text that never changes", "text/plain",
        text_contents("test://static-text", "text/plain", "This is the content of the static text resource."));
  fixed("test://static-binary", "Static image", "An image that never changes", "image/png",
        blob_contents("test://static-binary", "image/png", kPng));
  fixed("test://watched-resource", "Watched text", "A text one can subscribe to", "text/plain",
        text_contents("test://watched-resource", "text/plain", "Watched resource content."));
  server.add_template({"test://template/{id}/data",
                       "Template",
                       {},
                       "A resource for every id",
                       "application/json",
                       [](Call&, const std::string& uri, const Variables& variables) -> std::optional<ResourceReply> {
                         const std::string& id = variables.at("id");
                         JsonObject data{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
                         return ResourceResult{{text_contents(uri, "application/json", to_json(data))}, 0, true};
                       }});

  server.add_prompt({"test_simple_prompt", {}, "A prompt without arguments", {}, Prompt::Eras::both, [](Call&) -> PromptReply {
                       return one_message(text_block("This is a simple prompt for testing."));
                     }});
  server.add_prompt({"test_prompt_with_arguments",
                     {},
                     "A prompt with two arguments",
                     {{"arg1", "First argument", true}, {"arg2", "Second argument", true}},
                     Prompt::Eras::both,
                     [](Call& call) -> PromptReply {
                       return one_message(text_block("Prompt with arguments: arg1='" + argument(call, "arg1") + "', arg2='" +
                                                     argument(call, "arg2") + "'"));
                     }});
  server.add_prompt(
      {"test_prompt_with_embedded_resource",
       {},
       "A prompt that holds a resource",
       {{"resourceUri", "URI of the resource", true}},
       Prompt::Eras::both,
       [](Call& call) -> PromptReply {
         return PromptResult{
             {},
             {PromptResult::message("user", resource_block(text_contents(argument(call, "resourceUri"), "text/plain",
                                                                         "Embedded resource content for testing."))),
              PromptResult::message("user", text_block("Please process the embedded resource above."))}};
       }});
  server.add_prompt(
      {"test_prompt_with_image", {}, "A prompt that holds an image", {}, Prompt::Eras::both, [](Call&) -> PromptReply {
         return PromptResult{{},
                             {PromptResult::message("user", image_block(kPng, "image/png")),
                              PromptResult::message("user", text_block("Please analyze the image above."))}};
       }});
  server.add_prompt({"test_input_required_result_prompt",
                     {},
                     "A prompt that asks first",
                     {},
                     Prompt::Eras::modern_only,
                     [](Call& call) -> PromptReply {
                       const Answer* answer =
                           call.ask("user_context",
                                    Question::form("In which context?",
                                                   object_schema({{"context", JsonObject{{"type", "string"}}}}, {"context"})));
                       if (!answer) return InputRequired{};
                       return one_message(text_block("Context: " + (answer->content() ? to_json(*answer->content()) : "none")));
                     }});
  server.complete_prompt("test_prompt_with_arguments",
                         [](const Caller&, std::string_view, std::string_view value, const JsonObject&) {
                           Completion completion;
                           for (std::string_view candidate : {"paris", "park", "party"})
                             if (candidate.starts_with(value)) completion.values.emplace_back(candidate);
                           return completion;
                         });
}

}  // namespace holdfast::conformance
