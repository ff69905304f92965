import { expect, test } from "vitest";
import { toldInTurn } from "./use-in-turn.ts";

const single = { words: "Cancel emails.send", task: { engine: "bullmq", taskId: "1" } };
const run = { id: "run-1", action: "cancel_task", words: "Cancel tasks" };

test("of few commands the tray tells each, of many the run and how far it has come", () => {
  expect(toldInTurn({ ...run, total: 5 }, 5, single)).toBe(single);
  expect(toldInTurn({ ...run, total: 6 }, 2, single)).toEqual({
    words: "Cancel tasks: 2 of 6 asked for",
    run: { id: "run-1", runAction: "cancel_task" },
  });
});
