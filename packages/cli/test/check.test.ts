import { once } from "node:events";
import { access, chmod, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { freePort } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { startHttpsServer } from "@svc/testkit/services/https-server";
import { startMailServer } from "@svc/testkit/services/mail";
import { describe, expect, onTestFinished, test } from "vitest";
import { svc as runHere } from "./in-process.ts";
import { databaseFor, runSvc, scratchFolder } from "./svc-process.ts";

const svc = (home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runHere(args, { SVC_HOME: home, ...env }, { cwd: home });

/** The home and database of a stopped service. */
async function stoppedService(dialect: "sqlite" | "postgres") {
  const home = await scratchFolder();
  const url = await databaseFor(home, dialect);
  const brain = await startTestBrain({ dialect, databaseUrl: url, home });
  await brain.mintAgent("quiet");
  await brain.stop();
  await chmod(home, 0o700);
  const env = { SVC_DATABASE_URL: url, SVC_BIND_PORT: String(await freePort()) };
  const run = (args: readonly string[], more: Record<string, string> = {}) => svc(home, args, { ...env, ...more });
  const started = (args: readonly string[], more: Record<string, string> = {}) =>
    runSvc(args, { cwd: home, env: { SVC_HOME: home, ...env, ...more } });
  return { home, url, run, started };
}

/** No feature reads this table. */
const migrations = "schema_migrations" as never;

const lineOf = (check: string) => new RegExp(`^(ok|warning|failed) +${check} +(.+)$`, "m");
const statusOf = (out: string, check: string) => lineOf(check).exec(out)?.[1];

for (const dialect of testDialects) {
  describe(`svc check on ${dialect}`, () => {
    test("reports a stopped service as ok, also as one JSON document", async () => {
      const { run, started } = await stoppedService(dialect);
      const { code, out, err } = await started(["check"]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(
        out
          .trimEnd()
          .split("\n")
          .map((line) => line.split(/ +/).slice(0, 2).join(" ")),
      ).toEqual([...["ok settings", "ok database", "ok migrations", "ok secrets", "ok audit"]]);
      const { status, findings } = JSON.parse((await run(["check", "--json"])).out);
      expect(status).toBe("ok");
      expect(findings[1]).toEqual({
        check: "database",
        status: "ok",
        message: expect.stringMatching(dialect === "postgres" ? /^PostgreSQL \d/ : /^SQLite \d/),
        advice: null,
      });
    });

    test("finds secrets of another database, and a changed state", async () => {
      const { run, url } = await stoppedService(dialect);
      const other = "another-secret-0123456789-0123456789";
      const wrong = await run(["check"], { SVC_SECRET: other, SVC_AUDIT_CHAIN_SECRET: other });
      expect(wrong.code).toBe(1);
      expect([statusOf(wrong.out, "secrets"), statusOf(wrong.out, "audit")]).toEqual(["failed", "failed"]);
      expect(wrong.out).toContain("add it to SVC_PREVIOUS_SECRETS");
      expect(wrong.out).not.toContain("another-secret");

      const database = await openDatabaseAt(url);
      const { state } = await database.read.selectFrom("audit_chain_state").select("state").executeTakeFirstOrThrow();
      const more = state.replace('"active_row_count":', '"active_row_count":1');
      await database.write((tx) => tx.updateTable("audit_chain_state").set({ state: more }).execute());
      await database.close();
      const changed = await run(["check"]);
      expect([changed.code, statusOf(changed.out, "audit")]).toEqual([1, "failed"]);
    });

    test("reports missing migrations, and migrations of a newer program", async () => {
      const { run, url } = await stoppedService(dialect);
      const database = await openDatabaseAt(url);
      onTestFinished(() => database.close());
      const future = { name: "9999_future", applied_at: new Date() } as never;
      await database.write((tx) => tx.insertInto(migrations).values(future).execute());
      expect(await run(["check"])).toMatchObject({
        code: 1,
        out: expect.stringContaining("newer than this program: 9999_future"),
      });
      await database.write((tx) => tx.deleteFrom(migrations).execute());
      const missing = await run(["check"]);
      expect([missing.code, statusOf(missing.out, "migrations")]).toEqual([0, "warning"]);
      const manual = await run(["check"], { SVC_AUTO_MIGRATE: "false" });
      expect([manual.code, statusOf(manual.out, "migrations")]).toEqual([1, "failed"]);
    });
  });

  describe(`svc doctor on ${dialect}`, () => {
    test("checks the port, agents, clocks, proxies and disk of a running service", async () => {
      const home = await scratchFolder();
      const url = await databaseFor(home, dialect);
      const brain = await startTestBrain({ dialect, databaseUrl: url, home });
      onTestFinished(() => brain.stop());
      await brain.mintAgent("never");
      await brain.connectAgent();
      const env = { SVC_HOME: home, SVC_DATABASE_URL: url, SVC_BIND_PORT: String(brain.running.port) };

      const { code, out } = await runSvc(["doctor"], { cwd: home, env });

      expect(code).toBe(0);
      expect(out).toMatch(/^ok +port +.+ is in use by the running service$/m);
      expect(out).toMatch(/^warning +agents +\S+\/never never connected\. Start it with the token/m);
      expect(out).toMatch(/^ok +agents +\S+\/agent-\S+: last contact \d+ s ago, version \d/m);
      for (const check of ["clock", "proxies", "disk", "mail"]) expect(statusOf(out, check)).toBe("ok");
    });
  });
}

describe("svc check", () => {
  test("exits with 3 for invalid settings, and lists every fault without its value", async () => {
    const home = await scratchFolder();
    const { code, out } = await svc(home, ["check"], { SVC_LOG_LEVEL: "loudly", SVC_BIND_PORT: "0" });
    expect(code).toBe(3);
    expect(out.match(/^failed +settings +SVC_\w+ \(environment\) /gm)).toHaveLength(2);
    expect(out).not.toContain("loudly");
  });

  test("exits with 4 when the database is unreachable, without printing credentials", async () => {
    const home = await scratchFolder();
    const url = `postgres://bob:hunter2secret@127.0.0.1:${await freePort()}/shop`;
    const { code, out, err } = await svc(home, ["check"], { SVC_DATABASE_URL: url });
    expect(code).toBe(4);
    expect(out).toMatch(/^failed +database +.+ cannot be opened: the connection was refused\. /m);
    expect(out + err).not.toMatch(/hunter2|bob/);
  });

  test("creates nothing before the first start of a service", async () => {
    const folder = await scratchFolder();
    const home = join(folder, "home");
    const { code, out } = await svc(folder, ["doctor"], { SVC_HOME: home });
    expect([code, statusOf(out, "database")]).toEqual([0, "warning"]);
    await expect(access(home)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("asks for the secrets of an existing database", async () => {
    const { run, home } = await stoppedService("sqlite");
    const { code, out } = await run(["check"], { SVC_HOME: join(home, "elsewhere") });
    expect(code).toBe(1);
    expect(out.match(/^failed +secrets +SVC_\w*SECRET is not set/gm)).toHaveLength(3);
  });

  test("warns about a home that others can read, and about unknown settings", async () => {
    const { run, home } = await stoppedService("sqlite");
    await chmod(home, 0o755);
    const { code, out } = await run(["check"], { SVC_COLOUR: "blue" });
    expect([code, statusOf(out, "home")]).toEqual([0, "warning"]);
    expect(out).toMatch(/^warning +settings +SVC_COLOUR in the environment is not a known setting/m);
  });
});

describe("svc doctor", () => {
  test("finds a port in use, and trusted proxies that match every address", async () => {
    const taken = createServer((socket) => socket.end());
    taken.listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const { run } = await stoppedService("sqlite");
    const { code, out } = await run(["doctor"], { SVC_BIND_PORT: String(port), SVC_TRUSTED_PROXIES: "0.0.0.0/0" });
    expect(code).toBe(1);
    expect(out).toMatch(/^failed +port +.+ is in use by another program\. /m);
    expect(statusOf(out, "proxies")).toBe("failed");
  });

  test("warns about a public URL behind an unknown proxy, and about a certificate that browsers refuse", async () => {
    const site = await startHttpsServer();
    onTestFinished(() => site.stop());
    const { run, started } = await stoppedService("sqlite");
    // The certificate is trusted only in this process.
    const refused = await started(["doctor"], { SVC_PUBLIC_URL: site.url });
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(
      /^failed +tls +the certificate of 127\.0\.0\.1 is valid until 2126-\S+, but browsers refuse it/m,
    );
    const away = await run(["doctor"], { SVC_PUBLIC_URL: `https://svc.example.org:${await freePort()}` });
    expect([away.code, statusOf(away.out, "tls"), statusOf(away.out, "proxies")]).toEqual([0, "warning", "warning"]);
  });

  test("signs in to the mail server without sending a mail or printing the password", async () => {
    const mail = await startMailServer();
    onTestFinished(() => mail.stop());
    const { run } = await stoppedService("sqlite");
    const from = { SVC_MAIL_FROM: "svc@example.org" };
    const taken = await run(["doctor"], { ...from, SVC_MAIL_URL: mail.url });
    expect([taken.code, statusOf(taken.out, "mail")]).toEqual([0, "ok"]);
    expect(mail.mails).toEqual([]);
    const wrong = await run(["doctor"], { ...from, SVC_MAIL_URL: mail.url.replace(mail.password, "hunter2secret") });
    expect([wrong.code, statusOf(wrong.out, "mail")]).toEqual([1, "failed"]);
    expect(wrong.out + wrong.err).not.toContain("hunter2");
  });
});

describe("svc config", () => {
  test("shows every setting with its source, hides secrets and creates nothing", async () => {
    const home = await scratchFolder();
    await writeFile(join(home, ".env"), "SVC_LOG_LEVEL=warn\n");
    const secret = { SVC_SECRET: "planted-secret-0123456789-0123456789" };
    const { code, out } = await svc(home, ["config", "show"], { ...secret, SVC_HOME: join(home, "absent") });
    expect(code).toBe(0);
    expect(out).toContain(`SVC_LOG_LEVEL=warn  (${join(home, ".env")})\n`);
    expect(out).toContain("SVC_SECRET=***  (environment)\n");
    expect(out).toContain("SVC_SESSION_SECRET=  (unset)\n");
    expect(out).not.toContain("planted");
    expect(await readdir(home)).toEqual([".env"]);

    const { settings } = JSON.parse((await svc(home, ["config", "show", "--json"], secret)).out);
    expect(settings).toContainEqual({ name: "SVC_SECRET", value: "***", source: "environment", is_secret: true });
    expect(settings).toContainEqual({ name: "SVC_BIND_PORT", value: 7700, source: "default", is_secret: false });
    const revealed = await svc(home, ["config", "show", "--reveal-secrets"], secret);
    expect(revealed.out).toContain(`SVC_SECRET=${secret.SVC_SECRET}  (environment)\n`);
  });

  test("validate exits with 3 and lists every fault without its value", async () => {
    const home = await scratchFolder();
    await writeFile(join(home, "config.env"), "SVC_COLOUR=planted\nSVC_LOG_LEVEL=planted\n");
    const { code, out, err } = await svc(home, ["config", "validate"], { SVC_BIND_PORT: "99999" });
    expect(code).toBe(3);
    expect(out.trimEnd().split("\n").sort()).toEqual([
      expect.stringMatching(/^SVC_BIND_PORT \(environment\) must be /),
      expect.stringMatching(/^SVC_COLOUR \(\S+config\.env\) is not a known setting$/),
      expect.stringMatching(/^SVC_LOG_LEVEL \(\S+config\.env\) must be /),
    ]);
    expect(out + err).not.toMatch(/planted|99999/);
    const { valid, faults } = JSON.parse((await svc(home, ["config", "validate", "--json"])).out);
    expect([valid, faults.length]).toEqual([false, 2]);
  });

  test("validate confirms valid settings and creates nothing", async () => {
    const home = await scratchFolder();
    expect(await svc(home, ["config", "validate"])).toEqual({ code: 0, out: "the settings are valid\n", err: "" });
    expect(await readdir(home)).toEqual([]);
  });
});
