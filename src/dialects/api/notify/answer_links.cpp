// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/ascii.h"
#include "dialects/api/handlers.h"
#include "dialects/api/notify/answer_page.h"
#include "identity/access/entrance.h"

namespace parley::api {
namespace {

// Secrets of links have 43 characters.
constexpr std::size_t kMaxSecretBytes = 128;

// Sends the page of a link. An unknown one counts as a wrong token of its sender.
void send_link(const Context& context, Call& call, const notify::LinkView& view) {
  const notify::Language language = page_language(call.request.headers.get("Accept-Language"));
  net::Response response = link_page(view, language);
  if (view.state == notify::LinkState::unknown) {
    const auto wait =
        context.notify->wrong_link(call.request.peer, call.request.path_param("secret"));
    if (!wait) {
      response = link_error_page({core::Code::resource_exhausted, {}, {}}, language);
    } else {
      response.delay = *wait;
    }
  }
  call.responder.send(std::move(response));
}

// "%E5%A5%BD" and "+" of a form: the field `choice`, else the field `text`.
std::string form_answer(const net::Request& request) {
  net::Request form;
  form.query = request.body;
  const std::string chosen = form.query_param("choice").value_or("");
  std::string text = form.query_param("text").value_or("");
  std::erase(text, '\r');  // browsers send line breaks as CR LF
  const std::string_view written = core::trimmed(text);
  return written.empty() ? chosen : std::string(written);
}

void show_link(const Context& context, Call call) {
  const std::string secret(call.request.path_param("secret"));
  core::Scheduler& back = call.responder.scheduler();
  context.notify->look_up(
      secret, back,
      [&context, call = std::move(call)](core::Result<notify::LinkView> view) mutable {
        if (view) return send_link(context, call, *view);
        call.responder.send(link_error_page(
            view.error(), page_language(call.request.headers.get("Accept-Language"))));
      });
}

// The form again, with what was typed.
void show_fault(const Context& context, Call call) {
  const std::string secret(call.request.path_param("secret"));
  core::Scheduler& back = call.responder.scheduler();
  context.notify->look_up(
      secret, back, [call = std::move(call)](core::Result<notify::LinkView> view) mutable {
        const notify::Language language =
            page_language(call.request.headers.get("Accept-Language"));
        if (!view) return call.responder.send(link_error_page(view.error(), language));
        call.responder.send(link_page_with_fault(*view, form_answer(call.request), language));
      });
}

void use_link(const Context& context, Call call) {
  const std::string secret(call.request.path_param("secret"));
  core::Scheduler& back = call.responder.scheduler();
  const std::string text = form_answer(call.request);
  context.notify->answer(
      secret, text, back,
      [&context, call = std::move(call)](core::Result<notify::LinkView> view) mutable {
        if (view) return send_link(context, call, *view);
        if (view.error().field == "text") {
          return show_fault(context, std::move(call));
        }
        call.responder.send(link_error_page(
            view.error(), page_language(call.request.headers.get("Accept-Language"))));
      });
}

// In a cluster the home of the link's owner has the question.
void serve_at_home(const Context& context, Handler handler, Call call) {
  if (context.homes == nullptr) return handler(context, std::move(call));
  const std::string secret(call.request.path_param("secret"));
  core::Scheduler& back = call.responder.scheduler();
  context.notify->look_up(
      secret, back,
      [&context, handler, call = std::move(call)](core::Result<notify::LinkView> view) mutable {
        const bool is_elsewhere =
            view && !view->link.owner.empty() &&
            context.homes->pass_on(view->link.owner, call.request, call.responder);
        if (!is_elsewhere) handler(context, std::move(call));
      });
}

void add_link_route(net::Router& router, const Context& context, std::string_view method,
                    Handler handler) {
  router.add(std::string(method), "/a/{secret}",
             [&context, handler](net::Request request, net::Responder responder) {
               Call call{std::move(request), std::move(responder), {}};
               const bool usable = context.notify != nullptr &&
                                   call.request.path_param("secret").size() <= kMaxSecretBytes;
               if (usable) return serve_at_home(context, handler, std::move(call));
               call.responder.send(
                   link_page({}, page_language(call.request.headers.get("Accept-Language"))));
             });
}

}  // namespace

void install_answer_links(net::Router& router, const Context& context) {
  add_link_route(router, context, "GET", show_link);
  add_link_route(router, context, "POST", use_link);
}

}  // namespace parley::api
