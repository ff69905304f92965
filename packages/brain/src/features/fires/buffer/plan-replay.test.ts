import { describe, expect, test } from "vitest";
import { after, slot } from "../../../../test/fixtures/schedules/fires.ts";
import { ownScheduleRow } from "../../../../test/rows/fire-rows.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { planReplay } from "./plan-replay.ts";

const schedule = ownScheduleRow({ project_id: "11111111-2222-4333-8444-555555555555", definition_digest: "now" });
const day = 86_400;
/** A fire that waits since its slot, which is this many seconds ago. */
const waiting = (ago: number, definition_digest = "now") => ({
  fire_id: `${ago}`,
  definition_digest,
  scheduled_for: after(-ago),
  expires_at: after(7 * day - ago),
});
const plan = (
  fires: ReturnType<typeof waiting>[],
  given: Partial<ScheduleRow> | undefined = {},
  newest = after(-30),
) => {
  const row = given === undefined ? undefined : { ...schedule, ...given };
  const { deliver, drop } = planReplay(fires, { schedule: row, newest, now: slot, since: slot });
  const idsOf = (of: readonly { fire_id: string }[]) => of.map(({ fire_id }) => fire_id);
  return {
    deliver: idsOf(deliver),
    ...Object.fromEntries(drop.map(({ move, code, fires: of }) => [`${move} ${code}`, idsOf(of)])),
  };
};
const three = [waiting(90), waiting(60), waiting(30)];

describe("fires that wait for an agent", () => {
  test.each([
    ["fire_all_missed", { deliver: ["90", "60", "30"] }],
    ["fire_one_missed", { deliver: ["30"], "buffer_expire superseded": ["90", "60"] }],
    ["skip", { deliver: ["60", "30"], "buffer_expire superseded": ["90"] }],
  ])("are delivered as %s says", (catch_up, expected) => {
    expect(plan(three, { catch_up })).toEqual(expected);
  });

  test("are all superseded when the newest one is not among them", () => {
    expect(plan(three, { catch_up: "fire_one_missed" }, after(-10))).toEqual({
      deliver: [],
      "buffer_expire superseded": ["90", "60", "30"],
    });
  });

  test("expire at the end of their time, whatever else holds", () => {
    const fires = [waiting(7 * day), waiting(7 * day - 1)];
    expect(plan(fires, { catch_up: "fire_all_missed" })).toEqual({
      deliver: [`${7 * day - 1}`],
      "buffer_expire expired": [`${7 * day}`],
    });
    expect(plan([waiting(7 * day, "before")])).toEqual({ deliver: [], "buffer_expire expired": [`${7 * day}`] });
  });

  test("are dropped when the definition has changed since, or the schedule is disabled or deleted", () => {
    const all = ["90", "60", "30"];
    expect(plan([waiting(90, "before"), waiting(30)])).toEqual({
      deliver: ["30"],
      "definition_changed definition_changed": ["90"],
    });
    expect(plan(three, { is_enabled: false })).toEqual({ deliver: [], "definition_changed definition_changed": all });
    expect(planReplay(three, { schedule: undefined, newest: null, now: slot, since: slot })).toMatchObject({
      deliver: [],
      drop: [{ move: "definition_changed" }],
    });
  });

  test("are delivered although the schedule is paused, or was clocked and is disabled by this fire", () => {
    expect(plan([waiting(30)], { paused_at: slot })).toEqual({ deliver: ["30"] });
    const once = { kind: "clocked", is_enabled: false, last_run_at: after(-30) };
    expect(plan([waiting(30)], once)).toEqual({ deliver: ["30"] });
    expect(plan([waiting(90)], once)).toEqual({ deliver: [], "definition_changed definition_changed": ["90"] });
  });
});
