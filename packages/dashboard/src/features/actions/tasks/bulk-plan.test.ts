import { expect, test } from "vitest";
import { commandsOf, maximumPerCommand, planOf } from "./bulk-plan.ts";

const row = (task_id: string, state: "failure" | "started" | "unknown" | "success", engine = "bullmq") => ({
  engine,
  task_id,
  state,
});

test("only finished tasks are retried and only others are cancelled, by engine", () => {
  const rows = [row("a", "failure"), row("b", "started"), row("c", "success", "celery"), row("d", "unknown")];
  expect(planOf(rows, "retry")).toEqual({
    engines: [
      { engine: "bullmq", rows: [rows[0], rows[3]] },
      { engine: "celery", rows: [rows[2]] },
    ],
    excluded: 1,
  });
  expect(planOf(rows, "cancel")).toEqual({ engines: [{ engine: "bullmq", rows: [rows[1], rows[3]] }], excluded: 2 });
  expect(planOf([], "retry")).toEqual({ engines: [], excluded: 0 });
});

test("few tasks of an engine are one command, many are one bulk retry per state", () => {
  const many = Array.from({ length: maximumPerCommand }, (_, at) => row(`f-${at}`, "failure"));
  const of = { engine: "bullmq", agentId: "agent-1" };
  const other = row("s", "success");
  expect(commandsOf({ ...of, rows: many }, "retry")).toEqual([{ ...of, rows: many, bulkState: null }]);
  expect(commandsOf({ ...of, rows: [...many, other] }, "retry")).toEqual([
    { ...of, rows: many, bulkState: "failure" },
    { ...of, rows: [other], bulkState: "success" },
  ]);
});

test("each cancel is its own command", () => {
  const of = { engine: "bullmq", agentId: "agent-1" };
  const rows = [row("a", "started"), row("b", "started")];
  expect(commandsOf({ ...of, rows }, "cancel")).toEqual(rows.map((one) => ({ ...of, rows: [one], bulkState: null })));
});
