import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { freePort } from "@svc/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { readInfo } from "./read-info.ts";
import { createSchedulers } from "./schedulers.ts";

const info = {
  version: "1.0.0",
  instance_id: "scheduler-1",
  leader: true,
  projects: 2,
  schedules: 10,
  watch_healthy: true,
  cadence_fingerprint: "svc-cadence/1;tzdb=2026a",
  watch_age_seconds: 0.5,
};
const servers: Server[] = [];

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const json =
  (value: unknown): RequestListener =>
  (_request, reply) =>
    void reply.end(JSON.stringify(value));

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("the information of a scheduler", () => {
  test("is read from /info, or from the path of the address", async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, reply) => {
      paths.push(request.url);
      reply.end(JSON.stringify(info));
    });
    expect(await readInfo(url)).toEqual({ url, ok: true, info, error: null });
    await readInfo(`${url}/`);
    await readInfo(`${url}/proxied/info?of=1`);
    expect(paths).toEqual(["/info", "/info", "/proxied/info?of=1"]);
  });

  test("is not ok when the scheduler receives no changes", async () => {
    const stale = { ...info, watch_healthy: false };
    const url = await serve(json(stale));
    expect(await readInfo(url)).toEqual({
      url,
      ok: false,
      info: stale,
      error: "it receives no changes from the service",
    });
  });

  test.each<[string, RequestListener]>([
    ["it did not return the information of a scheduler", json({ ...info, leader: "yes" })],
    ["it did not return the information of a scheduler", (_request, reply) => void reply.end("no JSON")],
    ["it returned status 503", (_request, reply) => void reply.writeHead(503).end(JSON.stringify(info))],
    ["it returned more than 65536 bytes", json({ ...info, more: "x".repeat(65_536) })],
    ["it cannot be reached", (_request, reply) => void reply.writeHead(302, { location: "/other" }).end()],
    ["it cannot be reached", (request) => void request.socket.destroy()],
  ])("is absent: %s", async (error, answer) => {
    const url = await serve(answer);
    expect(await readInfo(url)).toEqual({ url, ok: false, info: null, error });
  });

  test("is absent when nothing listens or nothing answers", async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    expect(await readInfo(nowhere)).toMatchObject({ error: "it cannot be reached" });
    const silent = await serve(() => {});
    expect(await readInfo(silent, 1)).toMatchObject({ ok: false, error: "it did not answer in time" });
  });
});

describe("the list of schedulers", () => {
  const address = { host: "::1", port: 7800 };
  test("counts those that are ok, the embedded one first", async () => {
    const urls = [await serve(json(info)), await serve(json({}))];
    const schedulers = createSchedulers({
      settings: { SVC_SCHEDULER_INFO_URLS: urls },
      embedded: () => ({ address, info, error: null }),
    });
    expect(await schedulers.list()).toMatchObject({
      schedulers: [
        { url: "http://[::1]:7800", ok: true, info },
        { url: urls[0], ok: true },
        { url: urls[1], ok: false, info: null },
      ],
      total: 3,
      healthy: 2,
    });
  });

  test("shows why the embedded one does not run, and is empty without schedulers", async () => {
    const settings = { SVC_SCHEDULER_INFO_URLS: [] };
    const broken = createSchedulers({ settings, embedded: () => ({ address: null, info: null, error: "no port" }) });
    const entry = { url: "embedded", ok: false, info: null, error: "no port" };
    expect(await broken.list()).toEqual({ schedulers: [entry], total: 1, healthy: 0 });
    const none = createSchedulers({ settings, embedded: () => null });
    expect(await none.list()).toEqual({ schedulers: [], total: 0, healthy: 0 });
  });

  test("asks each scheduler once for all who ask at the same time", async () => {
    let asked = 0;
    const url = await serve((_request, reply) => {
      asked += 1;
      reply.end(JSON.stringify(info));
    });
    const schedulers = createSchedulers({ settings: { SVC_SCHEDULER_INFO_URLS: [url] }, embedded: () => null });
    await Promise.all([schedulers.list(), schedulers.list()]);
    expect(asked).toBe(1);
    await schedulers.list();
    expect(asked).toBe(2);
  });
});
