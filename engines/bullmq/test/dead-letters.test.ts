import { waitFor } from "@svc/testkit";
import { type ApiAnswer, startTestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { startSidecar } from "@svc/testkit/sidecar-process";
import { afterEach, describe, expect, inject, test } from "vitest";
import { type Application, type bullmqMajors, startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

const redisUrl = inject("redisUrl");

/** Everything started for a test, stopped in reverse order. */
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(
  dialect: (typeof testDialects)[number],
  major: (typeof bullmqMajors)[number],
  more: readonly string[] = [],
) {
  const brain = await startTestBrain({ dialect });
  cleanups.push(() => brain.stop());
  const app: Application = startApplication(major, redisUrl);
  cleanups.push(() => app.close());
  const { folder, remove } = await temporaryFolder();
  cleanups.push(remove);
  const sidecar = startSidecar(["--redis", redisUrl, "--prefix", app.prefix, ...more], {
    brainUrl: brain.url,
    minted: await brain.mintAgent(),
    folder,
  });
  cleanups.push(() => sidecar.stop());
  await waitFor(
    async () => {
      const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/agents`);
      return body.items.some(({ state }: { state: string }) => state === "online");
    },
    { that: "an agent online" },
  );
  const list = (query: Record<string, string> = {}): Promise<ApiAnswer> =>
    brain.as.viewer.get(
      `/projects/${brain.project.slug}/dead-letters?${new URLSearchParams({ engine: "bullmq", ...query })}`,
    );
  return { brain, app, list };
}

const setups: [string, (typeof testDialects)[number], (typeof bullmqMajors)[number]][] = [
  ["BullMQ 6 and SQLite", "sqlite", "6"],
  ["BullMQ 5 and PostgreSQL", "postgres", "5"],
];

describe.each(setups.filter(([, dialect]) => testDialects.includes(dialect)))(
  "dead letters of %s",
  (_, dialect, major) => {
    test("are listed page by page, requeued, and no longer listed once they ran", async () => {
      const { brain, app, list } = await start(dialect, major);
      let isRepaired = false;
      await app.worker("mail", async ({ id }) => {
        if (!isRepaired) throw new Error(`mailbox of ${id} is full`);
        return "sent";
      });
      const id = (job: string) => `${app.prefix}:mail:${job}`;
      const failed = (job: string) =>
        waitFor(
          async () => {
            const path = `/projects/${brain.project.slug}/tasks/bullmq/${encodeURIComponent(id(job))}`;
            return (await brain.as.viewer.get(path)).body.state === "failure";
          },
          { that: `${job} failed` },
        );
      for (const job of ["j1", "j2", "j3"]) {
        await app.queue("mail").add("welcome", { password: "hunter2" }, { jobId: job, attempts: 1 });
        await failed(job);
      }

      const first = await list({ limit: "2" });
      expect([first.status, first.body.total, first.body.engine]).toEqual([200, 3, "bullmq"]);
      expect(first.body.entries.map(({ task_id }: { task_id: string }) => task_id)).toEqual([id("j3"), id("j2")]);
      expect(first.body.entries[0]).toEqual({
        task_id: id("j3"),
        task_name: "welcome",
        queue: `${app.prefix}:mail`,
        failed_at: expect.any(String),
        error_excerpt: expect.stringContaining("mailbox of j3 is full"),
        attempts: 1,
      });
      const second = await list({ limit: "2", cursor: first.body.next_cursor, queue: `${app.prefix}:mail` });
      expect(second.body.entries.map(({ task_id }: { task_id: string }) => task_id)).toEqual([id("j1")]);
      expect(second.body.next_cursor).toBeNull();

      const unknown = await list({ cursor: "made-up" });
      expect([unknown.status, unknown.body.details.errors[0].type]).toEqual([422, "invalid_cursor"]);

      isRepaired = true;
      for (const { task_id } of [...first.body.entries, ...second.body.entries]) {
        const requeue = `/projects/${brain.project.slug}/commands/requeue-dead-letter`;
        const made = await brain.as.operator.post(requeue, { engine: "bullmq", task_id });
        expect(made.status).toBe(202);
        const command = `/projects/${brain.project.slug}/commands/${made.body.id}`;
        await waitFor(async () => (await brain.as.operator.get(command)).body.status === "completed", {
          that: "the requeue completed",
        });
      }
      // Three of the ten list requests per minute are used.
      let calls = 0;
      await waitFor(
        async () => {
          calls += 1;
          return calls <= 6 && (await list()).body.total === 0;
        },
        { everyMs: 500, that: "no dead letter left" },
      );
    });
  },
);

test("dead letters are not requested from an agent that has only polled, since its capabilities are unknown", async () => {
  const { list } = await start("sqlite", "6", ["--transport", "longpoll", "--dev"]);
  const { status, body } = await list();
  expect([status, body.error, body.details.engine]).toEqual([409, "conflict", "bullmq"]);
  expect(body.details.agents).toMatchObject([{ engines: [], capabilities: {} }]);
});
