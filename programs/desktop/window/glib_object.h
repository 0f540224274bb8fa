// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <glib-object.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace parley::desktop {

struct UnrefObject {
  void operator()(gpointer object) const { g_object_unref(object); }
};
struct FreeText {
  void operator()(char* text) const { g_free(text); }
};
struct FreeError {
  void operator()(GError* error) const { g_error_free(error); }
};

// Owns one reference.
template <typename T>
using ObjectPtr = std::unique_ptr<T, UnrefObject>;
using TextPtr = std::unique_ptr<char, FreeText>;
using ErrorPtr = std::unique_ptr<GError, FreeError>;

inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

template <auto Method>
struct SignalCall;

template <typename Owner, typename Return, typename... Args, Return (Owner::*Method)(Args...)>
struct SignalCall<Method> {
  static Return call(Args... args, gpointer owner) {
    return (static_cast<Owner*>(owner)->*Method)(args...);
  }
};

// Connects a signal to a member function with the parameters of the signal, the emitting object
// included. `owner` must outlive the object or call disconnect().
template <auto Method, typename Owner>
void connect(gpointer object, const char* signal, Owner* owner) {
  g_signal_connect_data(object, signal, G_CALLBACK(&SignalCall<Method>::call), owner, nullptr,
                        static_cast<GConnectFlags>(0));
}

inline void disconnect(gpointer object, gpointer owner) {
  g_signal_handlers_disconnect_by_data(object, owner);
}

// Runs `task` at each signal, for the lifetime of the object. The parameters of the signal are
// ignored.
inline void connect_task(gpointer object, const char* signal, std::function<void()> task) {
  using Task = std::function<void()>;
  // Swapped, so that the task is the first argument.
  g_signal_connect_data(
      object, signal, G_CALLBACK(+[](gpointer data) { (*static_cast<Task*>(data))(); }),
      new Task(std::move(task)), [](gpointer data, GClosure*) { delete static_cast<Task*>(data); },
      G_CONNECT_SWAPPED);
}

// A timer of the main loop that runs once; cancelled on destruction.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  // Replaces a task that is pending. 0 ms: at the end of this turn of the loop.
  void start(guint milliseconds, std::function<void()> task) {
    cancel();
    task_ = std::move(task);
    id_ = g_timeout_add(milliseconds, &Timer::run, this);
  }
  void cancel() {
    if (id_ != 0) g_source_remove(std::exchange(id_, 0));
  }
  bool pending() const { return id_ != 0; }

 private:
  static gboolean run(gpointer self) {
    auto& timer = *static_cast<Timer*>(self);
    timer.id_ = 0;
    const std::function<void()> task = std::move(timer.task_);
    task();
    return G_SOURCE_REMOVE;
  }

  guint id_ = 0;
  std::function<void()> task_;
};

}  // namespace parley::desktop
