// Where cuFFT is looked for: beside a Python package the folders that wheels of pip fill.
#include <gtest/gtest.h>

#include <fstream>

#include "sim/core/error.hpp"
#include "sim/core/fft/plans.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::cufft_library_test {
namespace {

namespace fs = std::filesystem;

void touch(const fs::path& file)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "\n";
}

class CufftNames : public testing::Test {
protected:
    CufftNames()
    {
        touch(site_ / "aureole" / "__init__.py");
        touch(site_ / "nvidia" / "cu13" / "lib" / "libcufft.so.12");
        touch(site_ / "nvidia" / "cufft" / "lib" / "libcufft.so.11");
        touch(site_ / "nvidia" / "nccl" / "lib" / "libnccl.so.2");
        touch(site_ / "nvidia" / "__init__.py");
    }

    /// Names with the folder of the wheels, in order.
    std::vector<std::string> of_wheels(const fs::path& own_file) const
    {
        std::vector<std::string> found;
        for (const std::string& name : cufft_names(own_file))
            if (contains(name, "nvidia")) found.push_back(fs::relative(name, site_));
        return found;
    }

    const TemporaryFolder folder_;
    const fs::path site_ = folder_.path() / "site-packages";
};

TEST_F(CufftNames, AreThoseOfWheelsBesideThePackageNewestFirst)
{
    const std::vector<std::string> expected{"nvidia/cu13/lib/libcufft.so.12",
                                            "nvidia/cufft/lib/libcufft.so.11"};
    EXPECT_EQ(of_wheels(site_ / "aureole" / "_core.cpython-311-x86_64-linux-gnu.so"), expected);
    EXPECT_EQ(of_wheels(site_ / "aureole" / "bin" / "aureole"), expected);
}

TEST_F(CufftNames, ComeAfterTheSystemsAndBeforeTheToolkits)
{
    const std::vector<std::string> names = cufft_names(site_ / "aureole" / "_core.so");
    ASSERT_GE(names.size(), 5u);
    EXPECT_EQ(names.front(), "libcufft.so.12");
    EXPECT_EQ(names[4], site_ / "nvidia" / "cu13" / "lib" / "libcufft.so.12");
    EXPECT_EQ(names.back(), "/usr/local/cuda/lib64/libcufft.so");
}

TEST_F(CufftNames, KnowNoWheelsForAProgramThatIsNoPartOfAPackage)
{
    EXPECT_TRUE(of_wheels(site_ / "other" / "bin" / "aureole").empty());
    touch(site_ / "aureole" / "deep" / "bin" / "aureole");
    EXPECT_TRUE(of_wheels(site_ / "aureole" / "deep" / "bin" / "aureole").empty());
    fs::remove(site_ / "aureole" / "__init__.py");
    EXPECT_TRUE(of_wheels(site_ / "aureole" / "bin" / "aureole").empty());
}

TEST_F(CufftNames, DoWithoutWheels)
{
    fs::remove_all(site_ / "nvidia");
    EXPECT_EQ(cufft_names(site_ / "aureole" / "_core.so"), cufft_names("/nowhere/aureole"));
}

TEST_F(CufftNames, ThatAreNoLibrariesAreToldWithWhatToDo)
{
    const std::string fake = site_ / "nvidia" / "cu13" / "lib" / "libcufft.so.12";
    const std::vector<std::string> names{"libno_such_cufft.so.1", fake};
    const std::string message = message_of<CudaError>([&] { opened_cufft(names); });
    EXPECT_TRUE(contains(message, "libno_such_cufft.so.1, " + fake));
    EXPECT_TRUE(contains(message, "LD_LIBRARY_PATH") && contains(message, "aureole[cuda]"));
}

}  // namespace
}  // namespace aureole::test::cufft_library_test
