// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/routes.h"

#include <gmock/gmock.h>

#include <set>

#include "base/core/temp_folder.h"
#include "dialects/api/api.h"
#include "identity/access/access_table.h"
#include "tests/support/api/booking_world.h"
#include "tests/support/api/openapi_check.h"
#include "tests/support/event/store_fixture.h"

namespace parley::booking_rest {
namespace {

using ::testing::HasSubstr;
using testing::Reply;

// A world with a directory of its own, removed with it.
class World : private core::TempFolder, public testing::World {
 public:
  explicit World(bool strict = false, std::string prefix = "/booking",
                 std::size_t max_waiting = 1'024)
      : testing::World(path(), strict, std::move(prefix), max_waiting) {}
};

std::string text(const boost::json::value& value) { return std::string(value.as_string()); }

class BookingRoutesTest : public ::testing::Test {
 protected:
  // Checks the answer against the document's pattern.
  Reply call(const std::string& method, const std::string& pattern, const std::string& target,
             const std::string& body = {}) {
    Reply reply = world_.call(method, "/v1/booking" + target, body);
    EXPECT_EQ(openapi_.fault(method, "/v1/booking" + pattern, reply.status, reply.body), "")
        << target;
    EXPECT_EQ(reply.headers.get("Cache-Control"), "no-store");
    return reply;
  }
  Reply get(const std::string& target) {
    return call("GET", target.substr(0, target.find('?')), target);
  }
  Reply book(const std::string& body) { return call("POST", "/bookings", "/bookings", body); }
  // Free seats of showing s1, as ids.
  std::vector<std::string> free_seats() {
    std::vector<std::string> out;
    const auto seats = call("GET", "/seats/{showingId}", "/seats/s1").json();
    for (const auto& seat : seats.at("seats").as_array()) {
      if (seat.at("status") == "available") out.push_back(text(seat.at("id")));
    }
    return out;
  }
  std::string occupied_seat() {
    const auto seats = call("GET", "/seats/{showingId}", "/seats/s1").json();
    for (const auto& seat : seats.at("seats").as_array()) {
      if (seat.at("status") == "occupied") return text(seat.at("id"));
    }
    return {};
  }
  static std::string request(const std::vector<std::string>& seats, int adults,
                             const std::string& type = "tt1", const std::string& showing = "s1") {
    boost::json::array ids(seats.begin(), seats.end());
    const boost::json::value body = {{"showingId", showing},
                                     {"seats", ids},
                                     {"tickets", {{{"ticketTypeId", type}, {"quantity", adults}}}},
                                     {"customerName", "Guest"},
                                     {"customerEmail", "guest@example.com"}};
    return boost::json::serialize(body);
  }

  World world_;
  api::testing::OpenApiCheck openapi_{api::openapi_document()};
};

TEST_F(BookingRoutesTest, Routes_MatchDocument) {
  std::set<std::string> served;
  for (const Route& route : routes()) {
    served.insert(std::string(route.method) + " " + std::string(kBase) + std::string(route.path));
  }
  std::set<std::string> documented;
  for (const auto& path : openapi_.paths()) {
    if (!std::string_view(path.key()).starts_with(kBase)) continue;
    for (const auto& operation : path.value().as_object()) {
      std::string method;
      for (const char c : operation.key()) method.push_back(static_cast<char>(c & ~0x20));
      documented.insert(method + " " + std::string(path.key()));
    }
  }
  EXPECT_EQ(served, documented);
}

TEST_F(BookingRoutesTest, Health_IsOk) { EXPECT_EQ(get("/health").body, R"({"status":"ok"})"); }

TEST_F(BookingRoutesTest, MoviesAndTheaters_AreListedAndFound) {
  EXPECT_EQ(get("/movies").json().at("movies").as_array().size(), 3U);
  const auto movie = call("GET", "/movies/{id}", "/movies/m2").json().at("movie");
  EXPECT_EQ(movie.at("id"), "m2");
  EXPECT_TRUE(movie.at("genre").is_array());
  EXPECT_EQ(call("GET", "/movies/{id}", "/movies/m9").error(), "Movie not found");
  EXPECT_EQ(get("/theaters").json().at("theaters").as_array().size(), 3U);
  EXPECT_EQ(call("GET", "/theaters/{id}", "/theaters/t3").json().at("theater").at("id"), "t3");
  EXPECT_EQ(call("GET", "/theaters/{id}", "/theaters/t9").error(), "Theater not found");
  const std::string of_movie = "/theaters/movie/{movieId}";
  const auto of = call("GET", of_movie, "/theaters/movie/m1").json().at("theaters").as_array();
  ASSERT_EQ(of.size(), 2U);
  EXPECT_EQ(of[0].at("id"), "t1");
  EXPECT_EQ(of[1].at("id"), "t3");
  EXPECT_EQ(call("GET", of_movie, "/theaters/movie/m9").body, R"({"theaters":[]})");
}

TEST_F(BookingRoutesTest, Showings_AreFilteredByMovieTheaterAndDay) {
  const std::size_t all = get("/showings").json().at("showings").as_array().size();
  EXPECT_GT(all, 168U);
  const auto some = get("/showings?movieId=m1&theaterId=t1&date=2026-11-23").json();
  const auto& list = some.at("showings").as_array();
  ASSERT_GE(list.size(), 2U);
  ASSERT_LE(list.size(), 3U);
  for (const auto& one : list) {
    EXPECT_EQ(one.at("movieId"), "m1");
    EXPECT_EQ(one.at("theaterId"), "t1");
    EXPECT_EQ(one.at("date"), "2026-11-23");
    EXPECT_EQ(one.at("totalSeats"), 100);
    EXPECT_LT(one.at("availableSeats").as_int64(), 100);
  }
  EXPECT_EQ(get("/showings/times?movieId=m1&theaterId=t1&date=2026-11-23").json(), some);
  EXPECT_EQ(get("/showings?movieId=&theaterId=&date=").json().at("showings").as_array().size(),
            all);
  EXPECT_EQ(get("/showings?movieId=m9").body, R"({"showings":[]})");
  EXPECT_EQ(get("/showings?date=someday").body, R"({"showings":[]})");
  EXPECT_EQ(get("/showings?movieId=m1&theaterId=t2").body, R"({"showings":[]})");
}

TEST_F(BookingRoutesTest, Dates_AreFourteenDaysFromToday) {
  const auto dates = get("/showings/dates?movieId=m1&theaterId=t1").json().at("dates").as_array();
  ASSERT_EQ(dates.size(), 14U);
  EXPECT_EQ(dates.front(), "2026-11-22");
  EXPECT_EQ(dates.back(), "2026-12-05");
  EXPECT_EQ(get("/showings/dates?movieId=m9").body, R"({"dates":[]})");
}

TEST_F(BookingRoutesTest, Showing_IsReturnedWithSeats) {
  const auto showing = call("GET", "/showings/{id}", "/showings/s1").json().at("showing");
  EXPECT_EQ(showing.at("id"), "s1");
  EXPECT_EQ(showing.at("availableSeats").as_int64(),
            static_cast<std::int64_t>(free_seats().size()));
  EXPECT_EQ(call("GET", "/showings/{id}", "/showings/s9999").error(), "Showing not found");
  const auto seats = call("GET", "/seats/{showingId}", "/seats/s1").json().at("seats").as_array();
  ASSERT_EQ(seats.size(), 100U);
  EXPECT_EQ(seats[0].at("id"), "s1-A1");
  EXPECT_EQ(seats[0].at("row"), "A");
  EXPECT_EQ(seats[0].at("type"), "standard");
  EXPECT_EQ(seats[99].at("id"), "s1-J10");
  EXPECT_EQ(seats[99].at("number"), 10);
  EXPECT_EQ(seats[80].at("type"), "premium");
  EXPECT_EQ(seats[79].at("type"), "standard");
  EXPECT_EQ(call("GET", "/seats/{showingId}", "/seats/s9999").error(),
            "Showing not found or no seats available");
}

TEST_F(BookingRoutesTest, TicketTypes_HavePrices) {
  const auto types = get("/ticket-types").json().at("ticketTypes").as_array();
  ASSERT_EQ(types.size(), 3U);
  EXPECT_EQ(types[0].at("price"), 14);
}

TEST_F(BookingRoutesTest, Booking_HoldsSeatsUntilCancelled) {
  const auto before = free_seats();
  const auto created = book(request({before[0], before[1]}, 2));
  ASSERT_EQ(created.status, 201) << created.body;
  const auto booking = created.json().at("booking");
  EXPECT_EQ(booking.at("showingId"), "s1");
  EXPECT_EQ(booking.at("totalPrice"), 28);
  EXPECT_EQ(booking.at("status"), "confirmed");
  EXPECT_EQ(free_seats().size(), before.size() - 2);
  const std::string id = text(booking.at("id"));
  const auto found = call("GET", "/bookings/{id}", "/bookings/" + id).json().at("booking");
  EXPECT_EQ(found.at("seats"), (boost::json::array{before[0], before[1]}));
  EXPECT_EQ(found.at("tickets").at(0).at("quantity"), 2);
  const auto cancelled = call("DELETE", "/bookings/{id}", "/bookings/" + id);
  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(cancelled.json().at("booking").at("status"), "cancelled");
  EXPECT_EQ(free_seats(), before);
  const auto again = call("DELETE", "/bookings/{id}", "/bookings/" + id);
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(again.error(), "Booking already cancelled");
  EXPECT_EQ(call("GET", "/bookings/{id}", "/bookings/none").error(), "Booking not found");
  EXPECT_EQ(call("DELETE", "/bookings/{id}", "/bookings/none").status, 404);
}

TEST_F(BookingRoutesTest, Refusals_HaveContractStatusAndWords) {
  const auto free = free_seats();
  const std::string occupied = occupied_seat();
  EXPECT_EQ(book("{").status, 400);
  EXPECT_EQ(book("{}").error(), "Invalid showingId");
  const Reply missing = book(request({free[0]}, 1, "tt1", "s9999"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.error(), "Showing not found");
  EXPECT_EQ(book(request({"s2-A1"}, 1)).error(), "Some seats are invalid for this showing");
  const Reply taken = book(request({free[0], occupied}, 2));
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.error(), "Some seats are already occupied");
  EXPECT_EQ(taken.json().at("occupiedSeats"), boost::json::array{occupied});
  EXPECT_EQ(book(request({free[0]}, 1, "tt9")).error(), "Invalid ticket type included");
  const Reply count = book(request({free[0]}, 2));
  EXPECT_EQ(count.status, 400);
  EXPECT_EQ(count.error(), "Ticket count must match seat count");
  EXPECT_EQ(free_seats(), free);
}

TEST_F(BookingRoutesTest, UnknownPathOrMethod_IsAnsweredAsInReference) {
  for (const char* base : {"/v1/booking", "/booking"}) {
    const std::string path = std::string(base) + "/nonsense/x";
    const Reply reply = world_.call("GET", path + "?a=b");
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.body, R"({"message":"Route GET:)" + path +
                              R"( not found","error":"Not Found","statusCode":404})");
    EXPECT_EQ(text(world_.call("PUT", std::string(base) + "/movies").json().at("message")),
              "Route PUT:" + std::string(base) + "/movies not found");
    EXPECT_EQ(world_.call("DELETE", std::string(base) + "/movies/m1").status, 404);
  }
}

TEST_F(BookingRoutesTest, Prefix_ServesSameRoutes) {
  EXPECT_EQ(world_.call("GET", "/booking/movies").body, get("/movies").body);
  EXPECT_EQ(world_.call("GET", "/booking/health").status, 200);
  World rooted(false, "/");
  EXPECT_EQ(rooted.call("GET", "/movies").body, get("/movies").body);
  World elsewhere(false, "cinema/");
  EXPECT_EQ(elsewhere.call("GET", "/cinema/seats/s1").status, 200);
  World nowhere(false, "");
  EXPECT_EQ(nowhere.call("GET", "/booking/movies").status, 404);
  EXPECT_EQ(nowhere.call("GET", "/v1/booking/movies").status, 200);
  World same(false, "/v1/booking/");
  EXPECT_EQ(same.call("GET", "/v1/booking/movies").status, 200);
}

TEST_F(BookingRoutesTest, CopyOfData_BelongsToOneParticipant) {
  const auto created =
      call("POST", "/datasets", "/datasets", R"({"seed":7,"days":2,"from":"2030-01-31"})");
  ASSERT_EQ(created.status, 201);
  const std::string name = text(created.json().at("dataset"));
  EXPECT_EQ(created.json().at("from"), "2030-01-31");
  const std::string query = "?dataset=" + name;
  EXPECT_EQ(get("/showings/dates" + query).body, R"({"dates":["2030-01-31","2030-02-01"]})");
  const auto seats = call("GET", "/seats/{showingId}", "/seats/s1" + query).json();
  std::string free;
  for (const auto& seat : seats.at("seats").as_array()) {
    if (seat.at("status") == "available") free = text(seat.at("id"));
  }
  const auto before = free_seats();
  EXPECT_EQ(call("POST", "/bookings", "/bookings" + query, request({free}, 1)).status, 201);
  EXPECT_EQ(call("POST", "/bookings", "/bookings" + query, request({free}, 1)).status, 409);
  EXPECT_EQ(free_seats(), before) << "the default data set has changed";
  const auto wrong = call("POST", "/datasets", "/datasets", R"({"seed":7})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.error(), HasSubstr("days must be"));
}

TEST_F(BookingRoutesTest, QueryParameter_SelectsDataSet) {
  const auto seven = get("/showings?dataset=seed-7-14");
  EXPECT_EQ(seven.body, get("/showings").body);
  EXPECT_NE(get("/showings?dataset=seed-8-14").body, seven.body);
  EXPECT_EQ(get("/movies?dataset=copy-none").status, 404);
  EXPECT_EQ(get("/movies?dataset=copy-none").error(), "Dataset not found");
  EXPECT_EQ(get("/movies?dataset=seed-1-61").status, 400);
}

TEST(BookingRoutes, RequiredToken_IsNeededOnEveryRoute) {
  World strict(true);
  for (const Route& route : routes()) {
    std::string target = std::string(kBase) + std::string(route.path);
    for (const char* name : {"{id}", "{movieId}", "{showingId}"}) {
      if (const auto at = target.find(name); at != std::string::npos) {
        target.replace(at, std::string_view(name).size(), "x");
      }
    }
    const Reply without = strict.call(std::string(route.method), target);
    const std::string where = std::string(kBase) + std::string(route.path);
    const bool open = access::row_of(route.method, where).need == access::Need::nothing;
    EXPECT_EQ(without.status, open ? 200 : 401) << target;
    if (open) continue;
    EXPECT_TRUE(without.headers.has("WWW-Authenticate"));
    EXPECT_EQ(without.json().as_object().size(), 1U);
    EXPECT_NE(strict.call(std::string(route.method), target, "", "secret").status, 401) << target;
  }
  EXPECT_EQ(strict.call("GET", "/v1/booking/nonsense").status, 401);
  EXPECT_EQ(strict.call("GET", "/booking/movies?token=secret").status, 200);
  World guests;
  EXPECT_EQ(guests.call("GET", "/v1/booking/movies").status, 200);
  EXPECT_EQ(guests.call("GET", "/v1/booking/movies", "", "wrong").status, 401);
}

TEST(BookingRoutes, BusyStore_IsReported) {
  World busy(false, "/booking", 0);
  EXPECT_EQ(busy.call("GET", "/v1/booking/movies").status, 200);
  EXPECT_EQ(busy.call("GET", "/v1/booking/bookings/x").status, 503);
  EXPECT_EQ(busy.call("POST", "/v1/booking/datasets", R"({"seed":1,"days":1})").status, 503);
}

TEST(BookingGuests, GuestThroughProxyOrRemote_NeedsToken) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/booking/movies").status, 200);
  world.fields = {{"X-Real-IP", "192.0.2.7"}};
  EXPECT_EQ(world.call("GET", "/v1/booking/movies").status, 401);
  EXPECT_EQ(world.call("GET", "/v1/booking/movies", "", "secret").status, 200);
  world.fields = {{"Host", "parley.example.org"}};
  EXPECT_EQ(world.call("POST", "/booking/datasets", "{}").status, 401);
  world.fields.clear();
  world.peer = "192.0.2.7";
  EXPECT_EQ(world.call("GET", "/booking/movies").status, 401);
}

TEST(BookingGuests, ImageOnForeignPage_IsRefused) {
  World world;
  world.fields = {{"Sec-Fetch-Site", "cross-site"}};
  const Reply reply = world.call("GET", "/v1/booking/movies?dataset=seed-3-4");
  EXPECT_EQ(reply.status, 403);
  EXPECT_THAT(reply.error(), HasSubstr("Sec-Fetch-Site"));
}

TEST(BookingGuests, Get_NeverStoresDataSet) {
  World world;
  for (int seed = 0; seed < 80; ++seed) {
    EXPECT_EQ(
        world.call("GET", "/booking/movies?dataset=seed-" + std::to_string(seed) + "-1").status,
        200);
  }
  // Only the default data set is stored.
  EXPECT_EQ(world.service().stored_datasets(), 1U);
}

}  // namespace
}  // namespace parley::booking_rest
