import type { HelloPayload } from "@svc/protocol";
import { useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";
import { mountAgents } from "../../../test/fixtures/mount-agents.ts";
import type { Agents } from "./index.ts";

const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);
let agents: Agents;
let root: Browser;
let projectId: string;

beforeEach(async () => {
  agents = mountAgents(fixture);
  await fixture.addUser("root@example.org", { isAdmin: true });
  root = await fixture.signIn("root@example.org");
  projectId = (await root.send("POST", "/projects", { slug: "shop", name: "Shop" })).body.id;
  await root.send("POST", "/projects", { slug: "other", name: "Other" });
});
afterEach(async () => {
  await agents.stop();
});

const mint = (name = "worker-1", as = root) => as.send("POST", "/projects/shop/agents", { name });
async function member(role: "viewer" | "operator" | "admin" | "auditor"): Promise<Browser> {
  await fixture.addMember(projectId, `${role}@example.org`, role);
  return fixture.signIn(`${role}@example.org`);
}
const hello: HelloPayload = {
  protocol_version: "2",
  agent_version: "0.9.0",
  framework: "node",
  engines: ["bullmq"],
  schedulers: [],
  capabilities: {},
  host: {},
  worker_id: "node-7-1",
  worker_role: "task",
  worker_pid: 7,
  worker_started_at: null,
  runtime_features: [],
};

describe("POST /projects/{slug}/agents", () => {
  test("returns the agent with its token and signing secret, which are shown only once", async () => {
    const answer = await mint();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      agent: {
        id: expect.any(String),
        project_id: projectId,
        name: "worker-1",
        state: "unknown",
        protocol_version: "",
        framework_adapter: "",
        engine_adapters: [],
        scheduler_adapters: [],
        capabilities: {},
        last_seen_at: null,
        last_connect_at: null,
        created_at: fixture.clock.now().toISOString(),
        is_outdated: false,
        host_name: null,
        agent_version: null,
        version_status: null,
        transport: null,
        metadata: {},
      },
      token: expect.stringMatching(/^[\w-]{43}$/),
      hmac_secret: expect.stringMatching(/^[\w-]{43}=$/),
    });
    const listed = await root.get("/projects/shop/agents");
    expect(JSON.stringify(listed.body)).not.toContain(answer.body.token);
    expect(listed.body.items).toEqual([answer.body.agent]);
    expect(await fixture.auditRows("agent.token.minted")).toMatchObject([
      { project_id: projectId, source_ip: "127.0.0.1" },
    ]);
  });

  test("answers 409 for a name in use", async () => {
    await mint();
    expect(await mint()).toMatchObject({
      status: 409,
      body: { error: "conflict", details: { reason: "name_in_use" } },
    });
  });

  test.each(["", "  ", "x".repeat(201), "a\u0000b", 7])("answers 422 for the name %j", async (name) => {
    expect((await mint(name as string)).status).toBe(422);
  });

  test("requires the password again when it was last entered more than 15 minutes ago", async () => {
    fixture.clock.advance(15 * 60_000 + 1);
    expect(await mint()).toMatchObject({ status: 403, body: { error: "step_up_required" } });
    expect(await fixture.auditRows("agent.token.minted")).toEqual([]);
    expect((await root.send("POST", "/auth/step-up", { password: adminPassword })).status).toBe(200);
    expect((await mint()).status).toBe(201);
  });

  test("requires the role admin and an active project", async () => {
    for (const role of ["viewer", "operator", "auditor"] as const)
      expect((await mint("x", await member(role))).status).toBe(403);
    expect((await mint("x", await member("admin"))).status).toBe(201);
    await root.send("DELETE", "/projects/shop");
    expect(await mint("y")).toMatchObject({ status: 409, body: { details: { reason: "project_archived" } } });
  });
});

describe("GET /projects/{slug}/agents", () => {
  test("lists by name for a viewer, gets one, and shows only those of the project", async () => {
    await mint("b");
    const { agent } = (await mint("a")).body;
    const viewer = await member("viewer");
    const { items } = (await viewer.get("/projects/shop/agents")).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
    expect((await viewer.get(`/projects/shop/agents/${agent.id.toUpperCase()}`)).body).toEqual(agent);
    expect((await root.get("/projects/other/agents")).body).toEqual({ items: [] });
    expect((await root.get(`/projects/other/agents/${agent.id}`)).status).toBe(404);
    expect((await root.get(`/projects/shop/agents/${projectId}`)).status).toBe(404);
    expect((await root.get("/projects/shop/agents/x")).status).toBe(422);
    expect((await viewer.get("/projects/other/agents")).status).toBe(404);
  });
});

describe("DELETE /projects/{slug}/agents/{id}", () => {
  test("revokes: the agent is not found, its token is void and its name free", async () => {
    const { agent, token } = (await mint()).body;
    expect((await root.send("DELETE", `/projects/shop/agents/${agent.id}`)).status).toBe(204);
    expect((await root.get("/projects/shop/agents")).body.items).toEqual([]);
    expect((await root.get(`/projects/shop/agents/${agent.id}`)).status).toBe(404);
    expect(await agents.identities.authenticate(token)).toBeNull();
    expect((await mint()).status).toBe(201);
    expect(await fixture.auditRows("agent.token.revoked")).toHaveLength(1);
    expect((await root.send("DELETE", `/projects/shop/agents/${agent.id}`)).status).toBe(404);
  });

  test("requires the role admin and the agent's own project", async () => {
    const { agent } = (await mint()).body;
    const operator = await member("operator");
    expect((await operator.send("DELETE", `/projects/shop/agents/${agent.id}`)).status).toBe(403);
    expect((await root.send("DELETE", `/projects/other/agents/${agent.id}`)).status).toBe(404);
  });
});

describe("what an agent reports", () => {
  test("is shown in its status history, newest first", async () => {
    const { agent } = (await mint()).body;
    const identity = { agent_id: agent.id, project_id: projectId, name: agent.name, project_is_active: true };
    for (const depth of [1, 2]) {
      fixture.clock.advance(1000);
      await agents.recordSample(identity, fixture.clock.now(), { buffer_depth: depth });
    }
    const { items } = (await root.get(`/projects/shop/agents/${agent.id}/status-history`)).body;
    expect(items).toEqual([
      { id: expect.any(Number), captured_at: fixture.clock.now().toISOString(), payload: { buffer_depth: 2 } },
      expect.objectContaining({ payload: { buffer_depth: 1 } }),
    ]);
    expect((await root.get(`/projects/other/agents/${agent.id}/status-history`)).status).toBe(404);
  });

  test("is shown as the newest hundred samples that are kept", async () => {
    const { agent } = (await mint()).body;
    const identity = { agent_id: agent.id, project_id: projectId, name: agent.name, project_is_active: true };
    const at = fixture.clock.now().getTime();
    await Promise.all(
      Array.from({ length: 105 }, (_, index) =>
        agents.recordSample(identity, new Date(at + index), { buffer_depth: index }),
      ),
    );
    const { items } = (await root.get(`/projects/shop/agents/${agent.id}/status-history`)).body;
    expect(items.map((item: { payload: { buffer_depth: number } }) => item.payload.buffer_depth)).toEqual(
      Array.from({ length: 100 }, (_, index) => 104 - index),
    );
  });

  test("is shown in its row and in GET /agent-workers, filtered by state and role", async () => {
    const { agent } = (await mint()).body;
    const identity = { agent_id: agent.id, project_id: projectId, name: agent.name, project_is_active: true };
    const at = fixture.clock.now();
    await agents.presence.connected(identity, hello, at);
    await agents.presence.workerConnected(identity, hello, at);
    expect((await root.get(`/projects/shop/agents/${agent.id}`)).body).toMatchObject({
      state: "online",
      transport: "ws",
      agent_version: "0.9.0",
      version_status: "incompatible",
      is_outdated: true,
    });
    const workers = (query = "") => root.get(`/projects/shop/agent-workers${query}`);
    expect((await workers()).body).toEqual([
      {
        id: expect.any(String),
        agent_id: agent.id,
        project_id: projectId,
        worker_id: "node-7-1",
        role: "task",
        framework: "node",
        pid: 7,
        started_at: null,
        state: "online",
        last_seen_at: at.toISOString(),
        last_connect_at: at.toISOString(),
        created_at: at.toISOString(),
        updated_at: at.toISOString(),
      },
    ]);
    expect((await workers("?state=offline")).body).toEqual([]);
    expect((await workers("?role=task&state=online&limit=1")).body).toHaveLength(1);
    for (const limit of ["0", "501", "x"]) expect((await workers(`?limit=${limit}`)).status).toBe(422);
  });
});
