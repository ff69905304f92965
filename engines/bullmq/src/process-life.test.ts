import { randomBytes } from "node:crypto";
import { freePort } from "@svc/testkit";
import { startPeer } from "@svc/testkit/peer";
import { expect, inject, onTestFinished, test } from "vitest";
import { startApplication } from "../test/applications.ts";
import { startAttached } from "../test/attached.ts";
import type { AttachedProcess } from "../test/attached-process.ts";

const redisUrl = inject("redisUrl");
const adapters: AttachedProcess["with"][] = ["attachBullmq", "createBullmqAdapter"];

async function applicationWithQueue() {
  const application = startApplication("6", redisUrl);
  onTestFinished(() => application.close());
  await application.queue("mail").add("job", {});
  return application;
}

function closed(port: number) {
  const hmacSecret = randomBytes(32).toString("base64url");
  return { brainUrl: `http://127.0.0.1:${port}`, token: "a-token-of-a-test", hmacSecret };
}

test.each(adapters)(
  "a process with %s and no other work ends, even while neither Redis nor brain answers",
  async (kind) => {
    const { prefix } = await applicationWithQueue();
    const brain = closed(await freePort());
    const nowhere = `redis://127.0.0.1:${await freePort()}`;
    for (const redis of [redisUrl, nowhere]) {
      const run = await startAttached({ redis, prefix, ...brain, with: kind, next: "nothing" });
      expect(await run.ends()).toBe(0);
      expect(run.output()).toBe("ready\n");
    }
  },
);

test.each(adapters)("a process with %s lives until its agent has stopped", async (kind) => {
  const { prefix } = await applicationWithQueue();
  const peer = await startPeer();
  onTestFinished(() => peer.stop());
  const { url: brainUrl, hmacSecret } = peer;
  const run = await startAttached({
    redis: redisUrl,
    prefix,
    ...{ brainUrl, token: peer.identity.token, hmacSecret },
    with: kind,
    next: "stop",
  });
  expect(await run.ends()).toBe(0);
  expect(run.output()).toBe("ready\nstopped\n");
});
