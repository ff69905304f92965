import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startBrain } from "./main.ts";

describe("a brain that serves the dashboard", () => {
  let folder: string;
  let brain: TestBrain;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-dashboard-"));
    await writeFile(join(folder, "index.html"), "<!doctype html><title>mine</title>");
    await writeFile(join(folder, "icon.svg"), "<svg/>");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const get = (path: string) => brain.as.anonymous.get(`/${path}`);

  test("serves it from SVC_DASHBOARD_DIST: files by name, the page for every other path except a missing asset", async () => {
    brain = await startTestBrain({ env: { SVC_DASHBOARD_DIST: folder } });
    onTestFinished(() => brain.stop());
    for (const path of ["/", "/p/shop/tasks?state=failure", "/login"]) {
      const page = await get(path);
      expect([page.status, page.text]).toEqual([200, "<!doctype html><title>mine</title>"]);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    }
    expect((await get("/icon.svg?v=1")).text).toBe("<svg/>");
    expect(await get("/assets/missing-12345678.js")).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  test("answers unknown paths with 404 under SVC_DISABLE_SPA_FALLBACK", async () => {
    brain = await startTestBrain({ env: { SVC_DASHBOARD_DIST: folder, SVC_DISABLE_SPA_FALLBACK: "true" } });
    onTestFinished(() => brain.stop());
    for (const path of ["/", "/p/shop/tasks", "/icon.svg"])
      expect(await get(path)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await get("/health")).status).toBe(200);
  });

  test("redirects every page to the setup until an account exists", async () => {
    const links: string[] = [];
    const running = await startBrain({
      cwd: folder,
      port: 0,
      announce: (link) => links.push(link),
      writeLog: () => {},
      env: { SVC_HOME: join(folder, "home"), SVC_DASHBOARD_DIST: folder, SVC_ARGON2_MEMORY_COST: "8192" },
    });
    onTestFinished(() => running.stop());
    const url = `http://127.0.0.1:${running.port}`;
    const page = (path: string) => fetch(url + path, { redirect: "manual" });

    for (const path of ["/", "/login", "/p/shop/tasks"]) {
      const answer = await page(path);
      expect([answer.status, answer.headers.get("location")]).toEqual([302, "/setup"]);
    }
    expect((await page("/icon.svg")).status).toBe(200);

    const token = new URL(links[0] ?? "").hash.slice("#token=".length);
    const body = JSON.stringify({ token, email: "mira@example.org", password: "correct horse battery" });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${url}/api/v1/setup/complete`, { method: "POST", headers, body })).status).toBe(200);

    expect((await page("/login")).status).toBe(200);
  });
});
