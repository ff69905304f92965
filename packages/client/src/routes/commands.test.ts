import { expect, test } from "vitest";
import { createClient } from "../client.ts";

/** A client of a server that answers everything with `{}`, and what it was asked. */
function recording() {
  const asked: [method: string | undefined, url: string, body: unknown][] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    asked.push([init.method, url, init.body === null ? null : JSON.parse(String(init.body))]);
    return new Response("{}");
  }) as typeof globalThis.fetch;
  return { asked, api: createClient({ fetch, bearer: "svk_test" }) };
}

const base = "/api/v1/projects/acme";
const agent_id = "a";
const worker_name = "w";

test("every command goes to the route of its own", async () => {
  const { api, asked } = recording();
  const reference = { engine: "bullmq", task_id: "mail:1" };
  await api.retryTask("acme", reference);
  await api.cancelTask("acme", reference);
  await api.requeueDeadLetter("acme", reference);
  await api.retryTasks("acme", { agent_id, filter: { engine: "bullmq", task_ids: ["1"] }, max: 10 });
  await api.purgeQueue("acme", { agent_id, queue: "mail", observed_depth: 3 });
  await api.restartWorker("acme", { agent_id, worker_name });
  await api.resizePool("acme", { agent_id, worker_name, delta: -1 });
  await api.addConsumer("acme", { agent_id, worker_name, queue: "mail" });
  await api.cancelConsumer("acme", { agent_id, worker_name, queue: "mail" });
  await api.limitRate("acme", { agent_id, task_name: "send", rate: "10/m" });

  expect(asked.map(([method, url]) => `${method} ${url.slice(base.length)}`)).toEqual(
    [
      ...["retry-task", "cancel-task", "requeue-dead-letter", "bulk-retry", "purge-queue", "restart-worker"],
      ...["pool-resize", "add-consumer", "cancel-consumer", "rate-limit"],
    ].map((what) => `POST /commands/${what}`),
  );
  expect(asked[0]?.[2]).toEqual(reference);
});

test("commands, dead letters and bulk retries are read under their project", async () => {
  const { api, asked } = recording();
  await api.listCommands("acme", { status: "failed", limit: 5 });
  await api.getCommand("acme", "a/b");
  await api.listDeadLetters("acme", { engine: "bullmq", queue: "mail", cursor: "c", agent_id });
  await api.createBulkRetry("acme", { idempotency_key: "k", filter: { queue: "mail" }, max: 10 });
  await api.listBulkRetries("acme", { limit: 5 });
  await api.getBulkRetry("acme", "r");
  await api.getBulkRetryPlan("acme", "r");
  await api.listBulkRetryChildren("acme", "r", { outcome: "failed", limit: 5 });
  await api.pauseBulkRetry("acme", "r");
  await api.resumeBulkRetry("acme", "r");

  expect(asked.map(([method, url]) => `${method} ${url.slice(base.length)}`)).toEqual([
    "GET /commands?status=failed&limit=5",
    "GET /commands/a%2Fb",
    `GET /dead-letters?engine=bullmq&queue=mail&cursor=c&agent_id=${agent_id}`,
    "POST /bulk-retry-requests",
    "GET /bulk-retry-requests?limit=5",
    "GET /bulk-retry-requests/r",
    "GET /bulk-retry-requests/r/plan",
    "GET /bulk-retry-requests/r/children?outcome=failed&limit=5",
    "POST /bulk-retry-requests/r/pause",
    "POST /bulk-retry-requests/r/resume",
  ]);
});
