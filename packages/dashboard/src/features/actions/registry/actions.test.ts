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
    ["success", null, "The task has already finished"],
    ["failure", null, "The task has already finished"],
    ["revoked", null, "The task has already finished"],
    ["rejected", null, "The task has already finished"],
    ["unknown", null, null],
    ["started", "The task has not finished yet", null],
    ["pending", "The task has not finished yet", null],
    [null, "Task not found", "Task not found"],
    [undefined, "Loading the task", "Loading the task"],
  ] as const)("that is %s: retry %o, cancel %o", (state, retry, cancel) => {
    expect(whyNot(retryTask, subject(state as Task["state"]), agents)).toBe(retry);
    expect(whyNot(cancelTask, subject(state as Task["state"]), agents)).toBe(cancel);
  });

  test("can't be acted on if no agent of its engine can, whatever its state", () => {
    expect(whyNot(retryTask, subject("failure", "rq"), agents)).toMatch(/^No online agent for rq can /);
    expect(whyNot(cancelTask, subject("started", "rq"), agents)).toMatch(/^No online agent for rq can /);
  });

  test("has keys for retry and cancel that open the dialog, and do nothing without a task", () => {
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
    const all = state ? { filters: { state }, filterText: `state ${state}` } : null;
    return { rows: [], all, onMade: () => {}, onDone: () => {} };
  };

  test.each([
    ["that are selected", undefined, [null, null]],
    ["that match", "failure", [null, "Select individual tasks: all matches can't be cancelled at once"]],
    [
      "that match and have not finished",
      "started",
      [
        "Tasks in state started have not finished yet",
        "Select individual tasks: all matches can't be cancelled at once",
      ],
    ],
  ] as const)("%s, with state %s: retry and cancel %o", (_which, state, reasons) => {
    // With no agent online as well: the dialogs list the excluded engines.
    expect(bulkActions.map((action) => whyNot(action, chosen(state), []))).toEqual(reasons);
  });

  test("use the labels and icons of the single actions", () => {
    const shownAs = ({ label, icon }: { label: string; icon?: string }) => [label, icon];
    expect(bulkActions.map(shownAs)).toEqual([retryTask, cancelTask].map(shownAs));
  });
});

test("every action has a unique id, and only purging a queue needs an admin", () => {
  const all = [...taskActions, retryTasks, cancelTasks, ...workerActions, ...queueActions, sendAgain];
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.filter(({ role }) => role === "admin").map(({ id }) => id)).toEqual(["queue.purge"]);
});
