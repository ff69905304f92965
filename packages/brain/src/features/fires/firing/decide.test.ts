import { describe, expect, test } from "vitest";
import { after, fireRequest, slot } from "../../../../test/fixtures/schedules/fires.ts";
import { ownScheduleRow } from "../../../../test/rows/fire-rows.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import type { AdvanceRequest, FireRequest } from "../requests.ts";
import { decideAdvance, decideFire, type FireFacts } from "./decide.ts";

const project_id = "11111111-2222-4333-8444-555555555555";
const schedule = ownScheduleRow({ project_id, next_run_at: slot });
const facts = (given: Partial<ScheduleRow> = {}, more: Partial<FireFacts> = {}): FireFacts => ({
  known: undefined,
  schedule: { row: { ...schedule, ...given }, isProjectActive: true },
  isOpen: false,
  ...more,
});
const known = { scheduleId: schedule.id, scheduledFor: slot, commandId: "c", isBuffered: false };

describe("a slot that a scheduler offers", () => {
  const decide = (given: FireFacts, request: Partial<FireRequest> = {}) =>
    decideFire(fireRequest(schedule, request), given);
  const dispositionOf = (given: FireFacts, request: Partial<FireRequest> = {}) => {
    const verdict = decide(given, request);
    return verdict.kind === "refused" ? verdict.disposition : verdict.kind;
  };

  test("is accepted with its successor", () => {
    expect(decide(facts())).toEqual({ kind: "accepted", row: schedule, next: after(60) });
  });

  test("has the stored answer when its fire is known, whatever has changed since", () => {
    const changed = facts({ control_token: "other", next_run_at: null }, { known });
    expect(decide(changed, { cadenceFingerprint: "other" })).toEqual({ kind: "stored", fire: known });
    expect(dispositionOf({ ...changed, schedule: undefined })).toBe("stored");
  });

  test.each([
    ["schedule", { ...known, scheduleId: "another" }],
    ["slot", { ...known, scheduledFor: after(1) }],
  ])("is invalid when its fire is known for another %s", (_of, other) => {
    expect(dispositionOf(facts({}, { known: other }))).toBe("invalid");
  });

  test("is refused by the first condition that applies", () => {
    const stale = { control_token: "other" };
    const quarantined = { quarantined_at: slot };
    const resolved = { next_run_at: after(60) };
    expect(dispositionOf(facts(stale), { cadenceFingerprint: "other" })).toBe("CADENCE_MISMATCH");
    expect(dispositionOf(facts({ ...stale, ...quarantined }))).toBe("STALE_CONTROL");
    expect(dispositionOf(facts({ ...quarantined, ...resolved }))).toBe("QUARANTINED");
    expect(dispositionOf(facts(resolved), { preparedNextRunAt: null })).toBe("SLOT_RESOLVED");
    const open = facts({ overlap_policy: "skip" }, { isOpen: true });
    expect(dispositionOf(open, { preparedNextRunAt: null })).toBe("CADENCE_MISMATCH");
    expect(dispositionOf(open)).toBe("skipped");
  });

  test.each<[string, Partial<ScheduleRow>, Partial<FireRequest>]>([
    ["disabled", { is_enabled: false }, {}],
    ["paused", { paused_at: slot }, {}],
    ["changed in its control", {}, { controlToken: "other" }],
    ["changed in its definition", {}, { definitionDigest: "other" }],
    ["changed in its revision", {}, { revision: 2 }],
  ])("is stale when the schedule is %s, and the current row is returned", (_what, row, request) => {
    const given = facts(row);
    expect(decide(given, request)).toEqual({
      kind: "refused",
      disposition: "STALE_CONTROL",
      live: given.schedule?.row,
    });
  });

  test.each<[string, FireFacts]>([
    ["is missing", facts({}, { schedule: undefined })],
    ["is in an archived project", facts({}, { schedule: { row: schedule, isProjectActive: false } })],
    ["belongs to another scheduler", facts({ scheduler: "bullmq" })],
  ])("is stale without a current row when the schedule %s", (_what, given) => {
    expect(decide(given)).toEqual({ kind: "refused", disposition: "STALE_CONTROL", live: null });
  });

  test.each<[string, Partial<FireRequest>]>([
    ["the scheduler expects another slot", { expectedNextRunAt: after(60) }],
    ["the scheduler expects none", { expectedNextRunAt: null }],
    ["it is not the next slot", { scheduledFor: after(60), expectedNextRunAt: slot }],
  ])("is resolved when %s", (_what, request) => {
    expect(dispositionOf(facts(), request)).toBe("SLOT_RESOLVED");
  });

  test("is resolved when no slot is stored", () => {
    expect(dispositionOf(facts({ next_run_at: null }))).toBe("SLOT_RESOLVED");
    expect(dispositionOf(facts({ next_run_at: null }), { expectedNextRunAt: null })).toBe("SLOT_RESOLVED");
  });

  test("does not match a cadence with another successor", () => {
    expect(dispositionOf(facts(), { preparedNextRunAt: after(61) })).toBe("CADENCE_MISMATCH");
    const once = facts({ kind: "clocked", expression: slot.toISOString() });
    expect(dispositionOf(once)).toBe("CADENCE_MISMATCH");
    expect(decide(once, { preparedNextRunAt: null })).toMatchObject({ kind: "accepted", next: null });
  });

  test("is skipped while an earlier fire is open only if the schedule says so", () => {
    const open = { isOpen: true };
    expect(dispositionOf(facts({ overlap_policy: "allow" }, open))).toBe("accepted");
    expect(decide(facts({ overlap_policy: "skip" }, open))).toMatchObject({ kind: "skipped", next: after(60) });
    expect(dispositionOf(facts({ overlap_policy: "skip" }))).toBe("accepted");
  });
});

describe("slots that a scheduler skips", () => {
  const request = (given: Partial<AdvanceRequest>): AdvanceRequest => ({
    ...fireRequest(schedule),
    skippedThrough: after(120),
    skippedCount: 3,
    preparedNextRunAt: after(180),
    ...given,
  });
  const decide = (row: Partial<ScheduleRow>, given: Partial<AdvanceRequest> = {}) =>
    decideAdvance(request(given), facts(row).schedule);

  test("move the cursor behind the last of them", () => {
    expect(decide({})).toEqual({ kind: "applied", row: schedule, next: after(180) });
  });

  test.each<[string, string, Partial<ScheduleRow>, Partial<AdvanceRequest>]>([
    ["rules differ", "ADVANCE_CADENCE_MISMATCH", { control_token: "other" }, { cadenceFingerprint: "other" }],
    ["the control has changed", "ADVANCE_STALE_CONTROL", { control_token: "other" }, {}],
    ["the schedule is quarantined", "ADVANCE_STALE_CONTROL", { quarantined_at: slot }, {}],
    ["the cursor is already there", "ADVANCE_IDEMPOTENT", { next_run_at: after(180) }, {}],
    ["the cursor is elsewhere", "ADVANCE_SLOT_RESOLVED", { next_run_at: after(60) }, {}],
    [
      "the cursor would move back",
      "ADVANCE_SLOT_RESOLVED",
      {},
      { skippedThrough: after(-60), preparedNextRunAt: after(1) },
    ],
    ["no slot is stored", "ADVANCE_SLOT_RESOLVED", { next_run_at: null }, { expectedNextRunAt: null }],
    ["the successor differs", "ADVANCE_CADENCE_MISMATCH", {}, { preparedNextRunAt: after(181) }],
    [
      "an interval would shift",
      "ADVANCE_CADENCE_MISMATCH",
      {},
      { skippedThrough: after(121), preparedNextRunAt: after(181) },
    ],
  ])("are answered when %s with %s", (_what, disposition, row, given) => {
    expect(decide(row, given)).toMatchObject({ disposition });
  });

  test("are stale when the schedule is missing", () => {
    expect(decideAdvance(request({}), undefined)).toMatchObject({ disposition: "ADVANCE_STALE_CONTROL", live: null });
  });

  test("are at most 10,000", () => {
    expect(decide({}, { skippedCount: 10_000 }).kind).toBe("applied");
    expect(decide({}, { skippedCount: 10_001 }).kind).toBe("invalid");
  });
});
