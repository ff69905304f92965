import { randomUUID } from "node:crypto";
import { type ApiClient, startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { createScriptedAdapter, waitFor } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import { found, openHub, readAll } from "../read-everything.ts";
import { plantSchedule } from "../rows/schedule-rows.ts";

const engine = "scripted";
const allCapabilities = [
  "retry_task",
  "cancel_task",
  "bulk_retry",
  "retry_by_reference_v1",
  "list_dead_letters",
  "purge_queue",
];
/** Inputs and results of commands. Users without access must not find these texts anywhere. */
const planted = {
  "override argument": "planted-argument-1c7f",
  "override keyword": "planted-keyword-2d8a",
  "refused keyword": "planted-refused-3e9b",
  result: "planted-result-4fa0",
  "extra of a listing": "planted-listing-50b1",
  "filter of a bulk retry": "planted-filter-61c2",
};
/** The issuer and the address of the request. */
const issuerEmail = "planted-issuer@example.org";
const issuerAddress = "203.0.113.77";
/** Members of a project see each other, but not what others did. */
const listsMembers = new Set(["/api/v1/projects/{slug}/memberships"]);

test.each(routeDialects)(
  "inputs, result and issuer of commands are for operators and admins: no route, export, hub message or log has them (%s)",
  async (dialect) => {
    const env = { SVC_LOG_LEVEL: "debug", SVC_TRUSTED_PROXIES: "127.0.0.1" };
    await using brain = await startTestBrain({ dialect, env });
    const agentLog: string[] = [];
    const write = (message: string, fields?: unknown) => void agentLog.push(JSON.stringify([message, fields]));
    const adapter = createScriptedAdapter(engine, allCapabilities);
    adapter.answerSnapshot(async () => ({ queue_depths: { mail: 3 }, worker_details: { "worker-1": {} } }));
    adapter.answerCommands(async ({ action, parameters }) => {
      if (action !== "dlq.list") return { status: "success", result: { said: planted.result, results: [] } };
      const listed = { engine: parameters.engine, entries: [], next_cursor: null, total: 0 };
      return { status: "success", result: { ...listed, extra: planted["extra of a listing"] } };
    });
    const log = { debug: write, info: write, warn: write, error: write };
    const { minted } = await brain.connectAgent({ engines: [adapter], log });
    const project = `/projects/${brain.project.slug}`;
    const hubs = {
      viewer: await openHub(brain, brain.as.viewer.cookie),
      operator: await openHub(brain, brain.as.operator.cookie),
    };

    // A task to retry, and the worker that ran it.
    const event = (kind: string, taskId: string) => ({
      ...{ id: randomUUID(), kind, engine, task_id: taskId, occurred_at: new Date().toISOString() },
      data: { queue: "mail", task_name: "mail.send", worker_id: "worker-1", hostname: "worker-1", exception: "full" },
    });
    adapter.context.sink.emit([event("task.started", "task-1"), event("task.failed", "task-1")], {
      key: "position",
      value: "1",
    });
    await waitFor(async () => (await brain.as.viewer.get(`${project}/tasks?state=failure`)).body.items.length === 1);

    // Commands of a user who does nothing else.
    const issuer = await brain.addMember("planted-issuer", "operator");
    const { body: me } = await issuer.get("/auth/me");
    const from = { "x-forwarded-for": issuerAddress };
    const order = async (as: ApiClient, name: string, body: Record<string, unknown>, status: number) => {
      const made = await as.post(`${project}/commands/${name}`, { agent_id: minted.agentId, engine, ...body }, from);
      expect(made.status, made.text).toBe(status);
      return made;
    };
    const inputs = {
      override_args: [planted["override argument"]],
      override_kwargs: { word: planted["override keyword"] },
    };
    const { body: command } = await order(issuer, "retry-task", { task_id: "task-1", ...inputs }, 202);
    const refusedInputs = { override_args: [], override_kwargs: { [`__svc_${planted["refused keyword"]}`]: 1 } };
    const refusals = [
      await order(issuer, "retry-task", { task_id: "task-1", ...refusedInputs }, 422),
      await order(brain.as.viewer, "retry-task", { task_id: "task-1", ...inputs }, 403),
    ];
    const purge = await order(brain.as.admin, "purge-queue", { queue: "mail", observed_depth: 3 }, 202);
    const filter = { engine, search: planted["filter of a bulk retry"] };
    const bulk = await issuer.post(`${project}/bulk-retry-requests`, { idempotency_key: "bulk", filter }, from);
    expect(bulk.status).toBe(200);
    const ended = async () => {
      const { items } = (await brain.as.viewer.get(`${project}/commands`)).body as { items: { status: string }[] };
      return items.length === 2 && items.every(({ status }) => status === "completed" || status === "failed");
    };
    await waitFor(ended, { that: "the end of the commands" });

    expect((await brain.as.operator.get(`${project}/dead-letters?engine=${engine}`)).status).toBe(200);

    const { read } = brain.running.brain.database;
    const rowOf = (id: string) =>
      read
        .selectFrom("commands")
        .select(["delivery_claim_token", "payload"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
    /** Never shown to anyone. */
    const tokens = {
      "claim token": (await rowOf(command.id)).delivery_claim_token ?? "",
      "confirm token": JSON.parse((await rowOf(purge.body.id)).payload).confirm_token as string,
    };
    for (const token of Object.values(tokens)) expect(token.length).toBeGreaterThan(20);
    const issued = {
      "id of the issuer": me.id as string,
      "address of the issuer": issuerEmail,
      "place of the issuer": issuerAddress,
    };
    const first = async (what: string) => (await brain.as.viewer.get(`${project}/${what}`)).body.items?.[0];
    await waitFor(() => first("queues"), { that: "the queue" });
    const worker = await waitFor(() => first("workers"), { that: "the worker" });
    const ids = {
      ...{ slug: brain.project.slug, engine, name: "mail", task_id: "task-1", command_id: command.id },
      ...{ agent_id: minted.agentId, request_id: bulk.body.id, user_id: me.id, worker_id: worker.id },
      ...{ field: "state", limit: "50", minutes: "60", wait: "0", max_frames: "0", include_archived: "true" },
      ...(await plantSchedule(brain.running.brain.database, brain.project.id)),
    };

    // Control: an operator and an administrator find all of them.
    const operator = await readAll(brain.as.operator, ids);
    const seenByOperator = found(operator, { ...planted, ...issued });
    const commandPath = "/api/v1/projects/{slug}/commands/{command_id}";
    for (const name of ["override argument", "override keyword", "result", "id of the issuer", "place of the issuer"])
      expect(seenByOperator).toContain(`${name} in ${commandPath}`);
    expect(seenByOperator).toContain("extra of a listing in /api/v1/projects/{slug}/commands");
    const root = await readAll(brain.as.root, ids);
    expect(found(root, issued)).toContain("id of the issuer in /api/v1/projects/{slug}/audit as csv");
    for (const places of [operator, root]) expect(found(places, tokens)).toEqual([]);

    for (const role of ["viewer", "auditor"] as const) {
      const places = await readAll(brain.as[role], ids);
      expect(places.get(commandPath)).toContain(command.id);
      expect(places.get("/api/v1/projects/{slug}/tasks as csv")).toContain("task-1");
      expect(found(places, { ...planted, ...tokens })).toEqual([]);
      // The audit trail is meant to name the user.
      if (role === "auditor") continue;
      const others = new Map([...places].filter(([path]) => !listsMembers.has(path)));
      expect(found(others, issued)).toEqual([]);
    }
    const scopes = ["commands:read", "tasks:read", "agents:read", "queues:read", "workers:read", "home:read"];
    const { token } = (await brain.as.viewer.post("/api-keys", { name: "v", scopes })).body;
    const withKey = await brain.as.anonymous.get(`${project}/commands`, { authorization: `Bearer ${token}` });
    expect(withKey.text).toContain(command.id);

    const received = new Map<string, string>();
    for (const [who, hub] of Object.entries(hubs)) {
      await waitFor(() => hub.messages.join("").includes(command.id), { that: "the command on the hub" });
      await hub.close();
      received.set(who, hub.messages.join("\n"));
    }
    expect(found(new Map([["hub", received.get("operator") ?? ""]]), issued)).toContain("id of the issuer in hub");
    const shown = new Map([
      ["the hub", received.get("viewer") ?? ""],
      ["a key", withKey.text],
      ["refusals", refusals.map(({ text }) => text).join("\n")],
    ]);
    expect(found(shown, { ...planted, ...tokens, ...issued })).toEqual([]);

    const logs = new Map([
      ["the log of the brain", brain.logLines.join("\n")],
      ["the log of the agent", agentLog.join("\n")],
    ]);
    for (const text of logs.values()) expect(text.length).toBeGreaterThan(100);
    expect(found(logs, { ...planted, ...tokens, "address of the issuer": issuerEmail })).toEqual([]);
  },
);
