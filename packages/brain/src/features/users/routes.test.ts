import { randomUUID } from "node:crypto";
import { useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";
import type { EndedSessions } from "../sessions/index.ts";

const opened = useTestDatabase("sqlite");
const newPassword = "Cobalt-Meadow-58";
const fixture = useAccess(opened);
let root: Browser;
let rootId: string;

beforeEach(async () => {
  rootId = (await fixture.addUser("root@example.org", { isAdmin: true })).id;
  root = await fixture.signIn("root@example.org");
});

const conflict = (reason: string) => ({ status: 409, body: { error: "conflict", details: { reason } } });
const create = (body: object = {}) =>
  root.send("POST", "/users", { email: "mira@example.org", password: newPassword, ...body });
const login = (email: string, password: string) => fixture.browser().send("POST", "/auth/login", { email, password });

describe("POST /users", () => {
  test("creates an account with its defaults and no memberships, and never shows its password again", async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      email: "mira@example.org",
      first_name: null,
      last_name: null,
      display_name: null,
      is_admin: false,
      is_active: true,
      timezone: "UTC",
      created_at: fixture.clock.now().toISOString(),
      updated_at: fixture.clock.now().toISOString(),
      last_login_at: null,
    });
    const mira = await fixture.signIn("mira@example.org", newPassword);
    expect((await mira.get("/auth/me")).body.memberships).toEqual([]);
    expect((await root.get(`/users/${answer.body.id}`)).body.last_login_at).toBe(fixture.clock.now().toISOString());
    expect(await fixture.auditRows("user.created")).toMatchObject([
      { user_id: rootId, target_id: answer.body.id, metadata: '{"is_admin":false}' },
    ]);
  });

  test("keeps every given field", async () => {
    const given = {
      first_name: "Mira",
      last_name: "Ågren",
      display_name: "Mira Å.",
      is_admin: true,
      timezone: "Asia/Kolkata",
    };
    expect((await create(given)).body).toMatchObject(given);
  });

  test("answers 409 for an address in use, compared without case", async () => {
    await create();
    expect(await create({ email: "MIRA@example.org" })).toMatchObject(conflict("email_in_use"));
  });

  test.each([
    ["a password of fewer characters than the policy requires", { password: "Short-71xyz" }, "password_too_short"],
    ["a password of two character classes", { password: "lowercase1234" }, "password_too_few_classes"],
    ["a password of adjacent keys", { password: "qwertyuiopasdfgh" }, "password_sequence"],
    ["a repetitive password", { password: "maplo-maplo-maplo-" }, "password_repeated"],
    ["the address as password", { email: "marigold@example.org", password: "Marigold-2026" }, "password_personal"],
    ["a name as password", { last_name: "Featherstone", password: "F3atherstone!!1" }, "password_personal"],
    ["a common password", { password: "Password-2026!!" }, "password_common"],
  ])("answers 422, not 500, for %s", async (_what, body, type) => {
    expect(await create(body)).toMatchObject({
      status: 422,
      body: { error: "validation_error", details: { errors: [{ loc: ["body", "password"], type }] } },
    });
    expect(await fixture.auditRows("user.created")).toEqual([]);
  });

  test.each([
    ["no address", { email: undefined }],
    ["an address without @", { email: "mira" }],
    ["a password of 257 characters", { password: `Aa1-${"x".repeat(253)}` }],
    ["an invalid time zone", { timezone: "Mars/Olympus" }],
    ["a name of 201 characters", { display_name: "x".repeat(201) }],
    ["is_admin that is not a boolean", { is_admin: "yes" }],
  ])("answers 422 for %s", async (_what, body) => {
    expect(await create(body)).toMatchObject({ status: 422, body: { error: "validation_error" } });
  });
});

describe("GET /users", () => {
  async function addMany(count: number) {
    for (let index = 0; index < count; index += 1) {
      fixture.clock.advance(1000);
      await opened.database.write((tx) =>
        fixture.users.add(tx, { email: `u${index}@example.org`, displayName: null, passwordHash: "x", isAdmin: false }),
      );
    }
  }
  const emails = async (query: string) =>
    (await root.get(`/users${query}`)).body.map(({ email }: { email: string }) => email);

  test("lists the newest first, as a plain array", async () => {
    await addMany(2);
    expect(await emails("")).toEqual(["u1@example.org", "u0@example.org", "root@example.org"]);
  });

  test("applies limit and offset: a limit outside 1–500 falls back to 100, a negative offset to 0", async () => {
    await addMany(101);
    expect(await emails("?limit=2&offset=1")).toEqual(["u99@example.org", "u98@example.org"]);
    for (const limit of ["0", "-5", "501", "100000"]) expect(await emails(`?limit=${limit}`)).toHaveLength(100);
    expect(await emails("")).toHaveLength(100);
    expect(await emails("?limit=500")).toHaveLength(102);
    expect((await emails("?offset=-3"))[0]).toBe("u100@example.org");
    expect(await emails("?offset=999999999999999")).toEqual([]);
    expect((await root.get("/users?limit=few")).status).toBe(422);
  });

  test("shows no secrets of any user", async () => {
    await create();
    expect(JSON.stringify((await root.get("/users")).body)).not.toMatch(/argon2|password|hash|mfa/);
  });
});

describe("/users is for administrators of the instance:", () => {
  test.each([
    ["GET", "/users"],
    ["GET", `/users/${randomUUID()}`],
    ["POST", "/users"],
    ["PATCH", `/users/${randomUUID()}`],
    ["POST", `/users/${randomUUID()}/password`],
    ["DELETE", `/users/${randomUUID()}`],
  ] as const)("%s %s answers 401 without a session and 403 to other users", async (method, path) => {
    await fixture.addUser("nora@example.org");
    const nora = await fixture.signIn("nora@example.org");
    const body = { email: "x@example.org", password: newPassword, new_password: newPassword };
    const ask = (as: Browser) => (method === "GET" ? as.get(path) : as.send(method, path, body));
    expect(await ask(fixture.browser())).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
    expect(await ask(nora)).toMatchObject({ status: 403, body: { error: "forbidden" } });
    if (method === "GET") return;
    const forged = await root.send(method, path, body, { "x-csrf-token": "" });
    expect(forged).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
  });

  test("an unknown account is 404, a malformed id 422", async () => {
    const unknown = `/users/${randomUUID()}`;
    const notFound = { status: 404, body: { error: "not_found" } };
    expect(await root.get(unknown)).toMatchObject(notFound);
    expect(await root.send("PATCH", unknown, { is_admin: false })).toMatchObject(notFound);
    expect(await root.send("POST", `${unknown}/password`, { new_password: newPassword })).toMatchObject(notFound);
    expect(await root.send("DELETE", unknown)).toMatchObject(notFound);
    expect((await root.get("/users/7")).status).toBe(422);
  });
});

describe("PATCH /users/{user_id}", () => {
  test("changes the given fields and ignores others, including the email address", async () => {
    const { id } = (await create()).body;
    fixture.clock.advance(5000);
    const answer = await root.send("PATCH", `/users/${id}`, {
      first_name: "Mira",
      timezone: "Europe/Paris",
      is_admin: true,
      email: "other@example.org",
      password_hash: "x",
      failed_logins: 7,
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { first_name: "Mira", timezone: "Europe/Paris", is_admin: true, email: "mira@example.org" },
    });
    expect(answer.body.updated_at).toBe(fixture.clock.now().toISOString());
    expect(await fixture.users.findById(id)).toMatchObject({ failed_logins: 0, email: "mira@example.org" });
    expect((await fixture.auditRows("user.updated")).map(({ metadata }) => metadata)).toEqual([
      '{"changed":["first_name","timezone","is_admin"],"is_admin":true}',
    ]);
  });

  test("answers 200 and writes no audit row when nothing changes", async () => {
    const { id } = (await create()).body;
    expect((await root.send("PATCH", `/users/${id}`, { is_active: true, email: "x@example.org" })).status).toBe(200);
    expect(await fixture.auditRows("user.updated")).toEqual([]);
  });

  test("with is_active=false ends every session of the user immediately and blocks sign-in", async () => {
    const { id } = (await create()).body;
    const mira = await fixture.signIn("mira@example.org", newPassword);
    await fixture.signIn("mira@example.org", newPassword, true);
    const ended: EndedSessions[] = [];
    fixture.sessions.onEnded((event) => void ended.push(event));

    expect((await root.send("PATCH", `/users/${id}`, { is_active: false })).body.is_active).toBe(false);

    expect((await mira.get("/auth/me")).status).toBe(401);
    expect(ended).toEqual([{ userId: id, sessionIds: [expect.any(String), expect.any(String)] }]);
    expect((await login("mira@example.org", newPassword)).status).toBe(401);
    expect((await fixture.auditRows("user.updated"))[0]?.metadata).toBe(
      '{"changed":["is_active"],"is_active":false,"sessions_ended":2}',
    );
    await root.send("PATCH", `/users/${id}`, { is_active: true });
    expect((await mira.get("/auth/me")).status).toBe(401);
    expect((await login("mira@example.org", newPassword)).status).toBe(200);
  });

  test.each([{ is_admin: false }, { is_active: false }, { is_admin: false, is_active: false }])(
    "refuses %j for one's own account with 409, even when others are administrators",
    async (changes) => {
      await create({ is_admin: true });
      expect(await root.send("PATCH", `/users/${rootId}`, changes)).toMatchObject(conflict("own_account"));
      expect(await fixture.users.findById(rootId)).toMatchObject({ is_admin: true, is_active: true });
      expect((await root.send("PATCH", `/users/${rootId}`, { display_name: "Root" })).status).toBe(200);
    },
  );

  test("demotes another administrator, including an inactive one", async () => {
    const { id } = (await create({ is_admin: true })).body;
    await root.send("PATCH", `/users/${id}`, { is_active: false });
    expect((await root.send("PATCH", `/users/${id}`, { is_admin: false })).status).toBe(200);
  });

  test.each([
    ["an invalid time zone", { timezone: "+01:00" }],
    ["is_active that is not a boolean", { is_active: "false" }],
    ["a name with a line break", { last_name: "a\nb" }],
  ])("answers 422 for %s", async (_what, body) => {
    expect((await root.send("PATCH", `/users/${rootId}`, body)).status).toBe(422);
  });
});

describe("POST /users/{user_id}/password", () => {
  test("sets a new password without the old one and ends sessions, trusted devices, reset links and the lock", async () => {
    const { id } = (await create()).body;
    const mira = await fixture.signIn("mira@example.org", newPassword);
    const now = fixture.clock.now();
    const later = new Date(now.getTime() + 60_000);
    const of = { user_id: id, created_at: now, expires_at: later };
    await opened.database.write(async (tx) => {
      const device = {
        id: randomUUID(),
        token_hash: "d",
        label: "Firefox",
        last_seen_at: now,
        revoked_at: null,
        ...of,
      };
      await tx.insertInto("trusted_devices").values(device).execute();
      const token = { id: randomUUID(), token_hash: "t", used_at: null, ...of };
      await tx.insertInto("password_reset_tokens").values(token).execute();
    });
    for (let attempt = 0; attempt < 3; attempt += 1) await login("mira@example.org", "Wrong-Password-1");
    expect((await login("mira@example.org", newPassword)).status).toBe(401);

    const answer = await root.send("POST", `/users/${id}/password`, { new_password: adminPassword });

    expect(answer.status).toBe(204);
    expect((await mira.get("/auth/me")).status).toBe(401);
    expect((await login("mira@example.org", newPassword)).status).toBe(401);
    expect((await login("mira@example.org", adminPassword)).status).toBe(200);
    expect(await opened.database.read.selectFrom("trusted_devices").selectAll().execute()).toEqual([]);
    expect(await opened.database.read.selectFrom("password_reset_tokens").selectAll().execute()).toEqual([]);
    expect(await fixture.auditRows("user.password.reset")).toMatchObject([
      {
        user_id: rootId,
        target_id: id,
        metadata: '{"api_keys_revoked":0,"sessions_ended":1,"trusted_devices_ended":1}',
      },
    ]);
  });

  test("applies the password policy: 422 changes nothing", async () => {
    const { id } = (await create()).body;
    const answer = await root.send("POST", `/users/${id}/password`, { new_password: "lowercase1234" });
    expect(answer).toMatchObject({
      status: 422,
      body: { details: { errors: [{ loc: ["body", "new_password"], type: "password_too_few_classes" }] } },
    });
    expect((await login("mira@example.org", newPassword)).status).toBe(200);
  });
});

describe("DELETE /users/{user_id}", () => {
  test("refuses one's own account with 409", async () => {
    await create({ is_admin: true });
    expect(await root.send("DELETE", `/users/${rootId}`)).toMatchObject(conflict("own_account"));
  });

  test("ends the user's sessions immediately and frees the address", async () => {
    const { id } = (await create()).body;
    const mira = await fixture.signIn("mira@example.org", newPassword);
    const ended: EndedSessions[] = [];
    fixture.sessions.onEnded((event) => void ended.push(event));
    expect((await root.send("DELETE", `/users/${id}`)).status).toBe(204);
    expect(ended).toMatchObject([{ userId: id }]);
    expect((await mira.get("/auth/me")).status).toBe(401);
    expect((await root.get(`/users/${id}`)).status).toBe(404);
    expect((await root.send("DELETE", `/users/${id}`)).status).toBe(404);
    expect((await create()).status).toBe(201);
  });
});
