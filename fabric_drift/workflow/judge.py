"""One recording judged: which device is it, was it readable, and what isn't as intended."""

from __future__ import annotations

import logging
import re
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from fabric_drift.diff import count
from fabric_drift.errors import FabricDriftError, Unauthorised, Unparsed, Unreachable, Unsupported
from fabric_drift.finding import Finding, Severity, Verdict
from fabric_drift.platform import Output, Platform, Reading
from fabric_drift.result import DeviceResult, DeviceStatus
from fabric_drift.rules.facts import rule_for
from fabric_drift.state import UNSAID, Path
from fabric_drift.transport.recording import Recording
from fabric_drift.transport.text import one_line
from fabric_drift.workflow.causes import add_causes
from fabric_drift.workflow.expectations import MAY_BE_AWAY, Device, Expectations
from fabric_drift.workflow.findings import Judgement, compare, order
from fabric_drift.workflow.identity import (
    observed,
    release_allowed,
    without_checked,
)
from fabric_drift.workflow.neighbours import Peers, Question, translated
from fabric_drift.workflow.target import WrongDevice, identified
from fabric_drift.workflow.waivers import Waiver, apply

STATUS_OF: tuple[tuple[type[FabricDriftError], DeviceStatus], ...] = (
    (Unreachable, DeviceStatus.UNREACHABLE),
    (Unauthorised, DeviceStatus.UNAUTHORISED),
    (Unsupported, DeviceStatus.UNSUPPORTED),
    (Unparsed, DeviceStatus.UNPARSED),
)
REFUSAL = re.compile(r"(?i)\bsudo:|not allowed|permission denied|not permitted|authori[sz]ation|access denied")
logger = logging.getLogger(__name__)
WRONG_RELEASE_RULE = "FD-ID-002"


@dataclass(slots=True)
class Judge:
    """What every device of a run is judged by, and what the devices judged so far call their ports."""

    expectations: Expectations
    waivers: Sequence[Waiver] = ()
    today: date = date.min
    peers: Peers = field(init=False)
    asked: dict[str, Mapping[Path, Question]] = field(default_factory=dict, init=False)
    """By device: ports of neighbours that only the neighbours themselves can name."""

    def __post_init__(self) -> None:
        self.peers = Peers(self.expectations.expect, frozenset(self.expectations.devices))

    def judge(self, recording: Recording, platform: Platform) -> DeviceResult:
        """The result of one device. A fault of ours in it is a value too: the fleet goes on."""
        device = self.expectations.devices[recording.device]
        try:
            return self._judge(device, recording, platform)
        except FabricDriftError as failure:
            return self._failed(device, failure, recording.outputs)
        except Exception as error:  # noqa: BLE001  a platform is foreign code; one device must not stop the others
            return self._broken(device, error)

    def _judge(self, device: Device, recording: Recording, platform: Platform) -> DeviceResult:
        if recording.failure is not None:
            raise recording.failure
        refuse_silence(device.name, recording.outputs)
        expected = self.expectations.expect(device.name)
        reading = platform.parse(recording.outputs)
        target = identified(device, expected, reading, platform)
        local = platform.localise(without_checked(expected), target)
        judgement = Judgement(device.name, lambda path: self.expectations.sources(device.name, path))
        self._release(judgement, device, target.release, reading)
        self.peers.learn(device.name, reading.aliases)
        reading, self.asked[device.name] = translated(local, reading, self.peers)
        compare(judgement, local, reading, self._may_be_away)
        add_causes(judgement, local, reading)
        return self._result(device, judgement, reading, target.release, recording.outputs)

    def _release(self, judgement: Judgement, device: Device, release: str, reading: Reading) -> None:
        if not device.releases or release_allowed(release, device.releases):
            judgement.facts[Verdict.MATCH] += 1
            return
        layer, _ = observed(reading, "release")
        path = ("identity", "release")
        judgement.add(
            Verdict.DRIFT,
            path,
            layer,
            expected=device.releases,
            actual=release,
            rule=WRONG_RELEASE_RULE,
            severity=Severity.HIGH,
            message="The release isn't one that the intent allows",
            evidence=reading.evidence(layer, path) if layer else (),
        )

    def _may_be_away(self, neighbour: str) -> bool:
        other = self.expectations.devices.get(neighbour)
        return other is not None and other.lifecycle in MAY_BE_AWAY

    def _result(
        self, device: Device, judgement: Judgement, reading: Reading, release: str, outputs: Mapping[str, Output]
    ) -> DeviceResult:
        findings = apply(sorted(judgement.findings, key=order), self.waivers, self.today)
        waived = sum(finding.verdict is Verdict.WAIVED for finding in findings)
        facts = Counter(judgement.facts)
        facts[Verdict.WAIVED] += waived
        facts[Verdict.DRIFT] -= waived
        unseen = facts[Verdict.UNOBSERVED] + facts[Verdict.ERROR]
        return DeviceResult(
            name=device.name,
            platform=device.platform,
            status=DeviceStatus.INCOMPLETE if unseen else DeviceStatus.CHECKED,
            lifecycle=device.lifecycle,
            release=release,
            findings=findings,
            facts={verdict: facts[verdict] for verdict in Verdict},
            notes=tuple(sorted(reading.notes)),
            refused=refused(outputs),
        )

    def settled(self, result: DeviceResult) -> DeviceResult:
        """The result with ports of neighbours by the names that the neighbours gave them: ask when all were judged."""
        asked = self.asked.get(result.name)
        if not asked:
            return result
        findings: list[Finding] = []
        facts = Counter(result.facts)
        for finding in result.findings:
            known = self._known(finding, asked)
            facts[finding.verdict] -= 1
            facts[known.verdict] += 1
            findings += [known] * (known.verdict is not Verdict.MATCH)
        unseen = facts[Verdict.UNOBSERVED] + facts[Verdict.ERROR]
        return replace(
            result,
            status=DeviceStatus.INCOMPLETE if unseen else DeviceStatus.CHECKED,
            findings=tuple(sorted(findings, key=order)),
            facts={verdict: facts[verdict] for verdict in Verdict},
        )

    def _known(self, finding: Finding, asked: Mapping[Path, Question]) -> Finding:
        question = asked.get(finding.path)
        port = self.peers.observed(question.peer, question.text) if question else None
        if port is None:
            return finding
        if port == finding.expected:
            return replace(finding, verdict=Verdict.MATCH, actual=port)
        drift = replace(finding, verdict=Verdict.DRIFT, actual=port, message=rule_for(finding.path).title)
        return apply((drift,), self.waivers, self.today)[0]

    def _failed(self, device: Device, failure: FabricDriftError, outputs: Mapping[str, Output]) -> DeviceResult:
        """Nothing was compared: every expected fact is an error, or nothing at all where it may be away."""
        status = DeviceStatus.WRONG_DEVICE
        if not isinstance(failure, WrongDevice):
            status = next(status for kind, status in STATUS_OF if isinstance(failure, kind))
        if status is DeviceStatus.UNREACHABLE and device.lifecycle in MAY_BE_AWAY:
            return self.away(device, failure.text())
        finding = Finding(
            device.name,
            ("identity", "hostname") if status is DeviceStatus.WRONG_DEVICE else (),
            None,
            Verdict.ERROR,
            expected=UNSAID,
            actual=UNSAID,
            rule=failure.code,
            severity=rule_for(("identity",)).severity if status is DeviceStatus.WRONG_DEVICE else Severity.HIGH,
            message=failure.problem,
        )
        return DeviceResult(
            name=device.name,
            platform=device.platform,
            status=status,
            lifecycle=device.lifecycle,
            problem=failure.text(),
            findings=(finding,),
            facts=self._all_errors(device.name),
            refused=refused(outputs),
        )

    def away(self, device: Device, problem: str = "") -> DeviceResult:
        """The result of a device that the intent lets be away."""
        return DeviceResult(
            device.name, device.platform, DeviceStatus.EXPECTED_DOWN, lifecycle=device.lifecycle, problem=problem
        )

    def _all_errors(self, name: str) -> dict[Verdict, int]:
        facts = dict.fromkeys(Verdict, 0)
        facts[Verdict.ERROR] = max(1, count(self.expectations.expect(name)))
        return facts

    def _broken(self, device: Device, error: Exception) -> DeviceResult:
        logger.debug("%s: internal error", device.name, exc_info=error)
        place = traceback.extract_tb(error.__traceback__)[-1]
        name = place.filename.rpartition("fabric_drift/")[2]
        return DeviceResult(
            name=device.name,
            platform=device.platform,
            status=DeviceStatus.INTERNAL_ERROR,
            lifecycle=device.lifecycle,
            problem=(
                f"{device.name}: a fault of fabric-drift: {type(error).__name__} in {name}:{place.lineno}. "
                "Report it with the capture of the device. [FD-BUG-001]"
            ),
            facts={**dict.fromkeys(Verdict, 0), Verdict.ERROR: 1},
        )


def refuse_silence(device: str, outputs: Mapping[str, Output]) -> None:
    """Raises when not one command was answered whole: there is nothing to judge."""
    if any(output.whole for output in outputs.values()):
        return
    told = refused(outputs)
    first = told[0] if told else "no command was asked"
    if outputs and all(output.exit_status is None and not output.stdout for output in outputs.values()):
        raise Unreachable(f"no command was answered: {first}", where=device, remedy=_SLOW, code="FD-COL-003")
    if any(REFUSAL.search(output.stderr + output.stdout[:1000]) for output in outputs.values()):
        raise Unauthorised(f"every command was refused: {first}", where=device, remedy=_ACCOUNT, code="FD-COL-004")
    raise Unparsed(f"no answer can be used: {first}", where=device, remedy=_ACCOUNT, code="FD-COL-005")


_SLOW = "Look at the load of the device, or raise --command-timeout"
_ACCOUNT = "Give the account what `fabric-drift commands` lists"


def refused(outputs: Mapping[str, Output]) -> tuple[str, ...]:
    """``command: reason`` of every command without a whole answer."""
    return tuple(f"{text}: {_reason(output)}" for text, output in sorted(outputs.items()) if not output.whole)


def _reason(output: Output) -> str:
    if output.error:
        return output.error
    lines = [line for line in (output.stderr or output.stdout[:1000]).splitlines() if line.strip()]
    words = one_line(lines[0]) if lines else ""
    return f"exit status {output.exit_status}{': ' if words else ''}{words}"
