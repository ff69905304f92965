import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { type ApiAnswer, anonymous, signIn, startTestBrain, type TestBrain, testPassword } from "@svc/testkit/brain";
import { connectRaw, rawEvents, rawHello } from "@svc/testkit/raw-agent";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMutating } from "../../src/platform/http/access/policy.ts";
import { routeTable } from "../../src/platform/http/access/route-table.ts";

/** Mutating routes without an audit row, or whose row another test checks, each with its reason. */
const unaudited: Readonly<Record<string, string>> = {
  "POST /api/v1/agent/events": "a report of an agent, not an action of a user; ingest writes no row per frame",
  "POST /api/v1/projects/:slug/saved-views": "a filter under a name that only its owner sees",
  "PUT /api/v1/projects/:slug/saved-views/:view_id": "a filter under a name that only its owner sees",
  "DELETE /api/v1/projects/:slug/saved-views/:view_id": "a filter under a name that only its owner sees",
  "POST /api/v1/auth/mfa/enroll-start": "nothing changes before enroll-complete, which has its row",
  "POST /api/v1/projects/:slug/schedules::diff": "compares and changes nothing",
  "POST /api/v1/invitations/preview": "reads; the token is in the body to keep it out of logs",
  "POST /api/v1/admin/system/versions/check": "reads a published list and changes nothing here",
  "POST /api/v1/auth/password-reset/confirm": "needs a mailed token; the tests of password-reset check its row",
  "POST /api/v1/setup/complete": "open only while no account exists; setup/routes.test.ts checks its rows",
  "POST /setup": "the same with a form",
  "POST /api/v1/projects/:slug/bulk-retry-requests/:request_id/cancel":
    "only while its search runs; flows/bulk-retry-search.test.ts checks its row",
};

describe("every mutating route", () => {
  let brain: TestBrain;
  /** Routes with a successful request that left an audit row. */
  const left = new Set<string>();

  const rowCount = async () => {
    await brain.running.brain.features.audit.settled();
    const { count } = await brain.running.brain.database.read
      .selectFrom("audit_log")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  async function act(route: string, request: () => Promise<ApiAnswer>): Promise<ApiAnswer["body"]> {
    const before = await rowCount();
    const { status, body, text } = await request();
    expect({ route, isDone: status < 300, text: status < 300 ? "" : text }).toEqual({ route, isDone: true, text: "" });
    // Some routes answer before they act, so that their response time reveals nothing.
    await waitFor(async () => (await rowCount()) > before, { that: `the audit row of ${route}` });
    left.add(route.replace(" ", " /api/v1"));
    return body;
  }

  beforeAll(async () => {
    brain = await startTestBrain();
    const { root } = brain.as;
    const guest = anonymous(brain.url);
    const as = (name: string, password = testPassword) => signIn(brain.url, `${name}@example.org`, password);
    await brain.addMember("ann", "viewer");

    await act("POST /auth/login", () =>
      guest.post("/auth/login", { email: "ann@example.org", password: testPassword }),
    );
    const ann = await as("ann");
    await act("PATCH /auth/me", () => ann.patch("/auth/me", { display_name: "Ann" }));
    const own = (await ann.get("/auth/sessions")).body;
    const another = (own.items ?? own).find((session: { is_current: boolean }) => !session.is_current);
    await act("POST /auth/sessions/:session_id/revoke", () => ann.post(`/auth/sessions/${another.id}/revoke`));
    await as("ann");
    await act("POST /auth/sessions/revoke-others", () => ann.post("/auth/sessions/revoke-others"));
    const passwords = { current_password: testPassword, new_password: "another horse battery" };
    await act("POST /auth/change-password", () => ann.post("/auth/change-password", passwords));
    const again = await as("ann", passwords.new_password);
    await act("POST /auth/logout", () => again.post("/auth/logout"));
    await act("POST /auth/password-reset/request", () =>
      guest.post("/auth/password-reset/request", { email: "ann@example.org" }),
    );

    const bob = await brain.addMember("bob", "viewer");
    const started = (await bob.post("/auth/mfa/enroll-start")).body;
    const totp = new TOTP({ secret: started.secret_base32 });
    const code = totp.generate();
    const enrolled = await act("POST /auth/mfa/enroll-complete", () => bob.post("/auth/mfa/enroll-complete", { code }));
    const codes = enrolled.recovery_codes as string[];
    const pending = await as("bob");
    await act("POST /auth/mfa/verify", () => pending.post("/auth/mfa/verify", { code: codes[0] }));
    await act("POST /auth/mfa/trusted-devices", () => pending.post("/auth/mfa/trusted-devices", { label: "laptop" }));
    const [device] = (await pending.get("/auth/mfa/trusted-devices")).body.items;
    const devicePath = `/auth/mfa/trusted-devices/${device.id}`;
    await act("PATCH /auth/mfa/trusted-devices/:device_id", () => pending.patch(devicePath, { label: "desk" }));
    await act("POST /auth/mfa/trusted-devices/:device_id/revoke", () => pending.post(`${devicePath}/revoke`));
    await act("POST /auth/mfa/recovery-codes/regenerate", () => pending.post("/auth/mfa/recovery-codes/regenerate"));
    // Enrollment used the current code; the next one is accepted slightly early.
    const nextCode = totp.generate({ timestamp: Date.now() + 30_000 });
    await act("POST /auth/mfa/disable", () =>
      pending.post("/auth/mfa/disable", { password: testPassword, code: nextCode }),
    );

    await act("POST /auth/step-up", () => root.post("/auth/step-up", { password: testPassword }));
    const key = await act("POST /api-keys", () => root.post("/api-keys", { name: "ci", scopes: ["tasks:read"] }));
    const keyId = key.id ?? key.api_key?.id;
    await act("PATCH /api-keys/:key_id", () => root.patch(`/api-keys/${keyId}`, { allowed_cidrs: ["10.0.0.0/8"] }));
    await act("DELETE /api-keys/:key_id", () => root.delete(`/api-keys/${keyId}`));

    await act("POST /projects", () => root.post("/projects", { slug: "second", name: "Second" }));
    await act("PATCH /projects/:slug", () => root.patch("/projects/second", { name: "Other" }));
    await act("DELETE /projects/:slug", () => root.delete("/projects/second"));
    const minted = await act("POST /projects/:slug/agents", () => root.post("/projects/shop/agents", { name: "one" }));
    await act("DELETE /projects/:slug/agents/:agent_id", () => root.delete(`/projects/shop/agents/${minted.agent.id}`));
    await act("POST /projects/:slug/tasks/bulk-delete", () =>
      root.post("/projects/shop/tasks/bulk-delete", { task_ids: [randomUUID()] }),
    );

    const nightly = { name: "nightly", engine: "bullmq", kind: "cron", expression: "0 3 * * *", task_name: "mail" };
    const schedule = await act("POST /projects/:slug/schedules", () => root.post("/projects/shop/schedules", nightly));
    const schedulePath = `/projects/shop/schedules/${schedule.id}`;
    await act("PATCH /projects/:slug/schedules/:schedule_id", () => root.patch(schedulePath, { queue: "mails" }));
    for (const name of ["disable", "enable", "pause", "resume"]) {
      await act(`POST /projects/:slug/schedules/:schedule_id/${name}`, () => root.post(`${schedulePath}/${name}`));
    }
    const { control_token } = (await root.get(schedulePath)).body;
    await brain.running.brain.features.schedules.quarantine({
      ...{ scheduleId: schedule.id, controlToken: control_token, reasonCode: "bad", detail: "", projectIds: null },
    });
    const observed = (await root.get(schedulePath)).body.control_token;
    await act("POST /projects/:slug/schedules/:schedule_id/clear-quarantine", () =>
      root.post(`${schedulePath}/clear-quarantine`, { observed_control_token: observed }),
    );
    await act("POST /projects/:slug/schedules::import", () =>
      root.post("/projects/shop/schedules:import", { mode: "upsert", schedules: [{ ...nightly, name: "imported" }] }),
    );
    await act("DELETE /projects/:slug/schedules/:schedule_id", () => root.delete(schedulePath));
    await act("POST /projects/:slug/schedules::resync", () => root.post("/projects/shop/schedules:resync"));

    const target = await brain.mintAgent();
    const tokens = [
      "retry_task",
      "cancel_task",
      "bulk_retry",
      "requeue_dead_letter",
      "retry_by_reference_v1",
      "submit_task",
    ];
    const agent = await connectRaw(
      { url: brain.url, ...target },
      { hello: rawHello({ capabilities: { bullmq: tokens } }) },
    );
    await agent.ackOf(agent.sendEvents(rawEvents(1, "commanded")));
    const task = { agent_id: target.agentId, engine: "bullmq", task_id: "commanded-0" };
    const worker = { agent_id: target.agentId, worker_name: "worker-1" };
    const orders: Record<string, unknown> = {
      "retry-task": task,
      "cancel-task": task,
      "requeue-dead-letter": task,
      "bulk-retry": { agent_id: target.agentId, filter: { engine: "bullmq", task_ids: [task.task_id] }, max: 1 },
      "purge-queue": { agent_id: target.agentId, queue: "default" },
      "restart-worker": worker,
      "pool-resize": { ...worker, delta: 1 },
      "add-consumer": { ...worker, queue: "default" },
      "cancel-consumer": { ...worker, queue: "default" },
      "rate-limit": { agent_id: target.agentId, task_name: "mail", rate: 1 },
    };
    for (const [name, order] of Object.entries(orders)) {
      await act(`POST /projects/:slug/commands/${name}`, () => root.post(`/projects/shop/commands/${name}`, order));
    }
    const manual = (await root.post("/projects/shop/schedules", { ...nightly, name: "manual" })).body;
    const manualPath = `/projects/shop/schedules/${manual.id}`;
    const { fire_id } = await act("POST /projects/:slug/schedules/:schedule_id/trigger", () =>
      root.post(`${manualPath}/trigger`),
    );
    await waitFor(async () => (await root.get(`${manualPath}/fires`)).body[0]?.status === "delivered");
    await act("POST /projects/:slug/schedules/:schedule_id/resolve-terminal-fire", () =>
      root.post(`${manualPath}/resolve-terminal-fire`, {
        ...{ fire_id, expected_status: "delivered", resolution: "cancelled", work_may_have_executed: true },
        observed_control_token: manual.control_token,
      }),
    );
    const retried = await act("POST /projects/:slug/bulk-retry-requests", () =>
      root.post("/projects/shop/bulk-retry-requests", { idempotency_key: "audited", filter: { state: "pending" } }),
    );
    for (const name of ["pause", "resume"]) {
      await act(`POST /projects/:slug/bulk-retry-requests/:request_id/${name}`, () =>
        root.post(`/projects/shop/bulk-retry-requests/${retried.id}/${name}`),
      );
    }
    await agent.close();

    const invite = (email: string) => root.post("/projects/shop/invitations", { email, role: "viewer" });
    const invited = await act("POST /projects/:slug/invitations", () => invite("cy@example.org"));
    await act("POST /invitations/accept", () =>
      guest.post("/invitations/accept", {
        token: invited.token,
        display_name: "Cy",
        password: passwords.new_password,
      }),
    );
    const { invitation } = (await invite("dee@example.org")).body;
    await act("DELETE /projects/:slug/invitations/:invitation_id", () =>
      root.delete(`/projects/shop/invitations/${invitation.id}`),
    );

    const made = await act("POST /users", () =>
      root.post("/users", { email: "eve@example.org", password: passwords.new_password, display_name: "Eve" }),
    );
    const membership = await act("POST /projects/:slug/memberships", () =>
      root.post("/projects/shop/memberships", { user_id: made.id, role: "viewer" }),
    );
    const memberPath = `/projects/shop/memberships/${membership.id}`;
    await act("PATCH /projects/:slug/memberships/:membership_id", () => root.patch(memberPath, { role: "operator" }));
    await act("DELETE /projects/:slug/memberships/:membership_id", () => root.delete(memberPath));
    await act("PATCH /users/:user_id", () => root.patch(`/users/${made.id}`, { display_name: "Eva" }));
    await act("POST /users/:user_id/password", () =>
      root.post(`/users/${made.id}/password`, { new_password: "yet another horse battery" }),
    );
    await act("DELETE /users/:user_id/api-keys", () => root.delete(`/users/${made.id}/api-keys`));
    await act("DELETE /users/:user_id", () => root.delete(`/users/${made.id}`));
  });
  afterAll(() => brain.stop());

  test("leaves an audit row, or is a listed exception", () => {
    const mutating = routeTable(brain.running.brain.app)
      .filter(({ method }) => isMutating(method))
      .map(({ method, path }) => `${method} ${path}`);
    expect(mutating.filter((route) => !left.has(route) && unaudited[route] === undefined)).toEqual([]);
    expect([...left, ...Object.keys(unaudited)].filter((route) => !mutating.includes(route))).toEqual([]);
  });

  test("leaves a chain that verifies", async () => {
    expect((await brain.running.brain.features.audit.verify()).outcome).toBe("clean");
  });
});
