import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, isEverything, waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { createLedgerSender, type LedgerSender } from "./ledger-sender.ts";

/** The first four already reach most states that a kill can interrupt. */
const kills = isEverything ? 10 : 4;
const senders = 3;
const acksBeforeKill = 400;

for (const dialect of testDialects) {
  test(`a brain killed ${kills} times under load keeps every acknowledged event once, on ${dialect}`, async () => {
    const home = await mkdtemp(join(tmpdir(), "svc-kill-"));
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    let running: BrainProcess | undefined;
    try {
      const port = await freePort();
      const prepared = await startTestBrain({ home, databaseUrl });
      const minted = await prepared.mintAgent();
      await prepared.stop();
      const credentials = { url: `http://127.0.0.1:${port}`, ...minted };
      const ledgers = Array.from({ length: senders }, (_, index) => createLedgerSender(credentials, `sender-${index}`));
      const promised = () => ledgers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);

      for (let round = 0; round < kills; round += 1) {
        running = await startBrainProcess({ home, databaseUrl, port });
        await Promise.all(ledgers.map((ledger) => ledger.connect()));
        const before = promised();
        await waitFor(() => promised() >= before + acksBeforeKill, { everyMs: 1, that: "the acks" });
        await running.kill();
        await Promise.all(ledgers.map((ledger: LedgerSender) => ledger.lost()));
        // The kill proves something only if batches were in progress.
        expect(ledgers.some((ledger) => ledger.open() > 0)).toBe(true);
      }

      for (const ledger of ledgers) ledger.finish();
      running = await startBrainProcess({ home, databaseUrl, port });
      await Promise.all(ledgers.map((ledger) => ledger.connect()));
      await waitFor(() => ledgers.every((ledger) => ledger.open() === 0), { that: "the last acks" });
      await Promise.all(ledgers.map((ledger) => ledger.close()));
      await running.kill();

      await using after = await startTestBrain({ home, databaseUrl });
      const { database } = after.running.brain;
      const stored = await database.read.selectFrom("events").select("id").execute();
      const tasks = await database.read.selectFrom("tasks").select("task_id").execute();
      const ledger = ledgers.flatMap(({ acknowledged }) => acknowledged);
      expect(stored).toHaveLength(ledger.length);
      expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(ledger));
      expect(new Set(tasks.map(({ task_id }) => task_id)).size).toBe(tasks.length);
      expect(tasks).toHaveLength(ledger.length);
      await after.runLoop("stats.fold-counters");
      const { body } = await after.as.viewer.get(`/projects/${after.project.slug}/tasks?limit=1&include_total=true`);
      expect(body.total_count).toBe(ledger.length);
    } finally {
      await running?.kill();
      await drop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
