import { startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { createScriptedAdapter, waitFor } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import { chunks } from "../../src/platform/chunks.ts";
import { commandRow } from "../rows/command-rows.ts";

const count = 3_000;

test.each(routeDialects)("an agent carries out each of 3,000 fires that come at once (%s)", async (dialect) => {
  await using brain = await startTestBrain({ dialect, env: { SVC_COMMAND_TIMEOUT_SECONDS: "3600" } });
  const { database } = brain.running.brain;
  const minted = await brain.mintAgent();
  const rows = Array.from({ length: count }, (_, at) =>
    commandRow({
      ...{ project_id: brain.project.id, agent_id: minted.agentId, action: "schedule.fire", target_type: "schedule" },
      payload: JSON.stringify({ engine: "scripted", fire_id: `fire-${at}` }),
    }),
  );
  await database.write(async (tx) => {
    for (const some of chunks(rows, 500)) await tx.insertInto("commands").values(some).execute();
  });
  const carriedOut: unknown[] = [];
  const adapter = createScriptedAdapter("scripted", ["submit_task"]);
  const opened = Promise.withResolvers<void>();
  adapter.answerCommands(async ({ parameters }) => {
    carriedOut.push(parameters.fire_id);
    await opened.promise;
    return { status: "success", result: {} };
  });
  const counted = async () => {
    const found = await database.read
      .selectFrom("commands")
      .select(({ fn }) => ["status", fn.countAll<number>().as("count")])
      .groupBy("status")
      .execute();
    return Object.fromEntries(found.map(({ status, ...counts }) => [status, Number(counts.count)]));
  };

  await brain.connectAgent({ ...minted, engines: [adapter] });
  await waitFor(async () => (await counted()).dispatched === 500);
  opened.resolve();
  await waitFor(async () =>
    Object.keys(await counted()).every((status) => !["pending", "dispatched"].includes(status)),
  );

  expect(await counted()).toEqual({ completed: count });
  expect(carriedOut.toSorted()).toEqual(rows.map((_, at) => `fire-${at}`).toSorted());
});
