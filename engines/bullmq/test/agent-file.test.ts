import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { startSidecar } from "@svc/testkit/sidecar-process";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors, startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

const redisUrl = inject("redisUrl");

describe.each(bullmqMajors)("the agent file of a service, downloaded and run next to BullMQ %s", (major) => {
  test("reports the jobs of a worker and retries one of them", async () => {
    const brain = await startTestBrain();
    onTestFinished(() => brain.stop());
    const app = startApplication(major, redisUrl);
    onTestFinished(() => app.close());
    // Outside the repository, so that no package can be resolved.
    const { folder, remove } = await temporaryFolder();
    onTestFinished(remove);
    const file = join(folder, "svc-agent.mjs");
    const downloaded = await fetch(`${brain.url}/agent/svc-agent.mjs`);
    await writeFile(file, Buffer.from(await downloaded.arrayBuffer()));
    const sidecar = startSidecar(["--redis", redisUrl, "--prefix", app.prefix], {
      ...{ brainUrl: brain.url, minted: await brain.mintAgent(), folder, program: [file] },
    });
    onTestFinished(async () => void (await sidecar.stop()));

    let runs = 0;
    await app.worker("mail", async () => {
      runs += 1;
      if (runs === 1) throw new Error("mailbox full");
    });
    await app.queue("mail").add("welcome", { to: 7 }, { jobId: "first" });
    const taskId = `${app.prefix}:mail:first`;
    const task = () => brain.as.operator.get(`/projects/shop/tasks/bullmq/${encodeURIComponent(taskId)}`);
    const isIn = (state: string) => waitFor(async () => expect((await task()).body.state).toBe(state));

    await isIn("failure");
    const retry = { engine: "bullmq", task_id: taskId };
    expect((await brain.as.operator.post("/projects/shop/commands/retry-task", retry)).status).toBe(202);
    await isIn("success");
  });
});
