// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the tray and the notifications of a desktop, on the session bus. Prints a line for
// each icon that registers, "icon NAME PATH", and for each notification: "notification SUMMARY".
#include <gio/gio.h>

#include <iostream>
#include <string_view>

namespace {

constexpr const char* kInterface = R"xml(<node>
<interface name="org.kde.StatusNotifierWatcher">
  <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
  <method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
  <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
  <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
  <property name="ProtocolVersion" type="i" access="read"/>
</interface>
<interface name="org.freedesktop.Notifications">
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
</interface></node>)xml";

void on_call(GDBusConnection* /*bus*/, const char* sender, const char* /*path*/,
             const char* /*interface*/, const char* method, GVariant* arguments,
             GDBusMethodInvocation* call, gpointer /*data*/) {
  const std::string_view name = method;
  if (name == "Notify") {
    static guint32 number = 0;
    const char* summary = nullptr;
    g_variant_get_child(arguments, 3, "&s", &summary);
    std::cout << "notification " << summary << std::endl;
    g_dbus_method_invocation_return_value(call, g_variant_new("(u)", ++number));
  } else if (name == "GetCapabilities") {
    g_dbus_method_invocation_return_value(call, g_variant_new_parsed("(['body'],)"));
  } else {
    if (name == "RegisterStatusNotifierItem") {
      const char* item = nullptr;
      g_variant_get(arguments, "(&s)", &item);
      std::cout << "icon " << sender << ' ' << item << std::endl;
    }
    g_dbus_method_invocation_return_value(call, nullptr);
  }
}

GVariant* get_property(GDBusConnection* /*bus*/, const char* /*sender*/, const char* /*path*/,
                       const char* /*interface*/, const char* name, GError** /*error*/,
                       gpointer /*data*/) {
  if (g_str_equal(name, "IsStatusNotifierHostRegistered") != FALSE) {
    return g_variant_new_boolean(TRUE);
  }
  if (g_str_equal(name, "ProtocolVersion") != FALSE) return g_variant_new_int32(0);
  return g_variant_new_strv(nullptr, 0);
}

void on_bus(GDBusConnection* bus, const char* /*name*/, gpointer data) {
  static const GDBusInterfaceVTable kCalls = {on_call, get_property, nullptr, {}};
  GDBusNodeInfo* const node = static_cast<GDBusNodeInfo*>(data);
  g_dbus_connection_register_object(bus, "/StatusNotifierWatcher", node->interfaces[0], &kCalls,
                                    nullptr, nullptr, nullptr);
  g_dbus_connection_register_object(bus, "/org/freedesktop/Notifications", node->interfaces[1],
                                    &kCalls, nullptr, nullptr, nullptr);
  g_bus_own_name_on_connection(bus, "org.freedesktop.Notifications", G_BUS_NAME_OWNER_FLAGS_NONE,
                               nullptr, nullptr, nullptr, nullptr);
}

}  // namespace

int main() {
  GDBusNodeInfo* const node = g_dbus_node_info_new_for_xml(kInterface, nullptr);
  g_bus_own_name(G_BUS_TYPE_SESSION, "org.kde.StatusNotifierWatcher", G_BUS_NAME_OWNER_FLAGS_NONE,
                 on_bus, nullptr, nullptr, node, nullptr);
  g_main_loop_run(g_main_loop_new(nullptr, FALSE));
}
