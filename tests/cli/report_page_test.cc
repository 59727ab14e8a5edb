#include "cli/report_page.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "cli/library_counts.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ReportPage, DataThatLooksLikeATag_EndsNoScript) {
  const std::string page = page_of(R"({"model":"</script><script>alert(1)</script><!--"})");
  EXPECT_THAT(page, HasSubstr(R"({"model":"\u003c/script>\u003cscript>alert(1))"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

TEST(ReportPage, DataThatLooksLikeAPlace_IsNotFilled) {
  EXPECT_THAT(page_of(R"({"a":"@style@"})"), HasSubstr(R"({"a":"@style@"})"));
}

TEST(ReportPage, NeedsNothingFromElsewhere) {
  const std::string page = page_of("{}");
  for (const char* link : {" src=\"", "<link rel=\"stylesheet", "@import", "@style@", "@script@"})
    EXPECT_THAT(page, Not(HasSubstr(link)));
}

TEST(ReportPage, Policy_NamesItsOwnScriptsByTheirHashes) {
  const std::string page = page_of("{}");
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("style-src 'sha256-"));
}

class LibraryCsv : public testing::Test {
 protected:
  Result<LibraryCounts> read(const std::string& text) {
    auto directory = TemporaryDirectory::create("library_csv");
    EXPECT_TRUE(directory);
    const std::string path = directory->path() + "/counts.csv";
    std::ofstream(path) << text;
    return read_library_counts(path, "kws", "armv7e-m cortex-m4");
  }
};

TEST_F(LibraryCsv, RowsOfOtherModelsAndCores_DoNotCount) {
  const auto counts = read(
      "# of whom\ncore,library,model,layer,instructions\nm4,Lib,kws,0,300\nm4,Lib,kws,0,200\n"
      "m7,Lib,kws,0,1\nm4,Lib,vww,0,1\nm4,Lib,kws,3,7\n");
  ASSERT_TRUE(counts);
  EXPECT_EQ(*counts, (LibraryCounts{{"Lib", {{0, 200}, {3, 7}}}}));
}

TEST_F(LibraryCsv, ColumnMissing_SaysWhichAndWhere) {
  const auto counts = read("library,layer\nLib,1\n");
  ASSERT_FALSE(counts);
  EXPECT_THAT(counts.error().message(), HasSubstr("line 1: no column 'instructions'"));
}

TEST_F(LibraryCsv, NumberThatIsNone_IsRefused) {
  const auto counts = read("library,layer,instructions\nLib,1,many\n");
  ASSERT_FALSE(counts);
  EXPECT_THAT(counts.error().message(), HasSubstr("line 2"));
}

}  // namespace
}  // namespace tinytune::test
