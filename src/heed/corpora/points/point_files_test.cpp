// SPDX-License-Identifier: Apache-2.0
// The forms of point files, and what their mistakes are told.
#include "heed/corpora/points/point_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::corpora {
namespace {

using test::message_of;
using test::TemporaryFolder;

const PointSet kTriangle{.points = {{.1, .2}, {.9, .3}, {.5, .8}}, .answer = {}};

TEST(PointLines, AreCoordinatesAndAnAnswer) {
  const PointSet set = parse_point_line(".1 .2 .9 .3 .5 .8 output 1 2 3 1 ", 2, "f:1");
  EXPECT_EQ(set.points, kTriangle.points);
  EXPECT_EQ(set.answer, (Route{0, 1, 2}));
  EXPECT_EQ(parse_point_line(".1,.2 .9,.3; .5,.8", 2, "f:1"), kTriangle);
  EXPECT_EQ(parse_point_line("3 1 2 output 2 3 1", 1, "f:1").answer, (Route{1, 2, 0}));
}

TEST(PointLines, AreWrittenAndReadBackToTheSameBits) {
  for (const PointSet& set : draw_sets({.count = 20, .points = 4, .answers = false})) {
    EXPECT_EQ(parse_point_line(written_points(set.points, 2), 2, "f:1"), set);
  }
}

TEST(PointLines, AreRefusedWithPlaceAndRemedy) {
  const auto refused = [](const char* line) {
    return message_of<DataError>([line] { parse_point_line(line, 2, "f:7"); });
  };
  EXPECT_EQ(refused("0.1 0.2 oops 0.4"),
            "f:7: \"oops\" is no number; a line is x y x y ..., with \"output 1 2 3\" where the "
            "answer is known, or one point x,y");
  EXPECT_EQ(refused("0.1 nan"), "f:7: a coordinate is nan; every one must be a finite number");
  EXPECT_EQ(refused("1 2 3"), "f:7: 3 numbers make no whole points; each has an x and a y");
  EXPECT_EQ(refused("1,2,3 4,5"), "f:7: \"1,2,3\" is no point; x,y is one");
  EXPECT_EQ(refused("1 2 3 4 output 1 3"),
            "f:7: the answer says \"3\"; its points are numbered from 1 to 2");
  EXPECT_EQ(refused("1 2 3 4 5 6 output 1 2 2 1"),
            "f:7: the answer says 2 twice; only its first point may come again, at the end");
}

TEST(PointFiles, AreRowsLinesOrJson) {
  for (const char* text :
       {"x,y\n.1,.2\n.9,.3\n.5,.8\n", ".1\t.2\r\n.9\t.3\r\n.5\t.8", ".1 .2 .9 .3 .5 .8\n",
        "[[0.1, 0.2], [0.9, 0.3], [0.5, 0.8]]", "{\"points\": [[0.1,0.2],[0.9,0.3],[0.5,0.8]]}",
        "[{\"x\": 0.1, \"y\": 0.2}, {\"x\": 0.9, \"y\": 0.3}, {\"x\": 0.5, \"y\": 0.8}]"}) {
    EXPECT_EQ(parse_point_sets(text, 2, "f"), std::vector{kTriangle}) << text;
  }
  EXPECT_EQ(parse_point_sets(".1,.2\n.9,.3\n.5,.8\n\n.1,.2\n.9,.3\n.5,.8\n", 2, "f").size(), 2u);
  EXPECT_EQ(parse_point_sets("[[[1,2],[3,4]],[[5,6]]]", 2, "f").size(), 2u);
  EXPECT_EQ(parse_point_sets("3\n1\n2\n", 1, "f").front().points.size(), 3u);
  EXPECT_EQ(parse_point_sets("[3, 1, 2]", 1, "f").front().points.size(), 3u);
  EXPECT_EQ(parse_point_sets("3 1 2\n5 4\n", 1, "f").size(), 2u);
}

TEST(PointFiles, AreRefusedWithPlaceAndRemedy) {
  const auto refused = [](const char* text) {
    return message_of<DataError>([text] { parse_point_sets(text, 2, "f"); });
  };
  EXPECT_EQ(refused("1,2\n3,x\n"),
            "f:2: \"x\" is no number; a line is x y x y ..., with \"output 1 2 3\" where the "
            "answer is known, or one point x,y");
  EXPECT_EQ(refused("1,2\n3\n"), "f:2: 1 numbers make no whole points; each has an x and a y");
  EXPECT_EQ(refused("[[1,2],[3,\"a\"]]"), "f, point 2: \"a\" is no number; a point is [x, y]");
  EXPECT_EQ(refused("[[1,2],[3]]"), "f, point 2: [3] is no point; [x, y] is");
  EXPECT_EQ(refused(std::string(100'000, '[').c_str()),
            "f: lists are nested deeper than sets of points");
  EXPECT_EQ(refused("[1,2"), "f: is not JSON, though it begins like it");
  EXPECT_EQ(refused("\n\n").substr(0, 19), "f: holds no points;");
}

TEST(AnsweredSets, NeedAnAnswerAndPointsThatDiffer) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    write_atomically(folder / "f", text);
    const std::string message = message_of<DataError>([&] { read_answered_sets(folder / "f"); });
    return message.substr(message.find("f:") == message.npos ? 0 : message.find("f:"));
  };
  const std::string good = "0 0 1 0 1 1 output 1 2 3 1\n";
  EXPECT_EQ(refused(good + "0 0 1 0 0 0 output 1 2 3 1\n"),
            "f:2: points 1 and 3 coincide; take one of them away");
  EXPECT_EQ(refused("\n" + good + "0 0 1 0 1 1\n").substr(0, 24), "f:3: there is no answer;");
  write_atomically(folder / "f", good + good);
  EXPECT_EQ(read_answered_sets(folder / "f").size(), 2u);
}

TEST(AnsweredSets, ShowWhatTheirAnswersAre) {
  EXPECT_EQ(task_of_answers(draw_sets({.task = PointTask::hull, .count = 20})), PointTask::hull);
  EXPECT_EQ(task_of_answers(draw_sets({.task = PointTask::tour, .count = 20, .points = 6})),
            PointTask::tour);
  std::vector<PointSet> odd = draw_sets({.task = PointTask::hull, .count = 20});
  odd.front().answer = {0, 1};
  EXPECT_EQ(task_of_answers(odd), PointTask::given);
}

}  // namespace
}  // namespace heed::corpora
