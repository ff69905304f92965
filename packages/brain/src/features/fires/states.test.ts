import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { useFires } from "../../../test/fixtures/schedules/fires.ts";
import { moveFires } from "./progress/progress-store.ts";
import { type FireMove, failedFireStatuses, fireMachine, fireMoves, fireStatuses, openFireStatuses } from "./states.ts";

const moves = [...new Set(Object.values(fireMoves).flatMap((of) => Object.keys(of)))] as FireMove[];

for (const dialect of testDialects) {
  describe(`the states of a fire on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const { newProject, newSchedule, newFire, firesOf } = useFires(opened);

    test.each(fireStatuses)("allow exactly the moves of the table from %s", async (status) => {
      const schedule = await newSchedule({ project_id: await newProject() });
      for (const move of moves) {
        const { fire_id } = await newFire(schedule, { status });
        await opened.database.write((tx) => moveFires(tx, [fire_id], { move }));
        const fires = await firesOf(schedule.id);
        const to = (fireMoves[status] as Partial<Record<FireMove, string>>)[move] ?? status;
        expect({ move, to: fires.find((fire) => fire.fire_id === fire_id)?.status }).toEqual({ move, to });
      }
    });
  });
}

describe("the states of a fire", () => {
  test("are open while only a command or an operator ends them, and failed as the circuit breaker counts", () => {
    const ended = ["terminal_timeout", ...fireMachine.final];
    expect([...openFireStatuses, ...ended].sort()).toEqual([...fireStatuses].sort());
    for (const status of failedFireStatuses) expect(fireMachine.final).toContain(status);
  });
});
