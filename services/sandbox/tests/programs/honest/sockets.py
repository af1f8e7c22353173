"""An event loop with a server on a local socket of its own, a child process and a signal."""
import asyncio
import os
import signal
import sys
import tempfile


async def main():
    path = os.path.join(tempfile.mkdtemp(), "s")

    async def echo(reader, writer):
        writer.write(await reader.readline())
        writer.close()

    async with await asyncio.start_unix_server(echo, path):
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(b"hello\n")
        assert await reader.readline() == b"hello\n"
        writer.close()
    child = await asyncio.create_subprocess_exec(sys.executable, "-I", "-c", "print(1)", stdout=-1)
    assert (await child.communicate())[0] == b"1\n"
    got = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, got.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(got.wait(), 10)
    print("good")


asyncio.run(main())
