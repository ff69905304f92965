import { expect, test } from "vitest";
import { mostInOneCommand, ordersOf, planOf } from "./bulk-plan.ts";

const row = (task_id: string, state: "failure" | "started" | "unknown" | "success", engine = "bullmq") => ({
  engine,
  task_id,
  state,
});

test("only what has ended is retried, and only what has not is cancelled, by engine", () => {
  const rows = [row("a", "failure"), row("b", "started"), row("c", "success", "celery"), row("d", "unknown")];
  expect(planOf(rows, "retry")).toEqual({
    engines: [
      { engine: "bullmq", rows: [rows[0], rows[3]] },
      { engine: "celery", rows: [rows[2]] },
    ],
    leftOut: 1,
  });
  expect(planOf(rows, "cancel")).toEqual({ engines: [{ engine: "bullmq", rows: [rows[1], rows[3]] }], leftOut: 2 });
  expect(planOf([], "retry")).toEqual({ engines: [], leftOut: 0 });
});

test("few tasks of an engine are one command, many are bulk retries, one for each state", () => {
  const many = Array.from({ length: mostInOneCommand }, (_, at) => row(`f-${at}`, "failure"));
  const of = { engine: "bullmq", agentId: "agent-1" };
  const other = row("s", "success");
  expect(ordersOf({ ...of, rows: many }, "retry")).toEqual([{ ...of, rows: many, bulkState: null }]);
  expect(ordersOf({ ...of, rows: [...many, other] }, "retry")).toEqual([
    { ...of, rows: many, bulkState: "failure" },
    { ...of, rows: [other], bulkState: "success" },
  ]);
});

test("each cancel is a command of its own", () => {
  const of = { engine: "bullmq", agentId: "agent-1" };
  const rows = [row("a", "started"), row("b", "started")];
  expect(ordersOf({ ...of, rows }, "cancel")).toEqual(rows.map((one) => ({ ...of, rows: [one], bulkState: null })));
});
