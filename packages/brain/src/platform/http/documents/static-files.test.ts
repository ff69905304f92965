import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, startFixture } from "../http-fixture.ts";
import { loadStaticFiles } from "./static-files.ts";

const script = "console.log('hello');";
const hashed = "/assets/app-Ab3dEf7h.js";

let folder: string;
let fixture: Fixture;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-static-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>page</title>");
  await writeFile(join(folder, "icon.svg"), "<svg/>");
  await writeFile(join(folder, hashed), script);
  await writeFile(join(folder, `${hashed}.br`), brotliCompressSync(script));
  await writeFile(join(folder, `${hashed}.gz`), gzipSync(script));
  const files = await loadStaticFiles(folder);
  fixture = await startFixture({
    deps: {
      servePage: (request, reply) => {
        if (!files.send(request.url, request, reply)) files.sendPage(request, reply);
        return reply;
      },
    },
  });
});
afterAll(async () => {
  await fixture.app.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (url: string, headers: Record<string, string> = {}) =>
  fixture.app.inject({ url, headers: { host: "localhost:7700", ...headers } });

describe("static files", () => {
  test("with a hash in their names are kept for ever, others asked for again each time", async () => {
    const file = await get(hashed);
    expect([file.statusCode, file.body]).toEqual([200, script]);
    expect(file.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    expect((await get("/icon.svg")).headers).toMatchObject({
      "content-type": "image/svg+xml",
      "cache-control": "no-cache",
    });
  });

  test("are sent compressed to those who take that, brotli first", async () => {
    const brotli = await get(hashed, { "accept-encoding": "gzip, deflate, br" });
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(script);
    const gzip = await get(hashed, { "accept-encoding": "gzip" });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(script);
    expect((await get("/icon.svg", { "accept-encoding": "br" })).headers).not.toHaveProperty("content-encoding");
  });

  test("are 304 for those who have them, and the page never is", async () => {
    const etag = String((await get(hashed)).headers.etag);
    const known = await get(hashed, { "if-none-match": etag });
    expect([known.statusCode, known.body]).toEqual([304, ""]);
    expect((await get(hashed, { "if-none-match": '"other"' })).statusCode).toBe(200);
    const page = await get("/projects");
    expect(page.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    expect((await get("/projects", { "if-none-match": String(page.headers.etag) })).statusCode).toBe(200);
  });

  test("are those of the folder by name and nothing else", async () => {
    for (const url of ["/index.html", `${hashed}.br`, "/../package.json", "/assets/..%2f..%2fpackage.json"])
      expect((await get(url)).body).toContain("<title>page</title>");
  });

  test("without an index.html are refused", async () => {
    await expect(loadStaticFiles(join(folder, "assets"))).rejects.toThrow("no index.html");
  });
});
