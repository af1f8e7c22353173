"""Tries what a hostile program would try. Reads targets as JSON from stdin, prints {attack: error name or "through"}."""
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys

targets = json.load(sys.stdin)
service, secret, outside = targets["service"], targets["secret"], targets["outside"]
libc = ctypes.CDLL(None, use_errno=True)
attacks = {}


def attack(function):
    try:
        function()
        attacks[function.__name__] = "through"
    except OSError as error:
        attacks[function.__name__] = errno.errorcode.get(error.errno, str(error.errno))
    except Exception as error:
        attacks[function.__name__] = type(error).__name__


def check(answer):
    if answer == -1:
        raise OSError(ctypes.get_errno(), "")


@attack
def inherited_descriptors():
    if set(os.listdir("/proc/self/fd")) <= {"0", "1", "2", "3"}:
        raise PermissionError(errno.EPERM, "")


@attack
def read_secret():
    open(secret).read()


@attack
def read_secret_through_proc():
    open("/proc/self/root" + secret).read()


@attack
def read_secret_through_link():
    os.symlink(secret, "link_to_secret")
    open("link_to_secret").read()


@attack
def hardlink_secret():
    os.link(secret, "hard_secret")


@attack
def read_shadow():
    open("/etc/shadow").read()


@attack
def list_home():
    os.listdir(targets["home"])


@attack
def service_environment():
    if "interlock_test_secret" not in open(f"/proc/{service}/environ").read():
        raise PermissionError(errno.EPERM, "")


@attack
def any_environment():
    found = False
    for name in os.listdir("/proc"):
        try:
            found |= "interlock_test_secret" in open(f"/proc/{name}/environ").read()
        except OSError:
            pass
    if not found:
        raise PermissionError(errno.EPERM, "")


@attack
def service_memory():
    open(f"/proc/{service}/mem", "rb").read(1)


@attack
def service_root():
    os.listdir(f"/proc/{service}/root/")


@attack
def write_outside():
    open(os.path.join(outside, "planted"), "w").write("x")


@attack
def write_sources():
    open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.py"), "w").write("x")


@attack
def change_mode_outside():
    os.chmod(secret, 0o777)
    if os.stat(secret).st_mode & 0o777 != 0o777:
        raise PermissionError(errno.EPERM, "")


@attack
def change_time_outside():
    os.utime(secret, (1, 1))
    if os.stat(secret).st_mtime != 1:
        raise PermissionError(errno.EPERM, "")


@attack
def change_mode_of_sources():
    os.chmod(__file__, 0o777)
    if os.stat(__file__).st_mode & 0o777 != 0o777:
        raise PermissionError(errno.EPERM, "")


@attack
def unlink_outside():
    os.unlink(secret)


@attack
def truncate_outside():
    os.truncate(secret, 0)


@attack
def signal_service():
    os.kill(service, 0)


# Answers nothing: the kernel calls it a success even if every single signal was refused. The service tells.
try:
    os.kill(-1, signal.SIGWINCH)
except OSError:
    pass


@attack
def pidfd_service():
    signal.pidfd_send_signal(os.pidfd_open(service), 0)


@attack
def limit_service():
    resource.prlimit(service, resource.RLIMIT_NOFILE)


@attack
def affinity_of_service():
    os.sched_setaffinity(service, {0})


@attack
def priority_of_service():
    os.setpriority(os.PRIO_PROCESS, service, 19)


@attack
def ptrace_service():
    check(libc.ptrace(16, service, 0, 0))


@attack
def signal_parent():
    os.kill(os.getppid(), 0)


@attack
def ptrace_parent():
    check(libc.ptrace(16, os.getppid(), 0, 0))


@attack
def parent_environment():
    open(f"/proc/{os.getppid()}/environ", "rb").read()


@attack
def parent_memory():
    open(f"/proc/{os.getppid()}/mem", "rb").read(1)


@attack
def parent_descriptors():
    refusal = PermissionError(errno.EPERM, "")
    for number in os.listdir(f"/proc/{os.getppid()}/fd"):
        try:
            os.open(f"/proc/{os.getppid()}/fd/{number}", os.O_RDONLY | os.O_NONBLOCK)
            return
        except OSError as error:
            refusal = error
    raise refusal


@attack
def service_command_line():
    open(f"/proc/{service}/cmdline", "rb").read()


@attack
def metadata_outside():
    os.stat(secret)


@attack
def watch_outside():
    check(libc.inotify_add_watch(libc.inotify_init(), outside.encode(), 0x100))


@attack
def write_launcher():
    for path in ("/run/interlock/launcher", targets["launcher"]):
        try:
            open(path, "ab").close()
            return
        except OSError as error:
            refusal = error
    raise refusal


@attack
def write_sources_through_link():
    os.symlink(__file__, "link_to_sources")
    open("link_to_sources", "a").write("x")


@attack
def replace_sources():
    open("mine.py", "w").write("x")
    os.rename("mine.py", __file__)


@attack
def move_sources_away():
    os.rename(__file__, "theirs.py")


@attack
def leave_control_group():
    for name in ("pids/cgroup.procs", "memory/cgroup.procs", "cgroup.procs"):
        try:
            open(f"/sys/fs/cgroup/{name}", "w").write("0")
            return
        except OSError as error:
            refusal = error
    raise refusal


@attack
def tcp():
    socket.create_connection(("127.0.0.1", targets["tcp"]), 2)


@attack
def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", targets["udp"]))


@attack
def name_lookup():
    socket.getaddrinfo("example.org", 80)


@attack
def raw_socket():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)


@attack
def netlink():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)


@attack
def abstract_socket():
    socket.socket(socket.AF_UNIX).connect("\0" + targets["abstract"])


@attack
def abstract_datagram():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "\0" + targets["abstract"] + "-datagram")


@attack
def abstract_datagram_through_pair():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(b"x", "\0" + targets["abstract"] + "-datagram")


@attack
def path_socket():
    socket.socket(socket.AF_UNIX).connect(targets["socket"])


@attack
def path_socket_through_pair():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(b"x", targets["datagram"])


@attack
def user_namespace():
    check(libc.unshare(0x10000000))


@attack
def user_namespace_by_clone():
    check(libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0))


@attack
def mount():
    check(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None))


@attack
def chroot():
    os.chroot("/tmp")


@attack
def become_root():
    os.setuid(0)


@attack
def fifo():
    os.mkfifo("fifo")


@attack
def device():
    os.mknod("device", 0o600 | 0o020000, os.makedev(1, 1))


@attack
def setuid_program():
    status = os.spawnv(os.P_WAIT, "/usr/bin/python3", ["python3", "-c", "import os; os.setgid(0); os.setuid(0)"])
    if status != 0:
        raise PermissionError(errno.EPERM, "")


@attack
def capabilities():
    lines = open("/proc/self/status").read().splitlines()
    # Nobody but root can empty the bounding set, and nobody else would gain anything from it.
    harmless = () if os.getuid() == 0 else ("CapBnd",)
    sets = [line for line in lines if line.startswith("Cap") and not line.startswith(harmless)]
    held = [line for line in sets if int(line.split()[1], 16)]
    if not held:
        raise PermissionError(errno.EPERM, "")


@attack
def own_environment():
    if "interlock_test_secret" not in str(dict(os.environ)):
        raise PermissionError(errno.EPERM, "")


@attack
def write_to_system():
    open("/usr/planted", "w").write("x")


@attack
def write_root_folder():
    open("/planted", "w").write("x")


print(json.dumps(attacks))
