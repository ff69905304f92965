import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let other: Server;
let otherUrl: string;

beforeAll(async () => {
  other = createServer((_request, response) => response.setHeader("content-type", "text/html").end("<p>other</p>"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const env = { SVC_CORS_ORIGINS: otherUrl, SVC_OPENAPI_VISIBILITY: "public" };
  brain = await startBrainWithSite({ env });
});
afterAll(async () => {
  await brain?.stop();
  other?.close();
});

const policies = {
  "permissions-policy": expect.stringContaining("camera=()"),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

describe("the isolation headers", () => {
  test.each(["/login", "/setup", "/setup/page.css", "/favicon.svg", "/api/v1/docs", "/api/v1/nothing", "/health"])(
    "are on the answer at %s",
    async (path) => {
      const response = await fetch(`${brain.url}${path}`, { redirect: "manual" });
      expect(Object.fromEntries(response.headers)).toMatchObject(policies);
    },
  );

  test("are on scripts and styles of the dashboard, also when the browser has them already", async () => {
    const page = await (await fetch(`${brain.url}/login`)).text();
    const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      const first = await fetch(`${brain.url}${path}`);
      expect(Object.fromEntries(first.headers)).toMatchObject(policies);
      const again = await fetch(`${brain.url}${path}`, {
        headers: { "if-none-match": first.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
      expect(Object.fromEntries(again.headers)).toMatchObject(policies);
    }
  });

  test("are on the answer to bytes that are no request", async () => {
    const socket = connect(Number(new URL(brain.url).port), "127.0.0.1");
    socket.write("nonsense\r\n\r\n");
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    for (const name of Object.keys(policies)) expect(answer).toContain(`\r\n${name}: `);
  });

  test("let a listed origin read the API and keep it from embedding anything", async () => {
    const { page } = await openScreen(brain);
    await page.goto(otherUrl);
    const read = async ([url, mode]: string[]) => {
      try {
        const response = await fetch(url ?? "", { mode: mode as RequestMode });
        return `${response.type} ${response.status}`;
      } catch (error) {
        return (error as Error).name;
      }
    };
    expect(await page.evaluate(read, [`${brain.url}/health`, "cors"])).toBe("cors 200");
    expect(await page.evaluate(read, [`${brain.url}/api/v1/openapi.json`, "cors"])).toBe("cors 200");
    expect(await page.evaluate(read, [`${brain.url}/health`, "no-cors"])).toBe("TypeError");
  });

  test("cut a page off from the window that opened it, and leave copying to the clipboard to it", async () => {
    const { page, faults } = await openScreen(brain);
    await page.goto(otherUrl);
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.evaluate((url) => void window.open(url), `${brain.url}/login`),
    ]);
    await opened.getByRole("heading", { level: 1 }).waitFor();
    expect(await opened.evaluate(() => window.opener)).toBeNull();
    await page.goto("/login");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const features = await page.evaluate(async () => {
      await navigator.clipboard.writeText("copied");
      const { featurePolicy } = document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } };
      return [await navigator.clipboard.readText(), featurePolicy.allowsFeature("camera")];
    });
    expect(features).toEqual(["copied", false]);
    expect(faults.filter((fault) => fault !== `request to ${otherUrl}`)).toEqual([]);
  });
});
