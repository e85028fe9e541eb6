#include "mcp/wire/question.h"

#include "base/ids.h"
#include "base/schema/schema.h"

namespace holdfast::mcp {

namespace {

// 2025-06-18 knows enum with enumNames, not oneOf with const and title.
void titles_to_enum_names(JsonObject& schema) {
  Json* properties = schema.if_contains("properties");
  if (!properties || !properties->is_object()) return;
  for (auto& member : properties->get_object()) {
    JsonObject* property = member.value().if_object();
    if (!property) continue;
    const JsonArray* choices = find_array(*property, "oneOf");
    if (!choices) continue;
    JsonArray values, names;
    for (const Json& choice : *choices) {
      const JsonObject* object = choice.if_object();
      if (!object || !object->contains("const")) continue;
      values.push_back(object->at("const"));
      names.push_back(object->contains("title") ? object->at("title") : object->at("const"));
    }
    property->erase("oneOf");
    (*property)["enum"] = std::move(values);
    (*property)["enumNames"] = std::move(names);
  }
}

}  // namespace

Question Question::form(std::string message, JsonObject requested_schema) {
  Question question;
  question.params = {{"message", std::move(message)}, {"requestedSchema", std::move(requested_schema)}};
  return question;
}

Question Question::url(std::string message, std::string url) {
  Question question;
  question.kind = Kind::url;
  question.params = {{"mode", "url"}, {"message", std::move(message)}, {"url", std::move(url)}};
  return question;
}

Question Question::sampling(JsonObject params) {
  Question question;
  question.kind = Kind::sampling;
  question.params = std::move(params);
  return question;
}

Question Question::roots(std::chrono::milliseconds patience) {
  Question question;
  question.kind = Kind::roots;
  question.patience = patience;
  return question;
}

std::string_view Question::method() const {
  switch (kind) {
    case Kind::sampling:
      return "sampling/createMessage";
    case Kind::roots:
      return "roots/list";
    case Kind::form:
    case Kind::url:
      break;
  }
  return "elicitation/create";
}

bool Question::can_be_put_to(const Caller& caller) const {
  switch (kind) {
    case Kind::form:
      return caller.can_elicit_form();
    case Kind::url:
      return caller.can_elicit_url();
    case Kind::sampling:
      return params.contains("tools") || params.contains("toolChoice") ? caller.can_sample_with_tools() : caller.can_sample();
    case Kind::roots:
      return caller.can_list_roots();
  }
  return false;
}

JsonObject Question::required_capability() const {
  switch (kind) {
    case Kind::form:
      return {{"elicitation", JsonObject{{"form", JsonObject{}}}}};
    case Kind::url:
      return {{"elicitation", JsonObject{{"url", JsonObject{}}}}};
    case Kind::sampling:
      if (params.contains("tools") || params.contains("toolChoice")) return {{"sampling", JsonObject{{"tools", JsonObject{}}}}};
      return {{"sampling", JsonObject{}}};
    case Kind::roots:
      break;
  }
  return {{"roots", JsonObject{}}};
}

JsonObject Question::params_for(const Caller& caller) const {
  JsonObject out = params;
  if (kind == Kind::form) {
    if (caller.version >= Version::v2025_11_25)
      out["mode"] = "form";
    else if (Json* schema = out.if_contains("requestedSchema"); schema && schema->is_object())
      titles_to_enum_names(schema->get_object());
  } else if (kind == Kind::url && caller.era() == Era::legacy) {
    out["elicitationId"] = make_uuid4();
  }
  return out;
}

bool Question::is_answered_by(const Json& answer) const {
  const JsonObject* object = answer.if_object();
  if (!object) return false;
  switch (kind) {
    case Kind::roots:
      return find_array(*object, "roots") != nullptr;
    case Kind::sampling:
      return find_string(*object, "role") && find_string(*object, "model") && find(*object, "content") != nullptr;
    case Kind::form:
    case Kind::url:
      break;
  }
  auto action = find_string(*object, "action");
  if (!action) return false;
  if (*action == "decline" || *action == "cancel") return true;
  if (*action != "accept") return false;
  if (kind == Kind::url) return true;
  const Json* content = find(*object, "content");
  const Json* schema = find(params, "requestedSchema");
  if (!content || !content->is_object() || !schema) return false;
  SchemaLimits limits;
  limits.assert_formats = true;
  auto compiled = Schema::compile(*schema, limits);
  return compiled && compiled->accepts(*content);
}

bool Answer::accepted() const {
  return !failure && find_string(result, "action") == "accept";
}

const JsonObject* Answer::content() const {
  return accepted() ? find_object(result, "content") : nullptr;
}

}  // namespace holdfast::mcp
