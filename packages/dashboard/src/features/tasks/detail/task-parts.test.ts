import { describe, expect, test } from "vitest";
import { taskEvent, taskRow } from "../../../../test/traffic/task-rows.ts";
import { attemptsOf } from "./attempts/attempts.ts";
import { openingPart, partsOf } from "./task-parts.ts";

const events = [taskEvent("task.started", 1), taskEvent("task.failed", 2)];
const family = { node_count: 500 };
const whole = { args: [], kwargs: {}, result: null, traceback: null };

function parts(exception: string | null, isCut = false, tree: { node_count: number } | "unread" | "failed" = family) {
  const detail = {
    events,
    attempts: attemptsOf(events),
    eventsQuery: { data: { next_cursor: isCut ? "more" : null } },
    treeQuery:
      typeof tree === "string"
        ? { isError: tree === "failed" }
        : { data: { ...tree, truncated: isCut }, isError: false },
  };
  return partsOf({ ...taskRow({ exception }), ...whole }, detail);
}

describe("the parts of a task", () => {
  test("open on the failure if there is one, else on the timeline", () => {
    expect(openingPart(parts("boom"))?.id).toBe("failure");
    expect(openingPart(parts(null))?.id).toBe("timeline");
    expect(parts(null).map((part) => part.id)).not.toContain("failure");
  });

  test("are counted, with a plus sign if there are more", () => {
    const counts = (isCut: boolean) => parts(null, isCut).map(({ id, count }) => [id, count]);
    expect(counts(false)).toEqual([
      ["timeline", null],
      ["input", null],
      ["events", "2"],
      ["family", "500"],
    ]);
    expect(counts(true)).toEqual([
      ["timeline", null],
      ["input", null],
      ["attempts", "1+"],
      ["events", "2+"],
      ["family", "500+"],
    ]);
  });

  test("leave out the attempts of a task with one attempt, as its failure and events show it", () => {
    const retried = [...events, taskEvent("task.started", 3, { attempt: 1 })];
    const ids = (of: typeof events) =>
      partsOf(
        { ...taskRow({ exception: "boom" }), ...whole },
        { events: of, attempts: attemptsOf(of), eventsQuery: {}, treeQuery: { isError: false } },
      ).map(({ id }) => id);
    expect(ids(events)).toEqual(["timeline", "failure", "input", "events"]);
    expect(ids(retried)).toEqual(["timeline", "failure", "input", "attempts", "events"]);
  });

  test.each([
    [{ node_count: 1 }, false],
    ["unread", false],
    ["failed", true],
    [{ node_count: 2 }, true],
  ] as const)("have a family for %j: %s", (tree, isShown) => {
    expect(parts(null, false, tree).some(({ id }) => id === "family")).toBe(isShown);
  });
});
