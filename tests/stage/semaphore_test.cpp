#include "kvgen/stage/semaphore.h"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <vector>

#include "kvgen/stage/all_of.h"
#include "tests/support/loop.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;

class SemaphoreQueue : public ::testing::Test {
 protected:
  Awaitable<void> breathe() { return boost::asio::post(loop_, boost::asio::use_awaitable); }
  boost::asio::io_context loop_;
};

TEST_F(SemaphoreQueue, ServesInTheOrderOfAsking) {
  Semaphore one(loop_.get_executor(), 1);
  std::vector<std::size_t> served;
  testing::await(loop_, all_of(4, 4, [&](std::size_t i) -> Awaitable<void> {
                   const auto permit = co_await one.acquire();
                   served.push_back(i);
                   co_await breathe();
                 }));
  EXPECT_THAT(served, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(one.available(), 1);
}

TEST_F(SemaphoreQueue, AllPermitsMeansAloneAndIsNotStarved) {
  Semaphore machine(loop_.get_executor(), 3);
  int others = 0;
  std::vector<std::string> order;
  testing::await(loop_, all_of(5, 5, [&](std::size_t i) -> Awaitable<void> {
                   const bool timing = i == 2;
                   const auto permit = co_await machine.acquire(timing ? 3 : 1);
                   if (timing) {
                     EXPECT_EQ(others, 0);
                     order.emplace_back("alone");
                     co_await breathe();
                     EXPECT_EQ(others, 0);
                   } else {
                     ++others;
                     order.emplace_back("shared");
                     co_await breathe();
                     --others;
                   }
                 }));
  // The third asks for all: the two after it wait, though a permit is free.
  EXPECT_THAT(order, ElementsAre("shared", "shared", "alone", "shared", "shared"));
}

TEST_F(SemaphoreQueue, AskingForMoreThanThereIsMeansAll) {
  Semaphore two(loop_.get_executor(), 2);
  testing::await(loop_, [&]() -> Awaitable<void> {
    auto permit = co_await two.acquire(100);
    EXPECT_EQ(two.available(), 0);
    permit.release();
    EXPECT_EQ(two.available(), 2);
  }());
}

}  // namespace
}  // namespace kvgen
