import { readdir } from "node:fs/promises";
import { freePort, waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { svc as runHere } from "./in-process.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

async function demo() {
  const folder = await scratchFolder();
  const port = await freePort();
  const svc = startSvc(["demo", "--port", String(port)], { cwd: folder });
  const demoFolders = async () => (await readdir(folder)).filter((name) => name.startsWith("svc-demo-"));
  return { svc, port, demoFolders, url: `http://localhost:${port}` };
}

interface Found {
  readonly items: readonly Record<string, unknown>[];
  readonly attributes: readonly { readonly field: string; readonly value: string }[];
  readonly release_overlap: boolean;
}

describe("svc demo", () => {
  test("loads its history, prints a working login, adds live tasks, and removes its folder on Ctrl-C", async () => {
    const { svc, url, demoFolders } = await demo();
    const [, page] = await svc.prints(/svc demo is ready at (\S+)/);
    const [, email] = await svc.prints(/email +(\S+)/);
    const [, password] = await svc.prints(/password +(\S+)/);
    expect(page).toBe(`${url}/p/demo-shop/tasks`);

    const login = await fetch(`${url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    expect(login.status).toBe(200);
    const cookie = login.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");

    const read = async (path: string): Promise<Found> =>
      (await (await fetch(`${url}/api/v1/projects/demo-shop/${path}`, { headers: { cookie } })).json()) as Found;
    const [, loaded = ""] = await svc.prints(/([\d,]+) tasks loaded/);
    expect(Number(loaded.replaceAll(",", ""))).toBeGreaterThan(10_000);

    const dayAgo = new Date(Date.now() - 24 * 3_600_000).toISOString();
    for (const query of ["state=success", "state=failure", `until=${dayAgo}`])
      expect((await read(`tasks?limit=1&${query}`)).items).toHaveLength(1);
    const [broken] = (await read("issues?limit=50")).items.filter(({ sample_exception: text }) =>
      String(text).startsWith("TypeError"),
    );
    const differences = await read(`tasks/differences?fingerprint=${broken?.fingerprint}`);
    expect(differences.release_overlap).toBe(true);
    expect(differences.attributes).toContainEqual(expect.objectContaining({ field: "release", value: "2026.11.4" }));
    expect(differences.attributes).toContainEqual(expect.objectContaining({ field: "kwargs.currency", value: "USD" }));

    const schedules = (await read("schedules")).items;
    expect(schedules.map(({ name }) => name)).toEqual([
      "month-end-export",
      "nightly-invoices",
      "refresh-start-page-thumbnail",
      "regional-invoices",
      "reindex-bestseller",
      "sync-contacts",
    ]);
    for (const { engine, next_run_at, description } of schedules) {
      expect(engine).toBe("demo");
      expect(Date.parse(String(next_run_at))).toBeGreaterThan(0);
      expect(description).toEqual(expect.any(String));
    }

    // Depths, consumers and workers arrive with the next heartbeat.
    await waitFor(
      async () => {
        const exports = (await read("queues")).items.find(({ name }) => name === "exports");
        return Number(exports?.pending_count) > 50 && exports?.consumer_count === 0;
      },
      { that: "a queue without workers" },
    );
    // A worker whose last task of the history is old is offline until the first heartbeat names it.
    await waitFor(
      async () => {
        const offline = (await read("workers")).items.filter(({ state }) => state === "offline");
        return (
          offline
            .map(({ name }) => name)
            .sort()
            .join() === "export-1,media-b"
        );
      },
      { that: "only the two lost workers are offline" },
    );
    const newest = async () => (await read("tasks?limit=1")).items[0]?.task_id;
    const last = await newest();
    await waitFor(async () => (await newest()) !== last, { that: "a task that arrives live" });

    expect(await demoFolders()).toHaveLength(1);
    svc.child.kill("SIGINT");
    expect(await svc.ended).toBe(0);
    expect(await demoFolders()).toEqual([]);
  });

  test("removes its folder when it cannot start, and when its terminal closes", async () => {
    const { svc, port, demoFolders } = await demo();
    await svc.prints(/svc demo is ready/);
    const folder = await scratchFolder();
    const second = startSvc(["demo", "--port", String(port)], { cwd: folder });
    expect(await second.ended).toBe(1);
    expect(second.written.err).toMatch(/^svc: port \d+ on \S+ is in use/m);
    expect(await readdir(folder)).toEqual([]);
    expect(await demoFolders()).toHaveLength(1);

    svc.child.kill("SIGHUP");
    expect(await svc.ended).toBe(0);
    expect(await demoFolders()).toEqual([]);
  });

  test.each(["abc", "0", "65536", "77o0"])("exits with 2 for port %s", async (port) => {
    const { code, err } = await runHere(["demo", "--port", port]);
    expect(code).toBe(2);
    expect(err).toBe("svc: --port must be a whole number from 1 to 65535\nusage: svc demo [--port PORT]\n");
  });
});
