import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { freePort } from "@svc/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { svc } from "./in-process.ts";
import { runSvc, scratchFolder, startSvc } from "./svc-process.ts";

describe("svc scheduler next", () => {
  const from = ["--from", "2026-03-28T12:00:00Z"];

  test("prints slots in UTC, and the description as a message", async () => {
    const ran = await svc([
      "scheduler",
      "next",
      "cron",
      "30 2 * * *",
      "--tz",
      "Europe/Berlin",
      "--count",
      "2",
      ...from,
    ]);
    expect(ran).toEqual({
      code: 0,
      out: "2026-03-29T01:00:00.000Z\n2026-03-30T00:30:00.000Z\n",
      err: expect.stringMatching(/^svc: .*02:30.*Berlin.*\n$/),
    });
  });

  test("prints one document with --json", async () => {
    const { code, out } = await svc(["scheduler", "next", "interval", "90", "--count", "1", "--json", ...from]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      kind: "interval",
      expression: "90",
      timezone: "UTC",
      description: expect.stringContaining("90"),
      slots: ["2026-03-28T12:01:30.000Z"],
    });
  });

  test("reports that no slot follows", async () => {
    const ran = await svc(["scheduler", "next", "clocked", "2026-01-01T00:00:00Z", ...from]);
    expect(ran).toEqual({ code: 0, out: "", err: "svc: no slot follows\n" });
  });

  test.each([
    [["cron", "61 * * * *"], /expression: /],
    [["cron", "* * * * *", "--tz", "Mars/Base"], /--tz: /],
    [["lunar", "full"], /kind: /],
    [["cron", "* * * * *", "--count", "0"], /--count must be a whole number from 1 to 1000/],
    [["cron", "* * * * *", "--from", "tomorrow"], /--from /],
    [["cron"], /missing expression/],
    [[], /missing kind: cron, interval, clocked, solar/],
    [["cron", "*", "*"], /unexpected argument/],
  ])("refuses %j", async (words, message) => {
    const ran = await svc(["scheduler", "next", ...words]);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
  });
});

describe("svc scheduler serve", () => {
  const dev = { SVC_ENVIRONMENT: "dev", SVC_SCHEDULER_INSECURE_GRPC: "true" };

  test("serves its state while the service is unreachable, and stops on SIGTERM", async () => {
    const home = await scratchFolder();
    const [port, grpcPort] = [await freePort(), await freePort()];
    const running = startSvc(["scheduler", "serve"], {
      cwd: home,
      env: { ...dev, SVC_SCHEDULER_BRAIN_GRPC_URL: `127.0.0.1:${grpcPort}`, SVC_SCHEDULER_BIND_PORT: String(port) },
    });
    const [, url] = await running.prints(/svc scheduler is ready at (\S+)\n/);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([503, { status: "unhealthy", faults: ["watch_unhealthy"] }]);
    await running.prints(/scheduler\.snapshot\.failed/);

    running.child.kill("SIGTERM");

    expect(await running.ended).toBe(0);
    const events = running.written.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event);
    expect(events).toContain("scheduler.started");
    expect(events.at(-1)).toBe("scheduler.stopped");
  });

  test("lists every invalid setting and exits with 3", async () => {
    const home = await scratchFolder();
    const ran = await runSvc(["scheduler", "serve"], {
      cwd: home,
      env: { SVC_SCHEDULER_INSECURE_GRPC: "true", SVC_SCHEDULER_MISSED_AFTER_SECONDS: "1" },
    });
    expect(ran.code).toBe(3);
    expect(ran.err).toContain("SVC_SCHEDULER_BRAIN_GRPC_URL (unset) is required");
    expect(ran.err).toContain("SVC_SCHEDULER_INSECURE_GRPC (environment) is allowed only when SVC_ENVIRONMENT is dev");
    expect(ran.err).toContain("SVC_SCHEDULER_MISSED_AFTER_SECONDS (environment) must be 5 to 3600");
  });

  test("reads the files of the service, and reports an unreadable certificate", async () => {
    const home = await scratchFolder();
    const files = ["CERT", "KEY", "CA"].map((name) => `SVC_SCHEDULER_TLS_${name}=${join(home, name)}`);
    await writeFile(
      join(home, ".env"),
      ["SVC_SCHEDULER_BRAIN_GRPC_URL=svc.example.org:7701", ...files, ""].join("\n"),
      {
        mode: 0o600,
      },
    );
    const ran = await runSvc(["scheduler", "serve"], { cwd: home });
    expect(ran.code).toBe(3);
    expect(ran.err).toContain("SVC_SCHEDULER_TLS_CA cannot be read (ENOENT)");
  });

  test("exits with 1 when its port is in use", async () => {
    const home = await scratchFolder();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const ran = await runSvc(["scheduler", "serve"], {
      cwd: home,
      env: { ...dev, SVC_SCHEDULER_BRAIN_GRPC_URL: "127.0.0.1:1", SVC_SCHEDULER_BIND_PORT: String(port) },
    });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`port ${port} on 127.0.0.1 is in use. Choose another one with SVC_SCHEDULER_BIND_PORT`);
  });
});
