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

describe("svc demo", () => {
  test("prints a login that works, its tasks arrive, and Ctrl-C removes its folder", async () => {
    const { svc, url, demoFolders } = await demo();
    const [, page] = await svc.says(/svc demo is ready at (\S+)/);
    const [, email] = await svc.says(/e-mail +(\S+)/);
    const [, password] = await svc.says(/password +(\S+)/);
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

    for (const state of ["success", "failure", "started"]) {
      await waitFor(
        async () => {
          const answer = await fetch(`${url}/api/v1/projects/demo-shop/tasks?state=${state}`, { headers: { cookie } });
          return ((await answer.json()) as { items: unknown[] }).items.length > 0;
        },
        { that: `a task that is ${state}` },
      );
    }

    expect(await demoFolders()).toHaveLength(1);
    svc.child.kill("SIGINT");
    expect(await svc.ended).toBe(0);
    expect(await demoFolders()).toEqual([]);
  });

  test("removes its folder when it cannot start, and at the end of its terminal", async () => {
    const { svc, port, demoFolders } = await demo();
    await svc.says(/svc demo is ready/);
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

  test.each(["abc", "0", "65536", "77o0"])("ends with 2 for port %s", async (port) => {
    const { code, err } = await runHere(["demo", "--port", port]);
    expect(code).toBe(2);
    expect(err).toBe("svc: --port is a whole number, 1 to 65535\nusage: svc demo [--port PORT]\n");
  });
});
