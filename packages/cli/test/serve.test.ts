import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { freePort } from "@svc/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratchFolder, startSvc } from "./svc-process.ts";

/** Fast password hashing. */
const quickHashes = { SVC_ARGON2_TIME_COST: "1", SVC_ARGON2_MEMORY_COST: "8192", SVC_ARGON2_PARALLELISM: "1" };

async function serve(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  const home = await scratchFolder();
  const port = await freePort();
  const svc = startSvc(["serve", "--port", String(port), ...args], { cwd: home, env: { ...quickHashes, ...env } });
  return { svc, home, port, url: `http://localhost:${port}` };
}

describe("svc serve", () => {
  test("prints its address and, without an account, a working setup link", async () => {
    const { svc, url } = await serve();

    const [, link] = await svc.prints(/Create the first administrator: (\S+)\n/);
    const [, address] = await svc.prints(/svc is ready at (\S+)\n/);

    expect(address).toBe(url);
    expect(link).toMatch(new RegExp(`^${url}/setup#token=[\\w-]{40,}$`));
    expect((await fetch(link as string)).status).toBe(200);
    expect(await (await fetch(`${url}/api/v1/setup/status`)).json()).toEqual({ first_boot: true });
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });

  test("prints one ready line to standard error, and only logs to standard output", async () => {
    const { svc, url } = await serve();
    await svc.prints(/svc is ready/);
    svc.child.kill("SIGTERM");
    await svc.ended;

    expect(svc.written.err.match(/^svc is ready at .*$/gm)).toEqual([`svc is ready at ${url}`]);
    const logged = svc.written.out.trimEnd().split("\n");
    expect(logged.map((line) => JSON.parse(line).event)).toContain("brain.started");
  });

  test("prints no setup link when the settings name an administrator", async () => {
    const { svc } = await serve({
      SVC_BOOTSTRAP_ADMIN_EMAIL: "ann@example.org",
      SVC_BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery",
    });
    await svc.prints(/svc is ready/);
    expect(svc.written.err).not.toContain("administrator");
    expect(svc.written.out + svc.written.err).not.toContain("correct horse battery");
  });

  test("stores its database and secrets in the home folder", async () => {
    const { svc, home } = await serve();
    await svc.prints(/svc is ready/);
    for (const file of ["svc.db", "secret.env"]) await access(join(home, ".svc", file));
  });

  test("drains and exits with 0 on SIGTERM, although a client keeps its connection open", async () => {
    const { svc, port, url } = await serve();
    await svc.prints(/svc is ready/);
    const idle = await fetch(`${url}/health`); // fetch keeps the connection
    expect(idle.status).toBe(200);
    const silent = (await import("node:net")).connect(port, "127.0.0.1");
    onTestFinished(() => void silent.destroy());
    silent.on("error", () => {});
    await once(silent, "connect");

    svc.child.kill("SIGTERM");

    expect(await svc.ended).toBe(0);
  });

  test("starts again on existing data", async () => {
    const { svc, home, port } = await serve();
    await svc.prints(/svc is ready/);
    svc.child.kill("SIGTERM");
    await svc.ended;

    const again = startSvc(["serve", "--port", String(port)], { cwd: home });

    await again.prints(/svc is ready/);
    expect(again.written.out).not.toContain("database.migrated");
    expect(again.written.err).toContain("Create the first administrator");
  });

  test("exits with 3 and lists every invalid setting without its value", async () => {
    const { svc } = await serve({
      SVC_LOG_LEVEL: "loudly",
      SVC_SECRET: "tooshort",
      SVC_MAX_BODY_BYTES: "-7",
      SVC_DASHBOARD_DIST: "/nowhere",
    });

    expect(await svc.ended).toBe(3);

    for (const name of ["SVC_LOG_LEVEL", "SVC_SECRET", "SVC_MAX_BODY_BYTES", "SVC_DASHBOARD_DIST"])
      expect(svc.written.err).toMatch(new RegExp(`^${name} \\(environment\\) .+$`, "m"));
    expect(svc.written.err).toMatch(/^svc: invalid settings$/m);
    expect(svc.written.err).not.toMatch(/loudly|tooshort|-7|nowhere/);
    expect(svc.written.out).toBe("");
  });

  test.each([
    ["SVC_SECRET", "SVC_PREVIOUS_SECRETS"],
    ["SVC_AUDIT_CHAIN_SECRET", "SVC_AUDIT_CHAIN_PREVIOUS_SECRETS"],
  ])("exits with 3 when %s belongs to another database", async (name, previous) => {
    const { svc, home, port } = await serve();
    await svc.prints(/svc is ready/);
    svc.child.kill("SIGTERM");
    await svc.ended;
    const env = { ...quickHashes, [name]: "another-secret-0123456789-0123456789" };

    const again = startSvc(["serve", "--port", String(port)], { cwd: home, env });

    expect(await again.ended).toBe(3);
    expect(again.written.err).toBe(
      `svc: ${name} (environment) does not match the database; set the secret it was created with, or add that one to ${previous}\n`,
    );
    expect(again.written.err).not.toContain("another-secret");
  });

  test("exits with 3 for an invalid port", async () => {
    const home = await scratchFolder();
    const svc = startSvc(["serve", "--port", "70000"], { cwd: home });
    expect(await svc.ended).toBe(3);
    expect(svc.written.err).toBe("svc: SVC_BIND_PORT (environment) must be 1 to 65535\n");
  });

  test("exits with 3 and one line when its home folder cannot be created", async () => {
    const folder = await scratchFolder();
    const file = join(folder, "file");
    await writeFile(file, "");
    const home = join(file, "home");
    const { svc } = await serve({ SVC_HOME: home });
    expect(await svc.ended).toBe(3);
    expect(svc.written).toEqual({
      out: "",
      err: `svc: SVC_HOME (environment) cannot be ${home}: ${file} is not a directory\n`,
    });
  });

  test.runIf(process.platform === "linux")("exits with 3 where the system creates no directories", async () => {
    const { svc } = await serve({ SVC_HOME: "/proc/nope" });
    expect(await svc.ended).toBe(3);
    expect(svc.written).toEqual({
      out: "",
      err: "svc: SVC_HOME (environment) cannot be /proc/nope: the directory cannot be created or written (ENOENT)\n",
    });
  });

  test("prints one line when the port is in use", async () => {
    const taken = createServer();
    taken.listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const home = await scratchFolder();

    const svc = startSvc(["serve", "--port", String(port)], { cwd: home, env: { SVC_LOG_LEVEL: "error" } });

    expect(await svc.ended).toBe(1);
    expect(svc.written).toEqual({
      out: "",
      err: `svc: port ${port} on 127.0.0.1 is in use. Choose another one with --port\n`,
    });
  });

  test("exits with 4 when PostgreSQL is unreachable, without printing credentials", async () => {
    const port = await freePort();
    const { svc } = await serve({ SVC_DATABASE_URL: `postgres://bob:hunter2secret@127.0.0.1:${port}/shop` });

    expect(await svc.ended).toBe(4);

    expect(svc.written.err).toBe(
      `svc: the database 127.0.0.1:${port}/shop cannot be opened: the connection was refused\n`,
    );
    expect(svc.written.out).not.toMatch(/hunter2|bob/);
  });

  test("exits with 4 when the database file cannot be opened", async () => {
    const folder = await scratchFolder();
    const { svc } = await serve({ SVC_DATABASE_URL: `sqlite://${folder}/absent/svc.db` });
    expect(await svc.ended).toBe(4);
    expect(svc.written.err).toMatch(/^svc: the database file \S+\/absent\/svc\.db cannot be opened: .+\n$/);
  });

  test("exits with 4 when the schema is not the program's, which a restart does not change", async () => {
    const { svc } = await serve({ SVC_AUTO_MIGRATE: "false" });
    expect(await svc.ended).toBe(4);
    expect(svc.written.err).toMatch(/^svc: the database lacks the migrations .+; SVC_AUTO_MIGRATE is off\n$/);
  });

  test("exits with 3 for several workers on SQLite", async () => {
    const { svc } = await serve({}, ["--workers", "2"]);
    expect(await svc.ended).toBe(3);
    expect(svc.written).toEqual({
      out: "",
      err: "svc: SVC_DATABASE_URL (unset) must be a PostgreSQL server for several workers; SQLite supports only one process\n",
    });
  });

  test("accepts one worker on SQLite", async () => {
    const { svc } = await serve({}, ["--workers", "1"]);
    await svc.prints(/svc is ready at/);
  });

  test.each(["0", "65", "two", "-1"])("exits with 2 for %s workers", async (workers) => {
    const { svc } = await serve({}, [`--workers=${workers}`]);
    expect(await svc.ended).toBe(2);
    expect(svc.written.err).toContain("svc: --workers must be a whole number from 1 to 64\nusage: svc serve");
  });

  test("exits with 2 for an unknown option", async () => {
    const home = await scratchFolder();
    const svc = startSvc(["serve", "--prot", "1"], { cwd: home });
    expect(await svc.ended).toBe(2);
    expect(svc.written.err).toContain("usage: svc serve");
  });
});
