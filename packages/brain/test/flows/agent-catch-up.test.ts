import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { type BrainProcess, startAgentOf, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";

for (const dialect of testDialects) {
  test(`an agent buffers while its brain is down and catches up in order, on ${dialect}`, async () => {
    const home = await mkdtemp(join(tmpdir(), "svc-down-"));
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    const port = await freePort();
    const prepared = await startTestBrain({ home, databaseUrl });
    const minted = await prepared.mintAgent();
    await prepared.stop();
    let running: BrainProcess | undefined = await startBrainProcess({ home, databaseUrl, port });
    const { agent, adapter } = startAgentOf({ url: running.url, ...minted, bufferPath: join(home, "agent") });
    const database = await openDatabaseAt(databaseUrl);
    /** Numbers of the stored tasks, sorted. */
    const stored = async () => {
      const rows = await database.read.selectFrom("events").select("task_id").execute();
      return rows.map(({ task_id }) => Number(task_id.split("-")[1])).sort((a, b) => a - b);
    };
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
    try {
      await agent.ready;
      adapter.emitTasks(50);
      await waitFor(async () => (await stored()).length === 50);

      await running.kill();
      for (let round = 0; round < 40; round += 1) {
        adapter.emitTasks(25);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await waitFor(() => agent.status().bufferDepth > 0);
      expect(await stored()).toEqual(upTo(50));

      running = await startBrainProcess({ home, databaseUrl, port });
      // The limit is longer than the agent waits for an acknowledgement before it sends again.
      // At every check the stored tasks are a prefix without gaps.
      const gaps: number[][] = [];
      await waitFor(
        async () => {
          const seen = await stored();
          if (seen.at(-1) !== seen.length - 1) gaps.push(seen);
          return seen.length === 1050;
        },
        { withinMs: 150_000, everyMs: 5 },
      );
      expect(gaps).toEqual([]);
      expect(await stored()).toEqual(upTo(1050));
    } catch (fault) {
      throw new Error(`${JSON.stringify(agent.status())} ${running?.log()}`, { cause: fault });
    } finally {
      await agent.stop();
      await running?.kill();
      await database.close();
      await drop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
