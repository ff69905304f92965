import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let leader: Server;
const reported = {
  ...{ version: "0.1.0", instance_id: "scheduler-1", leader: true, projects: 1, schedules: 6, watch_healthy: true },
  ...{ cadence_fingerprint: "svc-cadence/1;tzdb=2026a", oldest_due_seconds: 73.2 },
};
beforeAll(async () => {
  leader = createServer((_, response) => response.end(JSON.stringify(reported))).listen(0, "127.0.0.1");
  await new Promise((resolve) => leader.once("listening", resolve));
  const { port } = leader.address() as AddressInfo;
  // Nothing listens on port 1.
  const urls = `http://127.0.0.1:${port},http://127.0.0.1:1`;
  brain = await startBrainWithSite({ env: { SVC_SCHEDULER_INFO_URLS: urls } });
});
afterAll(async () => {
  await brain?.stop();
  leader?.closeAllConnections();
  leader?.close();
});

const open = async (caller: "root" | "operator") => {
  const screen = await openScreen(brain, { cookie: brain.as[caller].cookie });
  const asked: string[] = [];
  screen.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await screen.page.goto(`/p/${brain.project.slug}/agents`);
  return { ...screen, asked };
};

describe("the schedulers on the page of agents", () => {
  test("are listed with their leadership and lag, also one that does not answer", async () => {
    const { page, faults } = await open("root");
    const list = page.getByRole("region", { name: "Schedulers", exact: true });
    const own = list.getByRole("row", { name: /scheduler-1/ });
    expect(await own.textContent()).toMatch(/^late.*yes.*1 min 13 s.*6.*received.*0\.1\.0$/);
    const lost = list.getByRole("row", { name: /127\.0\.0\.1:1/ });
    expect(await lost.textContent()).toMatch(/^failed.*it cannot be reached.*unknown/);
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("are neither shown nor asked for by users who do not administer the instance", async () => {
    const { page, asked, faults } = await open("operator");
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    await page.getByText("No agents yet").waitFor();
    expect(await page.getByRole("region", { name: "Schedulers", exact: true }).count()).toBe(0);
    expect(asked.filter((path) => path.endsWith("/schedulers"))).toEqual([]);
    expect(faults).toEqual([]);
  });
});
