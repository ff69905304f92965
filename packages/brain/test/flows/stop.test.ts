import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { afterEach, describe, expect, test } from "vitest";

describe.each(testDialects)("a brain on %s that stops while an agent is connected", (dialect) => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  test("marks the agent offline before it closes its database", async () => {
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    const home = await mkdtemp(join(tmpdir(), "svc-stop-"));
    cleanups.push(drop, () => rm(home, { recursive: true, force: true }));
    const first = await startTestBrain({ home, databaseUrl });
    const { agent, minted } = await first.connectAgent();
    cleanups.push(() => agent.stop());

    await first.running.stop();

    expect(first.logLines).toEqual([]);
    const second = await startTestBrain({ home, databaseUrl });
    cleanups.push(() => second.stop());
    const { body } = await second.as.viewer.get("/projects/shop/agents");
    expect(body.items).toEqual([expect.objectContaining({ id: minted.agentId, state: "offline" })]);
  });
});
