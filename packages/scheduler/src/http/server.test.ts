import { afterEach, describe, expect, test } from "vitest";
import { startStatusServer } from "./server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve({ faults = [] as string[], token = null as string | null, hasMetrics = true } = {}) {
  const server = await startStatusServer({
    host: "127.0.0.1",
    port: 0,
    faults: () => faults,
    info: () => ({ version: "1.2.3", leader: true }),
    metrics: hasMetrics
      ? { contentType: "text/plain; version=0.0.4", token, text: () => Promise.resolve("svc_scheduler_leader 1\n") }
      : null,
  });
  stops.push(server.stop);
  return (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
}

describe("the status server", () => {
  test("reports health with its reasons", async () => {
    const healthy = await (await serve())("/health");
    expect(healthy.status).toBe(200);
    expect(await healthy.json()).toEqual({ status: "ok", faults: [] });
    const unhealthy = await (await serve({ faults: ["watch_unhealthy"] }))("/health");
    expect(unhealthy.status).toBe(503);
    expect(await unhealthy.json()).toEqual({ status: "unhealthy", faults: ["watch_unhealthy"] });
  });

  test("serves its state, which no cache keeps", async () => {
    const response = await (await serve())("/info?x=1");
    expect(await response.json()).toEqual({ version: "1.2.3", leader: true });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("answers HEAD without a body, and refuses other methods and paths", async () => {
    const get = await serve();
    const head = await get("/health", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await get("/info", { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await get("/")).status).toBe(404);
    expect((await get("/../info/x")).status).toBe(404);
  });

  test("serves metrics openly without a token, and with one only to its bearer", async () => {
    expect((await (await serve())("/metrics")).status).toBe(200);
    const get = await serve({ token: "a token of 16 bytes".replaceAll(" ", "-") });
    const ask = (authorization?: string) => get("/metrics", authorization ? { headers: { authorization } } : {});
    for (const wrong of [undefined, "Bearer", "Bearer wrong", "Basic a-token-of-16-bytes"]) {
      const refused = await ask(wrong);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    const allowed = await ask("Bearer a-token-of-16-bytes");
    expect([allowed.status, await allowed.text()]).toEqual([200, "svc_scheduler_leader 1\n"]);
    expect(allowed.headers.get("content-type")).toBe("text/plain; version=0.0.4");
  });

  test("has no metrics when they are off", async () => {
    expect((await (await serve({ hasMetrics: false }))("/metrics")).status).toBe(404);
  });

  test("rejects when its port is in use", async () => {
    const first = await startStatusServer({
      host: "127.0.0.1",
      port: 0,
      faults: () => [],
      info: () => ({}),
      metrics: null,
    });
    stops.push(first.stop);
    const again = startStatusServer({
      host: "127.0.0.1",
      port: first.port,
      faults: () => [],
      info: () => ({}),
      metrics: null,
    });
    await expect(again).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
