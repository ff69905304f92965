import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { type ApiClient, signIn, startTestBrain, testPassword } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";

const kills = 4;
const atOnce = 24;
const doneBeforeKill = 30;

/** Creates projects concurrently until the brain dies, and collects the slugs with a successful response. */
function makeProjects(root: ApiClient, round: number) {
  const done: string[] = [];
  let open = 0;
  let made = 0;
  async function work(): Promise<void> {
    for (;;) {
      const slug = `p-${round}-${made}`;
      made += 1;
      open += 1;
      // The kill breaks the connection, which resolves with undefined.
      const answer = await root.post("/projects", { slug, name: slug }).catch(() => undefined);
      if (answer === undefined) return;
      open -= 1;
      expect(answer.status).toBe(201);
      done.push(slug);
    }
  }
  return { done, open: () => open, over: Promise.all(Array.from({ length: atOnce }, work)) };
}

for (const dialect of testDialects) {
  test(`a brain killed between a change and its audit row leaves both or neither, on ${dialect}`, async () => {
    const home = await mkdtemp(join(tmpdir(), "svc-audit-kill-"));
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    let running: BrainProcess | undefined;
    try {
      const port = await freePort();
      await (await startTestBrain({ home, databaseUrl })).stop();
      const begin = async () => {
        running = await startBrainProcess({ home, databaseUrl, port });
        return { brain: running, root: await signIn(running.url, "admin@example.org", testPassword) };
      };
      const answered: string[] = [];
      for (let round = 0; round < kills; round += 1) {
        const { brain, root } = await begin();
        const projects = makeProjects(root, round);
        await waitFor(() => projects.done.length >= doneBeforeKill, {
          everyMs: 1,
          that: "the projects",
        });
        await brain.kill();
        await projects.over;
        // The kill proves something only if changes were in progress.
        expect(projects.open()).toBeGreaterThan(0);
        answered.push(...projects.done);
      }

      if (dialect === "postgres") {
        // The change is made and waits for the chain, which this test has locked: the kill falls exactly between the two.
        const { brain, root } = await begin();
        const holder = await openDatabaseAt(databaseUrl);
        const held = Promise.withResolvers<void>();
        const locked = Promise.withResolvers<void>();
        const holding = holder.write(async (tx) => {
          await tx.updateTable("audit_chain_state").set({ singleton: 1 }).execute();
          locked.resolve();
          await held.promise;
        });
        await locked.promise;
        const lost = root.post("/projects", { slug: "between", name: "between" }).catch(() => undefined);
        const waits = () =>
          holder.read
            .selectFrom("pg_stat_activity" as never)
            .select("pid" as never)
            .where("query" as never, "like", "%audit_chain_state%" as never)
            .where("wait_event_type" as never, "=", "Lock" as never)
            .execute();
        await waitFor(async () => (await waits()).length > 0, {
          everyMs: 5,
          that: "the wait for the chain",
        });
        await brain.kill();
        held.resolve();
        await holding;
        expect(await lost).toBeUndefined();
        await holder.close();
      }

      await using after = await startTestBrain({ home, databaseUrl });
      const { database, features } = after.running.brain;
      const projects = await database.read.selectFrom("projects").select(["id", "slug"]).execute();
      const rows = await database.read
        .selectFrom("audit_log")
        .select("target_id")
        .where("action", "=", "project.created")
        .execute();
      expect(rows.map(({ target_id }) => target_id).sort()).toEqual(projects.map(({ id }) => id).sort());
      const slugs = new Set(projects.map(({ slug }) => slug));
      expect(answered.filter((slug) => !slugs.has(slug))).toEqual([]);
      expect(slugs).not.toContain("between");
      expect((await features.audit.verify()).outcome).toBe("clean");
    } finally {
      await running?.kill();
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
      await drop();
    }
  });
}
