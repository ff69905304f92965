import type { DeadLetter } from "@svc/client";
import { expect, test } from "vitest";
import { requeueDeadLetters } from "./requeue-action.tsx";

test("dead letters can be requeued once one is selected", () => {
  const reasonOf = (deadLetters: readonly DeadLetter[]) =>
    requeueDeadLetters.guard({ engine: "bullmq", deadLetters, reportedBy: "agent", onRequeued: () => {} });
  expect(reasonOf([])).toBe("Select dead letters first");
  expect(reasonOf([{} as DeadLetter])).toBeNull();
});
