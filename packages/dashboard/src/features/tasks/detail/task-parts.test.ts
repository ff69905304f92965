import { describe, expect, test } from "vitest";
import { taskEvent, taskRow } from "../../../../test/traffic/task-rows.ts";
import { attemptsOf } from "./attempts/attempts.ts";
import { openingPart, partsOf } from "./task-parts.ts";

const events = [taskEvent("task.started", 1), taskEvent("task.failed", 2)];
const whole = { args: [], kwargs: {}, result: null, traceback: null };

function parts(exception: string | null, isCut = false) {
  const detail = {
    events,
    attempts: attemptsOf(events),
    eventsQuery: { data: { next_cursor: isCut ? "more" : null } },
    treeQuery: { data: { node_count: 500, truncated: isCut } },
  };
  return partsOf({ ...taskRow({ exception }), ...whole }, detail);
}

describe("the parts of a task", () => {
  test("open on the failure when there is one, else on the timeline", () => {
    expect(openingPart(parts("boom"))?.id).toBe("failure");
    expect(openingPart(parts(null))?.id).toBe("timeline");
    expect(parts(null).map((part) => part.id)).not.toContain("failure");
  });

  test("are counted, and say when there are more than were counted", () => {
    const counts = (isCut: boolean) => parts(null, isCut).map((part) => part.count);
    expect(counts(false)).toEqual([null, null, "1", "500", "2", null]);
    expect(counts(true)).toEqual([null, null, "1+", "500+", "2+", null]);
  });
});
