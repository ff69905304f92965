import type { DeadLetter } from "@svc/client";
import { expect, test } from "vitest";
import { requeueLetters } from "./requeue-action.tsx";

test("dead letters are requeued once one is ticked", () => {
  const reasonOf = (letters: readonly DeadLetter[]) =>
    requeueLetters.guard({ engine: "bullmq", letters, toldBy: "agent", onRequeued: () => {} });
  expect(reasonOf([])).toBe("Tick the letters first");
  expect(reasonOf([{} as DeadLetter])).toBeNull();
});
