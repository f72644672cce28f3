"""Lets sample-tests choose among the tests that pytest collected, and records what they took.

Written by `sample-tests run`; loaded with `-p overnight_sample`. The choice is made by the same
program as everywhere else: it gets the ids on stdin and answers with those to run.
"""

import json
import os
import statistics
import subprocess
import time

import pytest

with open(os.environ["OVERNIGHT_SAMPLE_SETTINGS"], encoding="utf-8") as file:
    SETTINGS = json.load(file)


def encoded(nodeid):
    return nodeid.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0")


class Sample:
    def __init__(self, config):
        self.worker = getattr(config, "workerinput", {}).get("workerid")
        self.workers = getattr(config.option, "numprocesses", None) or 0
        self.empty = False
        self.collected = None
        self.collecting = 0.0
        self.ready = None
        self.whole = {}
        self.tests = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if not SETTINGS["command"] or not items:
            return
        self.collected = len(items)
        answer = subprocess.run(
            SETTINGS["command"],
            input=b"\0".join(encoded(item.nodeid) for item in items),
            stdout=subprocess.PIPE,
            stderr=None if self.worker in (None, "gw0") else subprocess.DEVNULL,
            check=False,
        )
        if answer.returncode != 0:
            raise pytest.UsageError(f"sample-tests ended with {answer.returncode}")
        wanted = set(answer.stdout.split(b"\0"))
        chosen = [item for item in items if encoded(item.nodeid) in wanted]
        left_out = [item for item in items if encoded(item.nodeid) not in wanted]
        self.empty = not chosen
        items[:] = chosen
        if left_out:
            config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_collection(self):
        started = time.perf_counter()
        yield
        self.collecting = time.perf_counter() - started
        self.ready = int(time.time() * 1000)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        started = time.perf_counter()
        yield
        self.whole[item.nodeid] = time.perf_counter() - started

    def pytest_runtest_logreport(self, report):
        seconds, failed = self.tests.get(report.nodeid, (0.0, False))
        # A subtest has its test's id and a part of its time.
        part = 0.0 if hasattr(report, "context") else report.duration
        self.tests[report.nodeid] = (seconds + part, failed or report.failed)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        # A part of the ring may be empty: nothing to run is then as it should be.
        if self.empty and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        if self.worker is None:
            # What pytest itself spends on each test is saved with the test; as a median, because
            # the first and the last one also pay for the whole session.
            extra = [self.whole[name] - self.tests[name][0] for name in self.whole if name in self.tests]
            extra = max(0.0, statistics.median(extra)) if extra else 0.0
            tests = {name: (seconds + extra, failed) for name, (seconds, failed) in self.tests.items()}
            record = {
                "parallel": bool(self.workers),
                "collected": self.collected,
                "collecting": self.collecting,
                "ready": self.ready,
                "tests": tests,
            }
            with open(SETTINGS["record"], "w", encoding="utf-8", errors="backslashreplace") as file:
                json.dump(record, file)


def pytest_configure(config):
    config.pluginmanager.register(Sample(config), "overnight-sample")
