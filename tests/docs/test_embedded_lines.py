"""docs/embedded.md lists what the embedded API does not do, or does otherwise; here every line is held to a test that shows it."""

import ast
import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (?!---)([^|\s].*?) \| .+ \|$", re.MULTILINE)
_NOT_DONE, _PURPOSE, _ANSWERS, _KINDS = "not_done", "differs_on_purpose", "differs_in_answers", "differs_in_kinds"

#: The beginning of a line, and the file and the name of its test.
_SHOWN = {
    "server-side apply": (_NOT_DONE, "test_server_side_apply_is_refused"),
    "rules in CEL": (_NOT_DONE, "test_rules_in_cel_are_not_enforced_and_their_writer_is_told"),
    "conversion webhooks": (_NOT_DONE, "test_what_a_definition_can_not_have_is_refused"),
    "admission webhooks": (_NOT_DONE, "test_nobody_can_be_asked_for_leave"),
    "Pods, Services": (_NOT_DONE, "test_nothing_runs_here"),
    "the ServiceAccount `default`": (_NOT_DONE, "test_a_namespace_is_made_empty"),
    "access reviews": (_NOT_DONE, "test_rights_and_tokens_are_not_to_be_had"),
    "client certificates": (_NOT_DONE, "test_the_token_is_the_only_key"),
    "protobuf answers": (_NOT_DONE, "test_json_alone_is_sent"),
    "`/metrics`": (_NOT_DONE, "test_nothing_is_told_of_its_inside"),
    "a malformed request": (_PURPOSE, "test_a_request_that_kubernetes_trips_over_is_refused"),
    "a resourceVersion that is no number": (_ANSWERS, "test_a_revision_that_is_no_number_is_the_clients_mistake"),
    "a write that changes nothing": (_PURPOSE, "test_a_write_that_changes_nothing_is_no_revision_whoever_makes_it"),
    "a cause that two checks find": (_PURPOSE, "test_a_cause_is_told_once"),
    "causes of one refusal": (_KINDS, "test_causes_come_in_one_order"),
    "warnings of one answer": (_KINDS, "test_warnings_are_sorted"),
    "a strategic patch": (_PURPOSE, "test_what_one_patch_takes_away_and_brings_is_taken_away"),
    "bytes (": (_KINDS, "test_no_bytes_are_no_bytes"),
    "a whole number with a point": (_KINDS, "test_a_number_is_the_same_however_it_is_written"),
    "a dry run of a delete": (_KINDS, "test_a_rehearsed_end_is_told_as_the_end"),
    "an object that owns itself": (_PURPOSE, "test_who_owns_itself_does_not_wait_for_itself"),
    "deletecollection": (_ANSWERS, "test_deletecollection_takes_all_that_is_selected"),
    "a watch from a revision": (_ANSWERS, "test_a_watch_from_the_future_begins_again"),
    "a bookmark of a Lease": (_KINDS, "test_a_bookmark_is_metadata_alone"),
    "a token of a list": (_ANSWERS, "test_an_expired_token_says_only_that_it_has_expired"),
    "a list, asked for": (_ANSWERS, "test_metadata_of_a_list_is_given_however_it_is_called"),
    "a definition that is created": (_ANSWERS, "test_a_definition_is_established_in_the_answer"),
    "the status of a definition": (_KINDS, "test_the_status_of_a_definition_stays_true"),
    "a definition that is deleted": (_KINDS, "test_a_definition_that_goes_says_at_once_what_happens"),
    "a definition in a group": (_KINDS, "test_a_group_of_kubernetes_is_not_spoken_of_in_conditions"),
    "`spec.finalizers`": (_KINDS, "test_a_namespace_has_one_finalizer_of_its_own"),
    "Nodes, ServiceAccounts and Events": (_KINDS, "test_some_kinds_are_kept_as_they_were_written"),
    "a finalizer without a domain": (_KINDS, "test_what_a_namespace_says_of_its_end_is_not_judged"),
    "ranges, quantities": (_KINDS, "test_some_values_are_not_judged"),
    "a PUT that makes a Lease": (_PURPOSE, "test_a_lease_that_is_made_by_a_put_is_alive"),
    "a path of no group": (_ANSWERS, "test_a_path_of_no_group_is_refused_by_a_status"),
    "another verb": (_KINDS, "test_what_can_only_be_read_is_not_found_otherwise"),
    "tables of `v1beta1`": (_ANSWERS, "test_answers_are_json_alone"),
    "aliases in YAML": (_ANSWERS, "test_yaml_has_no_aliases"),
    "`fieldManager`": (_ANSWERS, "test_parameters_without_meaning_are_ignored"),
}


def _tests_in(file: str) -> set[str]:
    tree = ast.parse((_ROOT / "tests" / "embedded" / f"test_{file}.py").read_text())
    return {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and node.name.startswith("test_")}


def test_every_line_is_shown() -> None:
    """A difference that nobody looks at comes and goes, and the list is not true any more."""
    lines = _ROW.findall((_ROOT / "docs" / "embedded.md").read_text())
    assert len(lines) > 30
    assert [line for line in lines if sum(line.startswith(beginning) for beginning in _SHOWN) != 1] == []


def test_every_test_is_there_and_listed() -> None:
    """A test that was renamed shows nothing, and a difference that is shown but not listed surprises whoever meets it."""
    for file in {file for file, _ in _SHOWN.values()}:
        assert {name for of, name in _SHOWN.values() if of == file} == _tests_in(file)
