import { randomUUID } from "node:crypto";
import type { ApiClient } from "@svc/testkit/brain";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const readTasks = { name: "reader", scopes: ["tasks:read"] };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

for (const dialect of routeDialects) {
  describe(`API keys on ${dialect}`, () => {
    let brain: TestBrain;
    let projectAdmin: ApiClient;
    const db = () => brain.running.brain.database;
    const mint = (body: unknown, as: ApiClient = brain.as.viewer) => as.post("/api-keys", body);
    const withKey = (token: string, path: string) => brain.as.anonymous.get(path, { authorization: `Bearer ${token}` });
    const rows = (action: string) =>
      db()
        .read.selectFrom("audit_log")
        .selectAll()
        .where("action", "=", action)
        .orderBy("occurred_us", "desc")
        .execute();
    const idOf = async (email: string) =>
      (await brain.running.brain.features.users.findByEmail(`${email}@example.org`))?.id ?? "";

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      projectAdmin = await brain.addMember("boss", "admin");
    });
    afterAll(() => brain.stop());
    beforeEach(() => db().write((tx) => tx.deleteFrom("api_keys").execute()));

    describe("POST /api-keys", () => {
      test("returns the key with its token once, stores only a digest, and writes the audit row", async () => {
        const answer = await mint({
          name: "  deploy script ",
          scopes: ["tasks:write", "home:read", "tasks:write"],
          project_id: brain.project.id,
          expires_in_days: 30,
          allowed_cidrs: ["10.1.2.3/8", "2001:DB8::1/32", "192.0.2.7", "::ffff:198.51.100.9", "10.9.9.9/8"],
        });
        expect(answer.status).toBe(201);
        const { token, ...key } = answer.body;
        expect(token).toMatch(/^svk_[A-Za-z0-9_-]{43}$/);
        expect(key).toEqual({
          id: expect.stringMatching(uuid),
          name: "deploy script",
          prefix: token.slice(0, 8),
          scopes: ["home:read", "tasks:write"],
          project_id: brain.project.id,
          project_slug: "shop",
          last_used_at: null,
          last_used_ip: null,
          expires_at: new Date(Date.parse(key.created_at) + 30 * 86_400_000).toISOString(),
          revoked_at: null,
          revoked_reason: null,
          created_at: expect.stringMatching(/Z$/),
          allowed_cidrs: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7/32", "198.51.100.9/32"],
        });
        const stored = await db().read.selectFrom("api_keys").selectAll().execute();
        expect(stored).toMatchObject([{ id: key.id, token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
        const [row] = await rows("api_key.created");
        expect(row).toMatchObject({ user_id: await idOf("viewer"), target_id: key.id, result: "success" });
        expect(JSON.parse(row?.metadata ?? "")).toEqual({
          name: "deploy script",
          prefix: key.prefix,
          scopes: key.scopes,
          project_id: brain.project.id,
          allowed_cidrs: key.allowed_cidrs,
          expires_at: key.expires_at,
        });
        // Never again: not in the list, the rows, the audit log or the log.
        const listed = await brain.as.viewer.get("/api-keys");
        expect(listed.body).toEqual([key]);
        for (const text of [JSON.stringify(stored), JSON.stringify(row), listed.text, ...brain.logLines])
          expect(text).not.toContain(token.slice(8));
      });

      test("requires only a name and a scope; such a key has no further limits", async () => {
        const { body } = await mint(readTasks);
        expect(body).toMatchObject({ project_id: null, project_slug: null, expires_at: null, allowed_cidrs: null });
        expect(
          (await mint({ ...readTasks, allowed_cidrs: [], project_id: null, expires_in_days: null })).body,
        ).toMatchObject({
          allowed_cidrs: null,
        });
        expect((await withKey(body.token, "/projects/shop/tasks")).status).toBe(200);
      });

      test.each([
        ["no name", { scopes: ["tasks:read"] }],
        ["a blank name", { ...readTasks, name: " " }],
        ["a name of 201 characters", { ...readTasks, name: "x".repeat(201) }],
        ["no scope", { ...readTasks, scopes: [] }],
        ["65 scopes", { ...readTasks, scopes: Array(65).fill("tasks:read") }],
        ["an unknown scope", { ...readTasks, scopes: ["tasks:read", "tasks:delete"] }],
        ["a malformed project id", { ...readTasks, project_id: "shop" }],
        ["an expiry of 0 days", { ...readTasks, expires_in_days: 0 }],
        ["an expiry of 3651 days", { ...readTasks, expires_in_days: 3651 }],
        ["an expiry of half a day", { ...readTasks, expires_in_days: 0.5 }],
        ["33 ranges", { ...readTasks, allowed_cidrs: Array(33).fill("10.0.0.0/8") }],
        ["an invalid range", { ...readTasks, allowed_cidrs: ["10.0.0.0/8", "10.0.0.0/33"] }],
        ["a host name as range", { ...readTasks, allowed_cidrs: ["localhost"] }],
      ])("answers 422 validation_error for %s", async (_what, body) => {
        expect(await mint(body)).toMatchObject({ status: 422, body: { error: "validation_error" } });
        expect((await brain.as.viewer.get("/api-keys")).body).toEqual([]);
      });

      test("names invalid ranges and scopes by position, never by value", async () => {
        const { body, text } = await mint({ ...readTasks, allowed_cidrs: ["10.0.0.0/8", "10.0.0.0/99"] });
        expect(body.details.errors).toMatchObject([{ loc: ["body", "allowed_cidrs", 1], type: "cidr" }]);
        expect(text).not.toContain("/99");
        const scoped = await mint({ ...readTasks, scopes: ["tasks:read", "secret:thing"] });
        expect(scoped.body.details.errors).toMatchObject([{ loc: ["body", "scopes", 1], type: "unknown_scope" }]);
        expect(scoped.text).not.toContain("secret:thing");
      });

      test("answers 409 too_many_keys with 1000 active keys, and lists all of them", async () => {
        const { body } = await mint(readTasks);
        const [row] = await db().read.selectFrom("api_keys").selectAll().where("id", "=", body.id).execute();
        const others = Array.from({ length: 999 }, (_, n) => ({ ...row!, id: randomUUID(), token_hash: `hash-${n}` }));
        await db().write(async (tx) => {
          for (let start = 0; start < others.length; start += 333)
            await tx
              .insertInto("api_keys")
              .values(others.slice(start, start + 333))
              .execute();
        });
        expect(await mint(readTasks)).toMatchObject({
          status: 409,
          body: { error: "conflict", details: { reason: "too_many_keys", limit: 1000 } },
        });
        expect((await brain.as.viewer.get("/api-keys")).body).toHaveLength(1000);
        expect((await brain.as.viewer.delete(`/api-keys/${body.id}`)).status).toBe(204);
        expect((await mint(readTasks)).status).toBe(201);
      });

      test("accepts 32 ranges, and /0", async () => {
        const allowed_cidrs = [...Array.from({ length: 31 }, (_, index) => `10.${index}.0.0/16`), "0.0.0.0/0"];
        expect((await mint({ ...readTasks, allowed_cidrs })).body.allowed_cidrs).toEqual(allowed_cidrs);
      });

      test.each(["users:read", "projects:write", "admin:*"])(
        "grants %s to instance administrators only",
        async (scope) => {
          const body = { name: "wide", scopes: ["tasks:read", scope] };
          expect(await mint(body, projectAdmin)).toMatchObject({
            status: 403,
            body: { error: "forbidden", details: { required: "global_admin", scopes: [scope] } },
          });
          expect((await mint(body, brain.as.root)).status).toBe(201);
        },
      );

      test("binds to a project that its owner can see, and answers the same 404 for any other", async () => {
        const body = { ...readTasks, project_id: brain.project.id };
        const hidden = await mint(body, brain.as.stranger);
        const missing = await mint({ ...body, project_id: randomUUID() }, brain.as.stranger);
        expect(hidden).toMatchObject({ status: 404, body: { error: "not_found", details: { resource: "project" } } });
        expect({ ...missing.body, request_id: "" }).toEqual({ ...hidden.body, request_id: "" });
        const made = await mint({ ...body, project_id: brain.project.id.toUpperCase() }, brain.as.root);
        expect(made.body).toMatchObject({ project_id: brain.project.id, project_slug: "shop" });
      });

      test("requires the CSRF token", async () => {
        const answer = await brain.as.viewer.post("/api-keys", readTasks, { "x-csrf-token": "wrong" });
        expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
      });
    });

    describe("GET /api-keys", () => {
      test("lists the caller's own active keys, newest first", async () => {
        await mint({ ...readTasks, name: "of another" }, brain.as.operator);
        const ids: string[] = [];
        for (const name of ["first", "ended", "revoked", "second"])
          ids.push((await mint({ ...readTasks, name, expires_in_days: 1 })).body.id);
        await db().write((tx) =>
          tx
            .updateTable("api_keys")
            .set({ expires_at: new Date() })
            .where("id", "=", ids[1] ?? "")
            .execute(),
        );
        await brain.as.viewer.delete(`/api-keys/${ids[2]}`);
        const { body } = await brain.as.viewer.get("/api-keys");
        expect(body.map(({ name }: { name: string }) => name)).toEqual(["second", "first"]);
        expect(body[0]).not.toHaveProperty("token");
        expect(body[0]).not.toHaveProperty("token_hash");
      });
    });

    test("GET /api-keys/scopes returns the catalogue", async () => {
      const { body } = await brain.as.viewer.get("/api-keys/scopes");
      expect(body.scopes.join(", ")).toBe(
        "home:read, projects:read, tasks:read, workers:read, queues:read, agents:read, commands:read, " +
          "schedules:read, audit:read, memberships:read, users:read, tasks:write, agents:write, " +
          "commands:write, schedules:write, projects:write, memberships:write, admin:*",
      );
      expect(body.admin_only).toEqual(["users:read", "projects:write", "admin:*"]);
    });

    describe("PATCH /api-keys/{key_id}", () => {
      test("replaces the ranges, returns the key without its token, and writes the audit row", async () => {
        const { token, ...key } = (await mint({ ...readTasks, allowed_cidrs: ["10.0.0.0/8"] })).body;
        expect((await withKey(token, "/projects/shop/tasks")).body.error).toBe("ip_denied");
        const changed = await brain.as.viewer.patch(`/api-keys/${key.id.toUpperCase()}`, {
          allowed_cidrs: ["127.0.0.1", "127.0.0.1/32"],
          name: "ignored",
        });
        expect(changed.status).toBe(200);
        expect(changed.body).toEqual({ ...key, allowed_cidrs: ["127.0.0.1/32"] });
        expect((await withKey(token, "/projects/shop/tasks")).status).toBe(200);
        const [row] = await rows("api_key.updated");
        expect(row).toMatchObject({ user_id: await idOf("viewer"), target_id: key.id });
        expect(JSON.parse(row?.metadata ?? "")).toMatchObject({ allowed_cidrs: ["127.0.0.1/32"] });
      });

      test.each([null, []])("treats %j as no ranges", async (allowed_cidrs) => {
        const { body } = await mint({ ...readTasks, allowed_cidrs: ["10.0.0.0/8"] });
        const changed = await brain.as.viewer.patch(`/api-keys/${body.id}`, { allowed_cidrs });
        expect(changed.body.allowed_cidrs).toBeNull();
      });

      test.each([
        {},
        { allowed_cidrs: "10.0.0.0/8" },
        { allowed_cidrs: ["10.0.0.0/99"] },
        { allowed_cidrs: Array(33).fill("::/0") },
      ])("answers 422 for %j", async (body) => {
        const { id } = (await mint(readTasks)).body;
        expect((await brain.as.viewer.patch(`/api-keys/${id}`, body)).status).toBe(422);
      });
    });

    describe("DELETE /api-keys/{key_id}", () => {
      test("ends the key immediately, keeps the row with the reason, and writes the audit row", async () => {
        const { token, id } = (await mint(readTasks)).body;
        expect((await withKey(token, "/projects/shop/tasks")).status).toBe(200);
        expect((await brain.as.viewer.delete(`/api-keys/${id}`)).status).toBe(204);
        expect(await withKey(token, "/projects/shop/tasks")).toMatchObject({
          status: 401,
          body: { error: "unauthenticated" },
        });
        const row = await db().read.selectFrom("api_keys").selectAll().executeTakeFirstOrThrow();
        expect(row).toMatchObject({ revoked_at: expect.any(Date), revoked_reason: "revoked_by_owner" });
        expect((await rows("api_key.revoked"))[0]).toMatchObject({ user_id: await idOf("viewer"), target_id: id });
      });
    });

    test("another user's key, a revoked, an expired and an unknown key are the same 404, unchanged", async () => {
      const others = (await mint(readTasks, brain.as.operator)).body;
      const revoked = (await mint(readTasks)).body;
      await brain.as.viewer.delete(`/api-keys/${revoked.id}`);
      const ended = (await mint({ ...readTasks, expires_in_days: 1 })).body;
      await db().write((tx) =>
        tx.updateTable("api_keys").set({ expires_at: new Date() }).where("id", "=", ended.id).execute(),
      );
      const before = await db().read.selectFrom("api_keys").selectAll().orderBy("id").execute();
      const written = (await rows("api_key.revoked")).length;
      for (const id of [others.id, revoked.id, ended.id, randomUUID()]) {
        const refusal = { status: 404, body: { error: "not_found", details: { resource: "api_key" } } };
        expect(await brain.as.viewer.delete(`/api-keys/${id}`)).toMatchObject(refusal);
        expect(await brain.as.viewer.patch(`/api-keys/${id}`, { allowed_cidrs: null })).toMatchObject(refusal);
      }
      expect(await db().read.selectFrom("api_keys").selectAll().orderBy("id").execute()).toEqual(before);
      expect(await rows("api_key.revoked")).toHaveLength(written);
      expect((await withKey(others.token, "/projects/shop/tasks")).status).toBe(200);
    });

    describe("a key bound to a project", () => {
      test("shows only that project in the lists of projects and at home", async () => {
        await brain.addProject("attic", "Attic");
        const { token } = (await mint({ name: "b", scopes: ["admin:*"], project_id: brain.project.id }, brain.as.root))
          .body;
        const slugs = (rows: { slug: string }[]) => rows.map(({ slug }) => slug);
        expect((await brain.as.root.get("/projects")).body.length).toBeGreaterThan(2);
        expect(slugs((await withKey(token, "/projects")).body)).toEqual(["shop"]);
        expect(slugs((await withKey(token, "/home/summary")).body.projects)).toEqual(["shop"]);
        expect((await withKey(token, "/projects/shop")).status).toBe(200);
        expect(await withKey(token, "/projects/attic")).toMatchObject({
          status: 403,
          body: { error: "forbidden", details: { reason: "project_bound" } },
        });
      });

      test("of an instance administrator with projects:write can still create a project: the collection names no slug", async () => {
        const body = { name: "b", scopes: ["projects:write"], project_id: brain.project.id };
        const { token, id } = (await mint(body, brain.as.root)).body;
        const headers = { authorization: `Bearer ${token}` };
        const made = await brain.as.anonymous.post("/projects", { slug: "by-key", name: "By key" }, headers);
        expect(made).toMatchObject({ status: 201, body: { slug: "by-key" } });
        expect((await rows("project.created"))[0]).toMatchObject({ api_key_id: id, project_id: made.body.id });
      });
    });

    test("no key can use the routes of keys, regardless of its scopes: 403 forbidden", async () => {
      const { token, id } = (await mint({ name: "all", scopes: ["admin:*"] }, brain.as.root)).body;
      const headers = { authorization: `Bearer ${token}` };
      const answers = [
        await brain.as.anonymous.get("/api-keys", headers),
        await brain.as.anonymous.get("/api-keys/scopes", headers),
        await brain.as.anonymous.post("/api-keys", readTasks, headers),
        await brain.as.anonymous.patch(`/api-keys/${id}`, { allowed_cidrs: null }, headers),
        await brain.as.anonymous.delete(`/api-keys/${id}`, headers),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 403, body: { error: "forbidden" } });
    });
  });
}
