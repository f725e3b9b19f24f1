// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <thread>

#include "../../core/files/output_file.hpp"
#include "../support/files.hpp"

namespace fs = std::filesystem;
using files_test::content_of;
using files_test::error_of;
using files_test::TemporaryFolder;
using heddle::files::OutputFile;
using heddle::files::require_writable;
using heddle::files::write_whole_file;

namespace {

unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(fs::status(path).permissions());
}

/// The path must be refused, by an Error that names it and a remedy.
void check_refused(const std::string& path) {
  CAPTURE(path);
  for (const auto& error : {error_of([&] { write_whole_file(path, "new"); }),
                            error_of([&] { require_writable(path); })}) {
    CHECK(error.where().file == path);
    CHECK(!error.remedy().empty());
  }
}

/// The content of a descriptor from its position to the end.
std::string rest_of(int descriptor) {
  std::string text;
  char buffer[64];
  for (ssize_t got; (got = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

TEST_CASE("a file is made or replaced, and nothing else is left in its folder") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  require_writable(path);
  CHECK(folder.size() == 0);
  write_whole_file(path, "one");
  CHECK(content_of(path) == "one");
  write_whole_file(path, "");
  CHECK(content_of(path) == "");
  CHECK(folder.size() == 1);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(mode_of(path) == (0666u & ~mask));
}

TEST_CASE("what is not committed leaves the old file as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  write_whole_file(path, "old");
  {
    OutputFile file(path);
    file.write("new");
    CHECK(content_of(path) == "old");
  }
  require_writable(path);
  CHECK(content_of(path) == "old");
  CHECK(folder.size() == 1);
}

TEST_CASE("two writers of one file do not meet") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  OutputFile one(path), two(path);
  one.write("one");
  two.write("two");
  one.commit();
  CHECK(content_of(path) == "one");
  two.commit();
  CHECK(content_of(path) == "two");
  CHECK(folder.size() == 1);
}

TEST_CASE("the mode of a file is kept") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  for (const unsigned mode : {0600u, 0640u, 0755u, 0666u}) {
    write_whole_file(path, "old");
    fs::permissions(path, static_cast<fs::perms>(mode));
    write_whole_file(path, "new");
    CHECK(mode_of(path) == mode);
    CHECK(content_of(path) == "new");
  }
}

TEST_CASE("a file without write permission stays, also for root") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  write_whole_file(path, "old");
  fs::permissions(path, static_cast<fs::perms>(0444));
  check_refused(path);
  CHECK(content_of(path) == "old");
  CHECK(mode_of(path) == 0444);
  CHECK(folder.size() == 1);
}

TEST_CASE("a program that runs stays") {
  // A hard link to this program, in its folder: links do not cross file systems.
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const std::string path = self.string() + ".link";
  fs::remove(path);
  fs::create_hard_link(self, path);
  const auto bytes = fs::file_size(self);
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  const bool busy = descriptor < 0 && errno == ETXTBSY;  // some systems allow it
  if (descriptor >= 0) ::close(descriptor);
  if (busy) {
    check_refused(path);
    CHECK(fs::file_size(path) == bytes);
  } else {
    MESSAGE("not tested: this system lets running programs be opened for writing");
  }
  fs::remove(path);
}

TEST_CASE("a write that fails leaves the old file as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  write_whole_file(path, "old");
  // A file may not grow beyond a thousand bytes, as on a full disk.
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string what;
  try {
    write_whole_file(path, std::string(4000, 'x'));
  } catch (const heddle::Error& error) {
    what = error.what();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(what.find(path) != std::string::npos);
  CHECK(content_of(path) == "old");
  CHECK(folder.size() == 1);
}

TEST_CASE("symbolic links stay and are followed") {
  const TemporaryFolder folder, other;
  write_whole_file(other / "target", "old");
  fs::permissions(other / "target", static_cast<fs::perms>(0600));
  fs::create_symlink(other / "target", folder / "one");
  fs::create_symlink("one", folder / "two");
  write_whole_file(folder / "two", "new");
  CHECK(fs::is_symlink(folder / "two"));
  CHECK(fs::is_symlink(folder / "one"));
  CHECK(!fs::is_symlink(other / "target"));
  CHECK(content_of(other / "target") == "new");
  CHECK(mode_of(other / "target") == 0600);
  CHECK(folder.size() == 2);
  CHECK(other.size() == 1);

  fs::create_symlink(other / "made", folder / "dangling");
  write_whole_file(folder / "dangling", "new");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(content_of(other / "made") == "new");

  fs::create_symlink("circle", folder / "circle");
  check_refused(folder / "circle");
  CHECK(fs::is_symlink(folder / "circle"));
}

TEST_CASE("what cannot be a file is refused and stays") {
  const TemporaryFolder folder;
  check_refused("");
  check_refused(folder / "");
  check_refused(folder / "missing/a");
  check_refused(folder / "missing/");
  fs::create_directory(folder / "b");
  check_refused(folder / "b");
  CHECK(fs::is_directory(folder / "b"));
  CHECK(folder.size() == 1);

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder / "socket";
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(error_of([&] { write_whole_file(path, "new"); }).where().file == path);
  CHECK(fs::is_socket(path));
  ::close(descriptor);
}

TEST_CASE("pipes and devices are written to, not replaced") {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder / "link");
  for (const std::string& name : {path, folder / "link"}) {
    std::string got;
    std::thread reader([&] { got = content_of(path); });
    require_writable(name);  // keeps the reader
    write_whole_file(name, "through");
    reader.join();
    CHECK(got == "through");
    CHECK(fs::is_fifo(path));
  }
  CHECK(folder.size() == 2);

  write_whole_file("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_AS(write_whole_file("/dev/full", "x"), heddle::Error);
    CHECK(fs::is_character_file("/dev/full"));
  }
}

TEST_CASE("a descriptor of this process is written to, whatever lies behind it") {
  if (!fs::exists("/proc/self/fd")) return;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  write_whole_file("/proc/self/fd/" + std::to_string(ends[1]), "through");
  ::close(ends[1]);
  CHECK(rest_of(ends[0]) == "through");
  ::close(ends[0]);

  // A descriptor like /dev/stdout that the shell redirects to a file.
  const TemporaryFolder folder;
  const int descriptor = ::open((folder / "log").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(::write(descriptor, "one ", 4) == 4);
  fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor), folder / "stdout");
  write_whole_file(folder / "stdout", "two ");
  REQUIRE(::write(descriptor, "three", 5) == 5);
  REQUIRE(::lseek(descriptor, 0, SEEK_SET) == 0);
  CHECK(rest_of(descriptor) == "one two three");
  ::close(descriptor);
  CHECK(folder.size() == 2);
}
