import type { Agent, Task } from "@svc/client";
import { describe, expect, test } from "vitest";
import { overlay } from "../../../shell/overlay.ts";
import { sendAgain } from "../commands/send-again-action.tsx";
import { queueActions, workerActions } from "../fleet/fleet-actions.tsx";
import { type ChosenTasks, cancelTasks, retryTasks } from "../tasks/bulk-actions.tsx";
import { cancelTask, retryTask, taskActions, taskKeys } from "../tasks/task-actions.tsx";
import { asked, whyNot } from "./action.ts";

const agents = [
  {
    name: "one",
    state: "online",
    engine_adapters: ["bullmq", "rq"],
    capabilities: { bullmq: ["retry_task", "cancel_task", "retry_by_reference_v1"], rq: [] },
  },
] as unknown as readonly Agent[];
const subject = (state: Task["state"] | null | undefined, engine = "bullmq") => ({ engine, taskId: "t-1", state });

describe("a task", () => {
  test.each([
    ["success", null, "It has ended already"],
    ["failure", null, "It has ended already"],
    ["revoked", null, "It has ended already"],
    ["rejected", null, "It has ended already"],
    ["unknown", null, null],
    ["started", "It has not ended yet", null],
    ["pending", "It has not ended yet", null],
    [null, "The task is not here", "The task is not here"],
    [undefined, "The task was not read yet", "The task was not read yet"],
  ] as const)("that is %s: retry %o, cancel %o", (state, retry, cancel) => {
    expect(whyNot(retryTask, subject(state as Task["state"]), agents)).toBe(retry);
    expect(whyNot(cancelTask, subject(state as Task["state"]), agents)).toBe(cancel);
  });

  test("of an engine whose agents cannot do it is not acted on, whatever its state", () => {
    expect(whyNot(retryTask, subject("failure", "rq"), agents)).toMatch(/^No online agent of rq can /);
    expect(whyNot(cancelTask, subject("started", "rq"), agents)).toMatch(/^No online agent of rq can /);
  });

  test("has a key for the two that are done often, which opens their form; without a task it does nothing", () => {
    expect(Object.keys(taskKeys(undefined))).toEqual(["r", "c"]);
    taskKeys(undefined).r?.();
    expect([asked.get(), overlay.get()]).toEqual([null, null]);

    taskKeys(subject("started")).c?.();
    expect(asked.get()).toEqual({ action: cancelTask, subject: subject("started") });
    expect(overlay.get()).toBe("asked");
  });
});

describe("several tasks", () => {
  const bulkActions = [retryTasks, cancelTasks];
  const chosen = (state?: Task["state"]): ChosenTasks => {
    const all = state ? { filters: { state }, words: `state ${state}` } : null;
    return { rows: [], all, onMade: () => {}, onDone: () => {} };
  };

  test.each([
    ["that are ticked", undefined, [null, null]],
    ["that match", "failure", [null, "Tick the tasks: not all that match can be cancelled at once"]],
    [
      "that match and have not ended",
      "started",
      ["Tasks in state started have not ended yet", "Tick the tasks: not all that match can be cancelled at once"],
    ],
  ] as const)("%s, with state %s: retry and cancel %o", (_which, state, reasons) => {
    // Whatever agents there are: the forms say which of the engines are left out.
    expect(bulkActions.map((action) => whyNot(action, chosen(state), []))).toEqual(reasons);
  });

  test("are acted on under the words of one", () => {
    const shownAs = ({ label, icon }: { label: string; icon?: string }) => [label, icon];
    expect(bulkActions.map(shownAs)).toEqual([retryTask, cancelTask].map(shownAs));
  });
});

test("every action has an id of its own, and only the purge of a queue needs an administrator", () => {
  const all = [...taskActions, retryTasks, cancelTasks, ...workerActions, ...queueActions, sendAgain];
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.filter(({ role }) => role === "admin").map(({ id }) => id)).toEqual(["queue.purge"]);
});
