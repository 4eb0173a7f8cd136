"""The lab's one process: an SSH server per device, and a socket for the orders of its owner.

``python -m fabric_drift.lab.daemon DIRECTORY`` serves the fabric written down in DIRECTORY until told to stop.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fabric_drift.lab import keys
from fabric_drift.lab.clock import TICK_SECONDS, LabClock
from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.directory import PRIVATE_FILE, LabDirectory, write_atomically
from fabric_drift.lab.emulators import emulator, has_emulator
from fabric_drift.lab.faults import parse_fault
from fabric_drift.lab.inventory import inventory_text, known_hosts_text
from fabric_drift.lab.server import DeviceServer
from fabric_drift.lab.troubles import is_trouble
from fabric_drift.lab.wiring import Wiring

LONGEST_ORDER_BYTES = 64 * 1024 * 1024
Order = Mapping[str, Any]


class OrderError(ValueError):
    """The owner asked for something that the lab can't do."""


class Lab:
    """All devices of one lab directory."""

    def __init__(self, directory: LabDirectory) -> None:
        self.directory = directory
        self.servers: dict[str, DeviceServer] = {}
        self.missing: list[str] = []
        self.stopped = asyncio.Event()
        self.clock = LabClock(directory.clock_file)

    async def open(self) -> None:
        """Brings every device up and writes inventory and known_hosts. Raises OSError when a port is taken."""
        planned, ports = self.directory.read_fabric()
        self.missing = sorted(device.name for device in planned if not has_emulator(device.emulator))
        devices = [device for device in planned if device.name not in self.missing]
        users, password = keys.user_keys(self.directory), keys.password(self.directory)
        host_keys = {device.name: keys.host_key(self.directory, device.name) for device in devices}
        for device in devices:
            running = RunningDevice(self.directory, device, emulator(device.emulator))
            server = DeviceServer(running, host_keys[device.name], users, password, ports.get(device.name, 0))
            await server.listen()
            self.servers[device.name] = server
        self._connect()
        ports = {name: server.port for name, server in self.servers.items()}
        self.directory.write_fabric(planned, ports)
        write_atomically(self.directory.inventory_file, inventory_text(self.directory, devices, ports))
        write_atomically(self.directory.known_hosts_file, known_hosts_text(ports, host_keys))

    def _connect(self) -> None:
        """Lets what happens on one device be felt on others."""
        running = {name: server.device for name, server in self.servers.items()}
        wiring = Wiring({name: device.device for name, device in running.items()}, running.get)
        for name, device in running.items():
            device.changed = partial(wiring.carry, name)

    def tick(self) -> list[dict[str, str]]:
        """Tells every device the time; says which timers that fired."""
        now = self.clock.seconds
        return [
            {"device": name, "unit": unit} for name, server in self.servers.items() for unit in server.device.tick(now)
        ]

    async def keep_time(self) -> None:
        """Ticks until it is cancelled."""
        while True:
            self.tick()
            await asyncio.sleep(TICK_SECONDS)

    async def close(self) -> None:
        """Takes every device down."""
        for server in self.servers.values():
            await server.close()
        self.clock.keep()

    async def obey(self, order: Order) -> Any:
        """One order of the owner. Raises ValueError when it can't be done."""
        verbs: dict[str, Callable[[Order], Any]] = {
            "status": self._status,
            "missing": lambda _order: self.missing,
            "mutations": self._mutations,
            "drift": self._drift,
            "load": self._load,
            "clock": self._clock,
        }
        verb = order.get("do")
        if verb == "stop":
            self.stopped.set()
            return "stopping"
        if verb == "fault":
            return await self._fault(order)
        if verb not in verbs:
            raise OrderError(f"unknown order {verb!r}")
        return verbs[verb](order)

    def _server(self, order: Order) -> DeviceServer:
        name = order.get("device")
        if name not in self.servers:
            raise OrderError(f"the lab has no device {name!r}; there are {', '.join(self.servers)}")
        return self.servers[name]

    def _status(self, _order: Order) -> list[dict[str, Any]]:
        return [
            {
                "device": name,
                "platform": server.device.device.emulator,
                "release": server.device.device.release,
                "hardware": server.device.device.hardware,
                "port": server.port,
                "fault": server.troubled(),
            }
            for name, server in self.servers.items()
        ]

    async def _fault(self, order: Order) -> str:
        """On the way to the device, or in the device; none ends both."""
        server, text = self._server(order), str(order["fault"])
        if is_trouble(text):
            return ", ".join(server.device.trouble(text))
        fault = parse_fault(text)
        await server.set_fault(fault)
        if fault.kind == "none" and server.device.is_used:
            server.device.trouble("none")
        return server.troubled()

    def _mutations(self, order: Order) -> dict[str, list[str]]:
        return {name: list(commands) for name, commands in self._server(order).device.mutations().items()}

    def _drift(self, order: Order) -> list[dict[str, Any]]:
        """Types the commands of one mutation; stops at the first that fails."""
        device = self._server(order).device
        commands = device.mutations().get(order["name"])
        if commands is None:
            raise OrderError(f"{device.device.name} knows no drift {order['name']!r}; --list shows all")
        done: list[dict[str, Any]] = []
        for command in commands:
            answer = device.run("admin", command)
            done.append({"command": command, "output": answer.stdout + answer.stderr})
            if answer.exit_status:
                raise OrderError(f"{command!r} failed with {answer.exit_status}: {answer.stderr or answer.stdout}")
        return done

    def _clock(self, order: Order) -> dict[str, Any]:
        """Puts the clock forward, by nothing to see what it shows."""
        seconds = float(order.get("advance", 0))
        if seconds:
            self.clock.advance(seconds)
        return {"fired": self.tick(), "seconds": self.clock.seconds}

    def _load(self, order: Order) -> list[str]:
        self._server(order).device.load(order["files"])
        return sorted(order["files"])


async def _take_orders(lab: Lab, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        order = json.loads(await reader.readline())
        reply: dict[str, Any] = {"result": await lab.obey(order)}
    except (ValueError, LookupError, OSError) as error:
        reply = {"error": str(error)}
    writer.write(json.dumps(reply).encode() + b"\n")
    await writer.drain()
    writer.close()


async def serve(directory: LabDirectory) -> None:
    """Runs the lab until it is told to stop, or gets SIGTERM or SIGINT."""
    lab = Lab(directory)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lab.stopped.set)
    await lab.open()
    gc.freeze()
    control = await asyncio.start_unix_server(
        lambda reader, writer: _take_orders(lab, reader, writer),
        sock=_control_socket(directory),
        limit=LONGEST_ORDER_BYTES,
    )
    ticking = asyncio.create_task(lab.keep_time())
    async with control:
        await lab.stopped.wait()
    ticking.cancel()
    directory.socket_file.unlink(missing_ok=True)
    await lab.close()


def _control_socket(directory: LabDirectory) -> socket.socket:
    """Bound by a relative name: the path of a socket may have 107 bytes at most, that of a lab more."""
    os.chdir(directory.root)
    directory.socket_file.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    new = directory.socket_file.with_suffix(".new")
    new.unlink(missing_ok=True)
    listener.bind(new.name)
    new.chmod(PRIVATE_FILE)
    listener.listen()
    new.rename(directory.socket_file)  # who waits for the file may connect as soon as it is there
    return listener


def main() -> int:
    """Entry point of the process. One daemon per directory: the lock on the pid file says who lives."""
    os.umask(0o077)
    directory = LabDirectory(Path(sys.argv[1]).absolute())
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    with directory.pid_file.open("a+", encoding="utf-8") as pid_file:
        try:
            fcntl.flock(pid_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            logging.getLogger(__name__).critical("a daemon already serves %s", directory.root)
            return 1
        pid_file.seek(0)
        pid_file.truncate()
        pid_file.write(f"{os.getpid()}\n")
        pid_file.flush()
        asyncio.run(serve(directory))
        pid_file.truncate(0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
