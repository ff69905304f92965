import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

describe("a brain that serves the dashboard", () => {
  let folder: string;
  let brain: TestBrain;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-dashboard-"));
    await writeFile(join(folder, "index.html"), "<!doctype html><title>mine</title>");
    await writeFile(join(folder, "icon.svg"), "<svg/>");
  });
  afterEach(async () => {
    await brain.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const get = (path: string) => brain.as.nobody.get(`/${path}`);

  test("takes it from SVC_DASHBOARD_DIST: files by name, the page for every other path but a missing asset", async () => {
    brain = await startTestBrain({ env: { SVC_DASHBOARD_DIST: folder } });
    for (const path of ["/", "/p/shop/tasks?state=failure", "/login"]) {
      const page = await get(path);
      expect([page.status, page.text]).toEqual([200, "<!doctype html><title>mine</title>"]);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    }
    expect((await get("/icon.svg?v=1")).text).toBe("<svg/>");
    expect(await get("/assets/gone-12345678.js")).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  test("answers unknown paths with 404 under SVC_DISABLE_SPA_FALLBACK", async () => {
    brain = await startTestBrain({ env: { SVC_DASHBOARD_DIST: folder, SVC_DISABLE_SPA_FALLBACK: "true" } });
    for (const path of ["/", "/p/shop/tasks", "/icon.svg"])
      expect(await get(path)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await get("/health")).status).toBe(200);
  });
});
