import { spawn, spawnSync } from "node:child_process";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { enrollSecondFactor, waitFor } from "@svc/testkit";
import { signIn, startTestBrain, testPassword } from "@svc/testkit/brain";
import { builtProgram, plainEnvironment } from "@svc/testkit/built-program";
import { freshDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Ran, svc as runHere } from "./in-process.ts";
import { databaseFor, runSvc, scratchFolder } from "./svc-process.ts";

const quickHashes = { SVC_ARGON2_TIME_COST: "1", SVC_ARGON2_MEMORY_COST: "8192", SVC_ARGON2_PARALLELISM: "1" };
const password = "planted Secret 1 of tests";
const otherPassword = "planted Secret 2 of tests";

/** A home and a database without accounts: `svc` runs in this process, `started` in its own. Checks that no output contains a password. */
async function setUp(dialect: "sqlite" | "postgres", makeDatabase?: typeof freshDatabaseUrl) {
  const home = await scratchFolder();
  const url = await databaseFor(home, dialect, makeDatabase);
  const env = { SVC_HOME: home, SVC_DATABASE_URL: url, ...quickHashes };
  async function svc(args: readonly string[], input?: string, more: Record<string, string> = {}): Promise<Ran> {
    const ran = await runHere(args, { ...env, ...more }, { ...(input !== undefined && { input: `${input}\n` }) });
    expect(ran.out + ran.err).not.toContain("planted");
    return ran;
  }
  async function started(args: readonly string[], input = ""): Promise<Ran> {
    const ran = await runSvc(args, { cwd: home, env, input: `${input}\n` });
    expect(ran.out + ran.err).not.toContain("planted");
    return ran;
  }
  async function auditRows() {
    const database = await openDatabaseAt(url);
    try {
      const rows = await database.read
        .selectFrom("audit_log")
        .select(["action", "target_id", "metadata"])
        .orderBy("occurred_us")
        .execute();
      return rows.map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) }));
    } finally {
      await database.close();
    }
  }
  const startAndStop = async () => (await startTestBrain({ dialect, databaseUrl: url, home })).stop();
  async function startBrain() {
    const brain = await startTestBrain({ dialect, databaseUrl: url, home });
    onTestFinished(() => brain.stop());
    return brain;
  }
  return { home, url, svc, started, auditRows, startBrain, startAndStop };
}

for (const dialect of testDialects) {
  describe(`account rescue on ${dialect}`, () => {
    test("bootstrap-admin creates the first administrator before the first start, and refuses once an account exists", async () => {
      const { svc, auditRows, home } = await setUp(dialect, freshDatabaseUrl);
      const first = await svc(["bootstrap-admin", " Ann@Example.org", "--stdin", "--json"], "short 1");
      expect(first).toMatchObject({ code: 2, err: expect.stringContaining("is not a valid email address") });
      const weak = await svc(["bootstrap-admin", "ann@example.org", "--stdin"], "password");
      expect(weak).toMatchObject({
        code: 6,
        out: "",
        err: expect.stringMatching(/^svc: the password must have at least 12 characters and .*common password/),
      });

      const done = await svc(["bootstrap-admin", "Ann@Example.org", "--stdin", "--json"], password);
      expect(done.code).toBe(0);
      const { user_id, ...rest } = JSON.parse(done.out);
      expect(rest).toEqual({ email: "Ann@Example.org", outcome: "first" });
      const rows = await auditRows();
      expect(rows).toContainEqual({
        action: "setup.completed",
        target_id: user_id,
        metadata: { method: "cli", via: "cli" },
      });
      expect(rows).toContainEqual({
        action: "user.created",
        target_id: user_id,
        metadata: { is_admin: true, via: "cli" },
      });
      await access(join(home, "secret.env"));

      const again = await svc(["bootstrap-admin", "bob@example.org", "--stdin"], password);
      expect(again).toMatchObject({ code: 6, out: "" });
      expect(again.err).toMatch(/^svc: accounts already exist\. Use --force to make bob@example\.org an administrator/);
      expect(await auditRows()).toHaveLength(rows.length);
    });

    test("bootstrap-admin --force adds an administrator or promotes an account while a service runs", async () => {
      const { svc, auditRows, startBrain } = await setUp(dialect);
      const { as, url } = await startBrain();
      const users = (await as.root.get("/users")).body as { id: string; email: string; is_admin: boolean }[];
      const viewer = users.find(({ email }) => email.startsWith("viewer"))!;
      await as.root.patch(`/users/${viewer.id}`, { is_active: false });

      const weak = await svc(["bootstrap-admin", "bob@example.org", "--force", "--stdin"], "password");
      expect(weak.code).toBe(6);
      const more = await svc(["bootstrap-admin", "bob@example.org", "--force"], undefined, {
        SVC_NEW_PASSWORD: password,
      });
      expect(more).toMatchObject({ code: 0, out: "bob@example.org is now an administrator\n" });
      const bob = await signIn(url, "bob@example.org", password);
      expect((await bob.get("/auth/me")).body).toMatchObject({ is_admin: true });

      const promoted = await svc(["bootstrap-admin", viewer.email.toUpperCase(), "--force"]);
      expect(promoted.code).toBe(0);
      expect(promoted.out).toBe(`${viewer.email} is now an active administrator and keeps its password\n`);
      const admin = await signIn(url, viewer.email, testPassword);
      expect((await admin.get("/users")).status).toBe(200);
      const rows = (await auditRows()).filter(({ metadata }) => metadata.via === "cli");
      expect(rows.map(({ action }) => action)).toEqual(["user.created", "user.updated"]);
      expect(rows[1]?.metadata).toMatchObject({ changed: ["is_admin", "is_active"], is_admin: true, is_active: true });
    });

    test("changepassword unlocks, ends sessions and devices, and a running service notices", async () => {
      const { svc, auditRows, startBrain } = await setUp(dialect);
      const brain = await startBrain();
      const { as, url } = brain;
      const ended: string[] = [];
      brain.running.brain.features.sessions.onEnded(({ userId }) => void ended.push(userId));
      const me = (await as.operator.get("/auth/me")).body as { id: string; email: string };
      for (let guess = 0; guess < 10; guess += 1)
        await as.anonymous.post("/auth/login", { email: me.email, password: "wrong" });
      expect((await as.anonymous.post("/auth/login", { email: me.email, password: testPassword })).status).toBe(401);

      const key = await as.operator.post("/api-keys", { name: "deploy", scopes: ["projects:read"] });
      const withKey = { authorization: `Bearer ${key.body.token}` };
      expect((await as.anonymous.get("/projects", withKey)).status).toBe(200);

      const done = await svc(["changepassword", me.email, "--stdin", "--json"], password);

      expect(done.code).toBe(0);
      expect(JSON.parse(done.out)).toEqual({
        user_id: me.id,
        email: me.email,
        is_active: true,
        sessions_ended: 1,
        trusted_devices_ended: 0,
        api_keys_revoked: 1,
      });
      expect((await as.anonymous.get("/projects", withKey)).status).toBe(401);
      expect((await as.operator.get("/auth/me")).status).toBe(401);
      expect((await as.anonymous.post("/auth/login", { email: me.email, password: testPassword })).status).toBe(401);
      expect((await (await signIn(url, me.email, password)).get("/auth/me")).status).toBe(200);
      expect((await auditRows()).find(({ action }) => action === "user.password.reset")).toEqual({
        action: "user.password.reset",
        target_id: me.id,
        metadata: { sessions_ended: 1, trusted_devices_ended: 0, api_keys_revoked: 1, via: "cli" },
      });
      // SQLite cannot notify other processes, which poll instead.
      if (dialect === "postgres") await waitFor(() => expect(ended).toEqual([me.id]));
    });

    test("reset-mfa removes a second factor, even a locked one, so the password is enough to sign in", async () => {
      const { svc, started, auditRows, startBrain } = await setUp(dialect);
      const { as, url } = await startBrain();
      const me = (await as.operator.get("/auth/me")).body as { id: string; email: string };
      await enrollSecondFactor(as.operator);
      const pending = await signIn(url, me.email, testPassword);
      expect((await pending.get("/projects")).status).toBe(403);
      for (let guess = 0; guess < 5; guess += 1) await pending.post("/auth/mfa/verify", { code: "000000" });

      expect(await started(["reset-mfa", me.email])).toEqual({
        code: 0,
        out: `${me.email} no longer has a second factor. Revoked 0 API keys\n`,
        err: "",
      });

      expect((await pending.get("/projects")).status).toBe(200);
      expect((await as.operator.get("/auth/mfa/status")).body).toMatchObject({
        enrolled: false,
        remaining_recovery_codes: 0,
      });
      expect((await auditRows()).at(-1)).toEqual({
        action: "user.mfa_disabled",
        target_id: me.id,
        metadata: { api_keys_revoked: 0, via: "cli" },
      });
      const again = await svc(["reset-mfa", me.email]);
      expect(again).toEqual({ code: 6, out: "", err: "svc: this account has no second factor\n" });
    });
  });
}

describe("account rescue", () => {
  test("refuses with the exit codes of the command line", async () => {
    const { svc, startAndStop } = await setUp("sqlite");
    await startAndStop();
    const unknown = { code: 5, out: "", err: "svc: no account has this email address\n" };
    expect(await svc(["changepassword", "unknown@example.org", "--stdin"], password)).toEqual(unknown);
    expect(await svc(["reset-mfa", "unknown@example.org"])).toEqual(unknown);
    expect(await svc(["changepassword", "viewer@example.org", "--stdin"], "short")).toMatchObject({ code: 6 });
    const other = "another-secret-0123456789-0123456789";
    for (const name of ["SVC_SECRET", "SVC_AUDIT_CHAIN_SECRET"]) {
      const refused = await svc(["reset-mfa", "viewer@example.org"], undefined, { [name]: other });
      expect(refused).toMatchObject({
        code: 3,
        err: expect.stringContaining(`${name} (environment) does not match`),
      });
    }
  });

  test.each([
    [["changepassword"], 2],
    [["reset-mfa"], 2],
    [["bootstrap-admin"], 2],
    [["changepassword", "a@b", "c@d"], 2],
    [["changepassword", "--password", "x", "a@b"], 2],
  ] as const)("exits %j with %i", async (args, code) => {
    const ran = await runHere(args);
    expect(ran).toMatchObject({ code, out: "", err: expect.stringMatching(/^usage: svc /m) });
  });

  test.each([["changepassword"], ["reset-mfa"]])(
    "%s creates nothing before the first start of a service",
    async (command) => {
      const cwd = await scratchFolder();
      const home = join(cwd, ".svc");
      const { code, err } = await runHere([command, "ann@example.org"], { SVC_HOME: home }, { cwd });
      expect(code).toBe(4);
      expect(err).toMatch(/^svc: the database file \S+ does not exist\n$/);
      await expect(access(home)).rejects.toMatchObject({ code: "ENOENT" });
    },
  );

  test("exits with 3 when the database exists without its secrets", async () => {
    const { svc, home, startAndStop } = await setUp("sqlite");
    await startAndStop();
    const { code, err } = await svc(["reset-mfa", "viewer@example.org"], undefined, { SVC_HOME: `${home}/elsewhere` });
    expect(code).toBe(3);
    expect(err).toMatch(/^SVC_SECRET \(unset\) is required: .+\nSVC_SESSION_SECRET .+\nSVC_AUDIT_CHAIN_SECRET .+\n/);
  });

  test("reads address and password of the first administrator from the settings", async () => {
    const { svc } = await setUp("sqlite");
    const named = { SVC_BOOTSTRAP_ADMIN_EMAIL: "ann@example.org", SVC_BOOTSTRAP_ADMIN_PASSWORD: password };
    expect(await svc(["bootstrap-admin"], undefined, named)).toEqual({
      code: 0,
      out: "ann@example.org is the first administrator\n",
      err: "",
    });
  });

  test("keeps passwords out of the database, its log and the audit rows", async () => {
    const { started, home } = await setUp("sqlite");
    expect((await started(["bootstrap-admin", "ann@example.org", "--stdin"], password)).code).toBe(0);
    expect((await started(["changepassword", "ann@example.org", "--stdin"], otherPassword)).code).toBe(0);
    const bytes = await readFile(join(home, "svc.db"), "latin1");
    expect(bytes).toContain("ann@example.org");
    expect(bytes).not.toContain("planted");
  });

  const hasScript = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") === true;

  test.runIf(hasScript).each([
    ["asks twice on a terminal without echo", [`${otherPassword}\r`, `${otherPassword}\r`], 0],
    ["exits with 1 when the two differ", [`${otherPassword}\r`, `${otherPassword}!\r`], 1],
    ["exits with 130 for Ctrl-C at the second prompt", [`${otherPassword}\r`, "half\u0003"], 130],
  ])("changepassword %s", async (_what, answers, code) => {
    const { svc, home, url } = await setUp("sqlite");
    await svc(["bootstrap-admin", "ann@example.org", "--stdin"], password);
    const command = `${process.execPath} ${builtProgram} changepassword ann@example.org`;
    const terminal = spawn("script", ["-qefc", command, "/dev/null"], {
      cwd: home,
      env: { ...plainEnvironment, HOME: home, SVC_HOME: home, SVC_DATABASE_URL: url, ...quickHashes },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void terminal.kill("SIGKILL"));
    let shown = "";
    terminal.stdout.on("data", (chunk) => {
      shown += chunk;
    });
    const ended = new Promise((resolve) => terminal.once("close", resolve));

    for (const [index, question] of ["New password: ", "Repeat password: "].entries()) {
      await waitFor(() => expect(shown).toContain(question));
      terminal.stdin.write(answers[index]);
    }

    expect(await ended).toBe(code);
    expect(shown).not.toContain("planted");
    expect(shown.includes("has a new password")).toBe(code === 0);
  });
});
