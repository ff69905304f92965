import { waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { startSidecar } from "@svc/testkit/sidecar-process";
import { expect, inject, onTestFinished, test } from "vitest";
import { startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

test.each(testDialects)(
  "a job of a paused BullMQ queue is explained, and runs when it is resumed, on %s",
  async (dialect) => {
    const redis = inject("redisUrl");
    const brain = await startTestBrain({ dialect });
    onTestFinished(() => brain.stop());
    const app = startApplication("6", redis);
    onTestFinished(() => app.close());
    const { folder, remove } = await temporaryFolder();
    onTestFinished(remove);
    const sidecar = startSidecar(["--redis", redis, "--prefix", app.prefix], {
      brainUrl: brain.url,
      minted: await brain.mintAgent(),
      folder,
    });
    onTestFinished(async () => void (await sidecar.stop()));
    const queue = `${app.prefix}:mail`;
    const path = `/projects/shop/tasks/bullmq/${encodeURIComponent(`${queue}:job-1`)}/explain`;
    const explained = (code: string) =>
      waitFor(
        async () => {
          const { status, body } = await brain.as.viewer.get(path);
          return status === 200 && body.causes[0].code === code && body;
        },
        { that: `${code} as the first cause` },
      );
    await app.worker("mail", async () => null, { name: "postman" });
    await app.queue("mail").pause();
    await app.queue("mail").add("send", {}, { jobId: "job-1" });

    const { state, causes } = await explained("queue_paused");
    expect(["pending", "received"]).toContain(state);
    expect(causes[0].evidence).toMatchObject({ queue, pending_count: 1 });
    expect(Date.parse(causes[0].since)).toBeLessThanOrEqual(Date.parse(causes[0].evidence.reported_at));

    await app.queue("mail").resume();
    expect((await explained("finished")).state).toBe("success");
  },
);
