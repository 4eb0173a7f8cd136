"""What becomes of a device: only what was seen and compared may count as a match."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from fabric_drift.errors import Unauthorised, Unreachable
from fabric_drift.finding import Evidence, Finding, Layer, Severity, Source, Verdict
from fabric_drift.platform import Output, Reading
from fabric_drift.result import DeviceResult, DeviceStatus
from fabric_drift.state import ABSENT, UNSAID, DeviceState, Path, Port, Unobserved
from fabric_drift.transport import Recording
from fabric_drift.workflow.judge import Judge
from tests.workflow.toy import IDENTITY, PORTS, RUNNING, SAVED, Toy, ToyDevice, answers, changed, expectations

FACTS_PER_LAYER = 2 * 5  # trust, PFC priorities, MTU and two DSCPs, on two ports


def judged(
    outputs: Mapping[str, Output] | None = None, *, device: ToyDevice | None = None, **options: Any
) -> DeviceResult:
    device = device or ToyDevice("leaf1")
    failure = options.pop("failure", None)
    recording = Recording(device.name, "toy", outputs if outputs is not None else answers(), failure)
    wanted = expectations(device, *options.pop("others", ()), ports=options.pop("ports", PORTS))
    return Judge(wanted, today=date(2026, 11, 29)).judge(recording, options.pop("platform", Toy()))


def only(result: DeviceResult) -> Finding:
    assert len(result.findings) == 1
    return result.findings[0]


def test_a_device_as_intended_is_checked_without_findings() -> None:
    result = judged()
    assert (result.status, result.findings) == (DeviceStatus.CHECKED, ())
    assert result.facts[Verdict.MATCH] == 2 * FACTS_PER_LAYER + 1  # both layers, and the release


def test_a_changed_fact_is_one_finding_with_evidence_and_source() -> None:
    finding = only(judged(answers(running=changed(pfc=[]))))
    assert finding.path == ("ports", "Ethernet0", "qos", "pfc", "priorities")
    assert (finding.layer, finding.verdict) == (Layer.RUNNING, Verdict.DRIFT)
    assert (finding.expected, finding.actual) == ((3,), ())
    assert finding.severity is Severity.CRITICAL
    assert finding.evidence == (Evidence("show running", ("ports/Ethernet0/qos/pfc/priorities/3",), 1),)
    assert finding.sources == (Source("intent/toy/fabric.yml", 6),)


def test_where_members_have_no_evidence_of_their_own_the_whole_fact_is_shown() -> None:
    class Coarse(Toy):
        def _evidence(self, layer: Layer, path: Path) -> tuple[Evidence, ...]:
            return () if path[-1].isdecimal() else super()._evidence(layer, path)

    finding = only(judged(answers(running=changed(pfc=[])), platform=Coarse()))
    assert finding.evidence == (Evidence("show running", ("ports/Ethernet0/qos/pfc/priorities",), 1),)


def test_evidence_is_cut_to_what_a_person_reads() -> None:
    class Wordy(Toy):
        def _evidence(self, layer: Layer, path: Path) -> tuple[Evidence, ...]:
            return (Evidence("show", ("x" * 50_000,) * 20, 1),)

    (evidence,) = only(judged(answers(running=changed(pfc=[])), platform=Wordy())).evidence
    assert len(evidence.lines) == 9
    assert evidence.lines[0] == "x" * 400 + "..."
    assert evidence.lines[-1] == "... and 12 more lines"


def test_an_extra_dscp_entry_is_drift() -> None:
    finding = only(judged(answers(running=changed(dscp={"26": 3, "0": 0, "34": 3}))))
    assert (finding.path[-1], finding.expected, finding.actual) == ("34", ABSENT, 3)


def test_another_hostname_is_an_error_for_everything_and_no_match() -> None:
    result = judged(answers(hostname="leaf9"))
    assert result.status is DeviceStatus.WRONG_DEVICE
    assert only(result).verdict is Verdict.ERROR
    assert result.facts[Verdict.ERROR] == FACTS_PER_LAYER
    assert result.facts[Verdict.MATCH] == 0
    assert result.problem.startswith("leaf1: 'leaf9' answered instead of 'leaf1', so nothing was compared.")


@pytest.mark.parametrize("hostname", ["LEAF1", "leaf1.example.com", "leaf1."])
def test_case_and_domain_of_a_hostname_do_not_matter(hostname: str) -> None:
    assert judged(answers(hostname=hostname)).status is DeviceStatus.CHECKED


def test_a_release_that_the_intent_does_not_allow_is_drift() -> None:
    finding = only(judged(answers(release="1.3.1")))
    assert (finding.path, finding.rule) == (("identity", "release"), "FD-ID-002")
    assert (finding.expected, finding.actual) == (("1.2",), "1.3.1")


def test_a_release_that_the_platform_does_not_know_is_unsupported_and_no_match() -> None:
    result = judged(answers(release="9.9"))
    assert (result.status, result.facts[Verdict.MATCH]) == (DeviceStatus.UNSUPPORTED, 0)


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (Unreachable("no answer", where="leaf1"), DeviceStatus.UNREACHABLE),
        (Unauthorised("no login", where="leaf1"), DeviceStatus.UNAUTHORISED),
    ],
)
def test_a_failed_login_is_an_error_for_everything(failure: Any, status: DeviceStatus) -> None:
    result = judged({}, failure=failure)
    assert (result.status, only(result).verdict) == (status, Verdict.ERROR)
    assert result.facts[Verdict.ERROR] == FACTS_PER_LAYER


@pytest.mark.parametrize("lifecycle", ["drained", "maintenance"])
def test_a_device_that_may_be_away_is_counted_apart(lifecycle: str) -> None:
    result = judged({}, device=ToyDevice("leaf1", lifecycle=lifecycle), failure=Unreachable("no answer"))
    assert (result.status, result.findings) == (DeviceStatus.EXPECTED_DOWN, ())


def test_a_drained_device_that_answers_is_checked() -> None:
    device = ToyDevice("leaf1", lifecycle="drained")
    assert only(judged(answers(running=changed(pfc=[])), device=device)).verdict is Verdict.DRIFT


def test_a_layer_that_was_refused_is_unobserved_and_no_match() -> None:
    outputs = answers()
    outputs[SAVED.text] = Output(stderr="sudo: a password is required\n", exit_status=1)
    result = judged(outputs)
    assert (result.status, only(result).verdict) == (DeviceStatus.INCOMPLETE, Verdict.UNOBSERVED)
    assert only(result).actual == Unobserved("sudo: a password is required")
    assert result.facts[Verdict.UNOBSERVED] == FACTS_PER_LAYER
    assert result.facts[Verdict.MATCH] == FACTS_PER_LAYER + 1
    assert result.refused == ("show saved: exit status 1: sudo: a password is required",)


def test_a_line_that_nobody_understood_takes_back_what_matched_below_it() -> None:
    result = judged(answers(junk={"ports/Ethernet0/qos/maps": "dscp 99 to tc 1"}))
    finding = only(result)
    assert (finding.verdict, finding.severity) == (Verdict.UNOBSERVED, Severity.HIGH)
    assert finding.evidence == (Evidence("show running", ("dscp 99 to tc 1",), 1),)
    assert result.facts[Verdict.MATCH] == 2 * FACTS_PER_LAYER + 1 - 2  # the two DSCPs of Ethernet0
    assert result.facts[Verdict.UNOBSERVED] == 1 + 2
    assert result.status is DeviceStatus.INCOMPLETE


def test_a_line_of_unknown_place_takes_back_the_whole_layer_once() -> None:
    result = judged(answers(junk={"": "???", "ports/Ethernet0": "!!!"}))
    assert result.facts[Verdict.MATCH] == FACTS_PER_LAYER + 1
    assert result.facts[Verdict.UNOBSERVED] == 2 + FACTS_PER_LAYER


def test_drift_below_a_line_that_nobody_understood_stays_drift() -> None:
    result = judged(answers(junk={"ports/Ethernet0": "!!!"}, running=changed(pfc=[])))
    assert sorted(finding.verdict.value for finding in result.findings) == ["drift", "unobserved"]


def test_a_line_about_a_foreign_port_is_information() -> None:
    assert only(judged(answers(junk={"ports/Ethernet99/qos": "!!!"}))).verdict is Verdict.INFORMATION


def test_a_foreign_port_is_information_with_an_outline() -> None:
    result = judged(answers(running={**PORTS, "Ethernet99": {"trust": "pcp", "mtu": 1500, "pfc": []}}))
    finding = only(result)
    assert (finding.verdict, finding.path) == (Verdict.INFORMATION, ("ports", "Ethernet99"))
    assert finding.actual == "mtu 1500, trust pcp, pfc none"
    assert result.status is DeviceStatus.CHECKED


def test_a_foreign_port_is_outlined_as_it_runs_and_not_as_it_is_saved() -> None:
    foreign = {"trust": "pcp", "mtu": 1500, "pfc": []}
    result = judged(
        answers(running={**PORTS, "Ethernet99": {**foreign, "mtu": 4000}}, saved={**PORTS, "Ethernet99": foreign})
    )
    assert (only(result).layer, only(result).actual) == (Layer.RUNNING, "mtu 4000, trust pcp, pfc none")


def test_a_fact_that_no_layer_carries_is_unobserved() -> None:
    silent = {name: {key: value for key, value in spec.items() if key != "mtu"} for name, spec in PORTS.items()}
    result = judged(answers(running=silent, saved=silent))
    assert [finding.path for finding in result.findings] == [
        ("ports", "Ethernet0", "mtu_bytes"),
        ("ports", "Ethernet8", "mtu_bytes"),
    ]
    assert {finding.verdict for finding in result.findings} == {Verdict.UNOBSERVED}


def test_nobody_on_a_link_to_a_spare_device_is_no_drift() -> None:
    class Alone(Toy):
        """Its only port has nobody at the other end."""

        def parse(self, outputs: Mapping[str, Output]) -> Reading:
            state = DeviceState(identity=self._identity(outputs), ports={"Ethernet0": Port(neighbour=ABSENT)})
            return Reading({Layer.RUNNING: state})

    def result(*others: ToyDevice) -> DeviceResult:
        return judged(ports={"Ethernet0": {"neighbour": "gpu9"}}, others=others, platform=Alone())

    spare = ToyDevice("gpu9", lifecycle="spare")
    assert result(spare).findings == ()
    assert {finding.verdict for finding in result(ToyDevice("gpu9")).findings} == {Verdict.DRIFT}


@pytest.mark.parametrize(
    ("outputs", "status"),
    [
        ({RUNNING.text: Output(exit_status=None, error="no whole answer within 5 s")}, DeviceStatus.UNREACHABLE),
        ({RUNNING.text: Output(stderr="sudo: a password is required", exit_status=1)}, DeviceStatus.UNAUTHORISED),
        ({RUNNING.text: Output("% Invalid input", exit_status=1)}, DeviceStatus.UNPARSED),
        ({RUNNING.text: Output("x", error="the answer isn't UTF-8 at byte 0")}, DeviceStatus.UNPARSED),
        ({}, DeviceStatus.UNPARSED),
        ({RUNNING.text: answers()[RUNNING.text]}, DeviceStatus.UNPARSED),  # it doesn't say its name
        ({IDENTITY.text: Output('{"hostname": "leaf1", "rel')}, DeviceStatus.UNPARSED),  # truncated
    ],
)
def test_answers_that_say_too_little_never_match(outputs: dict[str, Output], status: DeviceStatus) -> None:
    result = judged(outputs)
    assert (result.status, result.facts[Verdict.MATCH]) == (status, 0)
    assert only(result).verdict is Verdict.ERROR


def test_what_the_platform_can_not_express_is_unsupported() -> None:
    class Narrow(Toy):
        def localise(self, expected: Any, target: Any) -> Any:
            return super().localise(expected, type(target)(target.device, target.release, "impossible"))

    assert judged(platform=Narrow()).status is DeviceStatus.UNSUPPORTED


def test_a_fault_of_ours_is_a_value_of_that_device() -> None:
    class Broken(Toy):
        def parse(self, outputs: Mapping[str, Output]) -> Any:
            raise KeyError("surprise")

    result = judged(platform=Broken())
    assert (result.status, result.facts[Verdict.ERROR]) == (DeviceStatus.INTERNAL_ERROR, 1)
    assert "KeyError" in result.problem


def test_expected_facts_of_an_unmentioned_port_are_drift_not_silence() -> None:
    finding = only(judged(answers(running={"Ethernet8": PORTS["Ethernet8"]})))
    assert (finding.path, finding.actual, finding.layer) == (("ports", "Ethernet0"), ABSENT, Layer.RUNNING)
    assert finding.expected is not UNSAID
