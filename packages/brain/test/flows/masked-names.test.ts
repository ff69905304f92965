import { randomUUID } from "node:crypto";
import { type ApiAnswer, startTestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { createScriptedAdapter, waitFor } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import { found, openHub, readAll } from "../read-everything.ts";
import { plantSchedule } from "../rows/schedule-rows.ts";

const engine = "scripted";
const allCapabilities = [
  "retry_task",
  "retry_by_reference_v1",
  "bulk_retry",
  "cancel_task",
  "list_dead_letters",
  "purge_queue",
  "restart_worker",
];
/** The text in each name that the value rules match. */
const secrets = {
  "of the task id": "ida@planted-id.example",
  "of the root": "root@planted-root.example",
  "of the name": "5555 5555 5555 4444",
  "of the queue": "DE89370400440532013000",
  "of the worker": "4111111111111111",
};
const names = {
  task_id: `invoice:${secrets["of the task id"]}`,
  name: `charge ${secrets["of the name"]}`,
  queue: `pay-${secrets["of the queue"]}`,
  worker: `w-${secrets["of the worker"]}@host.example.com`,
  root: `batch:${secrets["of the root"]}`,
};
const shown = {
  task_id: "invoice:[REDACTED]",
  name: "charge [REDACTED]",
  queue: "pay-[REDACTED]",
  worker: "w-[REDACTED]@host.example.com",
  root: "batch:[REDACTED]",
};

test.each(testDialects)(
  "names that resemble secrets are found by their masked form, and no route, export, hub message, metric or log has them (%s)",
  async (dialect) => {
    const metricsToken = "metrics-token-0123456789";
    await using brain = await startTestBrain({
      dialect,
      env: { SVC_LOG_LEVEL: "debug", SVC_METRICS_AUTH_TOKEN: metricsToken },
    });
    const agentLog: string[] = [];
    const write = (message: string, fields?: unknown) => void agentLog.push(JSON.stringify([message, fields]));
    const adapter = createScriptedAdapter(engine, allCapabilities);
    const asked: Record<string, unknown>[] = [];
    adapter.answerSnapshot(async () => ({
      queue_depths: { [names.queue]: 3 },
      queue_consumers: { [names.queue]: 1 },
      worker_details: {
        [names.worker]: {
          hostname: "host.example.com",
          active: [{ id: names.task_id, name: names.name, args: [secrets["of the task id"]], hostname: names.worker }],
          active_queues: [names.queue],
          registered: [names.name],
          stats: { total: { [names.name]: 1 } },
          conf: { task_default_queue: names.queue },
        },
      },
    }));
    adapter.answerCommands(async ({ action, parameters, target }) => {
      asked.push({ action, target, ...parameters });
      if (action !== "dlq.list") return { status: "success", result: { results: { [names.task_id]: { ok: true } } } };
      const letter = { task_id: names.task_id, task_name: names.name, queue: names.queue, failed_at: null };
      const entries = [{ ...letter, error_excerpt: null, attempts: 1 }];
      return { status: "success", result: { engine: parameters.engine, entries, next_cursor: null, total: 1 } };
    });
    const log = { debug: write, info: write, warn: write, error: write };
    const { minted } = await brain.connectAgent({ engines: [adapter], log });
    const project = `/projects/${brain.project.slug}`;
    const { viewer, operator, admin, root } = brain.as;
    const hub = await openHub(brain, operator.cookie);

    const event = (kind: string, taskId: string) => ({
      ...{ id: randomUUID(), kind, engine, task_id: taskId, occurred_at: new Date().toISOString() },
      data: {
        queue: names.queue,
        task_name: names.name,
        worker: names.worker,
        root_task_id: names.root,
        exception: "full",
      },
    });
    const events = ["task.sent", "task.started", "task.failed"].map((kind) => event(kind, names.task_id));
    adapter.context.sink.emit([...events, event("task.failed", names.root), event("task.failed", "plain")], {
      key: "position",
      value: "1",
    });
    const get = (path: string) => viewer.get(`${project}${path}`);
    const ok = async (asking: Promise<ApiAnswer>, status = 200): Promise<ApiAnswer> => {
      const answer = await asking;
      expect(answer.status, answer.text).toBe(status);
      return answer;
    };
    const task = await waitFor(
      async () => {
        const { items } = (await get("/tasks?state=failure")).body;
        return items.length === 3 && items.find((one: { task_id: string }) => one.task_id === shown.task_id);
      },
      { that: "the tasks" },
    );
    expect(task).toMatchObject({
      name: shown.name,
      queue: shown.queue,
      worker_name: shown.worker,
      root_task_id: shown.root,
    });
    const worker = await waitFor(async () => (await get("/workers")).body.items[0], {
      that: "worker",
    });
    expect(worker.name).toBe(shown.worker);
    await waitFor(async () => (await get("/queues")).body.items[0]?.name === shown.queue, {
      that: "queue",
    });

    // Stored unchanged.
    const { read } = brain.running.brain.database;
    const row = await read.selectFrom("tasks").selectAll().where("id", "=", task.id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      task_id: names.task_id,
      name: names.name,
      queue: names.queue,
      worker_name: names.worker,
    });

    // The worker's report is also stored unchanged and masked in responses.
    const reported = await waitFor(
      async () => {
        const rows = await read.selectFrom("workers").select(["queues", "metadata"]).execute();
        return rows[0]?.queues !== "[]" && rows[0];
      },
      { that: "the report of the worker" },
    );
    expect(JSON.parse(reported.queues)).toEqual([names.queue]);
    const running = { id: names.task_id, name: names.name, args: ["[REDACTED]"], hostname: names.worker };
    expect(JSON.parse(reported.metadata)).toMatchObject({ active: [running], registered: [names.name] });
    expect((await ok(get(`/workers/${worker.id}`))).body).toMatchObject({
      queues: [shown.queue],
      metadata: {
        active: [{ id: shown.task_id, name: shown.name, args: ["[REDACTED]"], hostname: shown.worker }],
        active_queues: [shown.queue],
        registered: [shown.name],
        stats: { total: { [shown.name]: 1 } },
        conf: { task_default_queue: shown.queue },
      },
    });
    expect((await ok(get("/queues"))).body.items).toMatchObject([{ name: shown.queue }]);

    // Found by row id and by masked name.
    for (const id of [task.id, names.task_id, shown.task_id]) {
      for (const page of ["", "/tree", "/explain"]) {
        await ok(get(`/tasks/${engine}/${encodeURIComponent(id)}${page}`));
      }
      const listed = await ok(get(`/events?engine=${engine}&task_id=${encodeURIComponent(id)}`));
      expect(listed.body.items).toHaveLength(3);
    }
    for (const [field, text] of [
      ["name", shown.name],
      ["queue", shown.queue],
      ["worker", shown.worker],
    ] as const) {
      const query = encodeURIComponent(text);
      expect((await ok(get(`/tasks?${field}=${query}`))).body.items, field).toHaveLength(3);
      expect((await ok(get(`/tasks?q=${encodeURIComponent(`${field}:"${text}"`)}`))).body.items, field).toHaveLength(3);
      const facet = await ok(get(`/facets?field=${field}`));
      expect(facet.body.values, field).toMatchObject([{ value: text }]);
    }
    const queuePath = `/queues/${engine}/${encodeURIComponent(shown.queue)}`;
    expect((await ok(get(queuePath))).body.name).toBe(shown.queue);

    // Commands accept the masked name and reach the engine with the stored one.
    const command = (name: string, body: object) =>
      ok(admin.post(`${project}/commands/${name}`, { agent_id: minted.agentId, engine, ...body }), 202);
    const retry = await command("retry-task", { task_id: task.id });
    expect(retry.body.target_id).toBe(shown.task_id);
    await command("cancel-task", { task_id: shown.task_id });
    await command("purge-queue", { queue: shown.queue, observed_depth: 3 });
    await command("restart-worker", { worker_name: shown.worker });
    await waitFor(() => asked.length === 4, { that: "the commands" });
    const meant = JSON.stringify(asked);
    for (const name of [names.task_id, names.queue, names.worker]) expect(meant).toContain(name);
    expect(meant).not.toContain("[REDACTED]");
    const filter = { engine, task_ids: [task.id] };
    const bulk = await ok(operator.post(`${project}/bulk-retry-requests`, { idempotency_key: "b", filter }), 202);

    // Two queues with the same masked name are ambiguous.
    adapter.context.sink.emit(
      [{ ...event("task.sent", "other"), data: { queue: "pay-GB29NWBK60161331926819", task_name: "other" } }],
      { key: "position", value: "2" },
    );
    await waitFor(async () => (await get("/queues")).body.items.length === 2, {
      that: "both queues",
    });
    const ambiguous = await ok(get(queuePath), 409);
    expect(ambiguous.body).toMatchObject({ error: "conflict", details: { reason: "ambiguous_name" } });
    expect((await ok(get(`/tasks?q=${encodeURIComponent(`queue:"${shown.queue}"`)}`))).body.items).toHaveLength(4);

    const { body: me } = await ok(root.get("/auth/me"));
    const ids = {
      ...{ slug: brain.project.slug, engine, name: names.queue, task_id: names.task_id, command_id: retry.body.id },
      ...{ agent_id: minted.agentId, request_id: bulk.body.id, user_id: me.id, worker_id: worker.id },
      ...{ field: "worker", limit: "50", minutes: "60", wait: "0", max_frames: "0", include_archived: "true" },
      ...(await plantSchedule(brain.running.brain.database, brain.project.id)),
    };
    const places = await readAll(root, ids, names.name);
    const metrics = await root.get("//metrics", { authorization: `Bearer ${metricsToken}` });
    places.set("/metrics", metrics.text);
    await waitFor(() => hub.messages.join("").includes(shown.queue), { that: "the queue on the hub" });
    await hub.close();
    places.set("the hub", hub.messages.join("\n"));
    places.set("the log of the brain", brain.logLines.join("\n"));
    places.set("the log of the agent", agentLog.join("\n"));
    places.set("the conflict", ambiguous.text);

    const list = "/api/v1/projects/{slug}/tasks";
    for (const place of [
      list,
      `${list} as csv`,
      `${list} as json`,
      "/api/v1/projects/{slug}/dead-letters",
      "the hub",
    ]) {
      expect(places.get(place), place).toContain(shown.task_id);
    }
    for (const place of ["/api/v1/projects/{slug}/events", "/api/v1/home/recent-failures", "/metrics", "the hub"]) {
      expect(places.get(place), place).toContain("[REDACTED]");
    }
    expect(places.get("/api/v1/projects/{slug}/audit as json")).toContain(shown.queue);
    expect(found(places, secrets)).toEqual([]);
  },
);
