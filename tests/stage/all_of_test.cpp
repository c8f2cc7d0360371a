#include "kvgen/stage/all_of.h"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <vector>

#include "tests/support/loop.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;

class AllOf : public ::testing::Test {
 protected:
  boost::asio::io_context loop_;
};

TEST_F(AllOf, WorksOnNoMoreThanAskedAtOnceAndFinishesEverything) {
  int running = 0;
  int most = 0;
  std::vector<std::size_t> started;
  testing::await(loop_, all_of(7, 3, [&](std::size_t i) -> Awaitable<void> {
                   started.push_back(i);
                   most = std::max(most, ++running);
                   for (std::size_t turn = 0; turn <= i % 3; ++turn) {
                     co_await boost::asio::post(loop_, boost::asio::use_awaitable);
                   }
                   --running;
                 }));
  EXPECT_EQ(most, 3);
  EXPECT_EQ(running, 0);
  EXPECT_THAT(started, ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST_F(AllOf, NothingToDoIsDoneAtOnce) {
  testing::await(loop_, all_of(0, 4, [](std::size_t) -> Awaitable<void> {
                   ADD_FAILURE();
                   co_return;
                 }));
}

TEST_F(AllOf, AnExceptionComesOutAfterTheOthersEnded) {
  int ended = 0;
  EXPECT_THROW(testing::await(loop_, all_of(3, 3,
                                            [&](std::size_t i) -> Awaitable<void> {
                                              if (i == 0) throw std::runtime_error("broken");
                                              co_await boost::asio::post(
                                                  loop_, boost::asio::use_awaitable);
                                              ++ended;
                                            })),
               std::runtime_error);
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace kvgen
