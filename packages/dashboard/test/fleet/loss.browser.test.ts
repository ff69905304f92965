import { type FaultyNetwork, startFaultyNetwork, waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let network: FaultyNetwork;
beforeAll(async () => {
  brain = await startBrainWithSite();
  network = await startFaultyNetwork({ port: brain.running.port });
});
afterAll(async () => {
  await brain?.stop();
  await network?.close();
});

const mebibyte = 1024 * 1024;
const eventsLostAtLeast = 100;

test("events that an agent loses while the brain is offline are a band in lists and figures on its page", async () => {
  const project = `/projects/${brain.project.slug}`;
  const api = brain.as.viewer;
  const connected = await brain.connectAgent({
    brainUrl: `http://127.0.0.1:${network.port}`,
    bufferMaxBytes: mebibyte,
    random: () => 0,
  });
  const { agentId } = connected.minted;
  const fail = (taskId: string) =>
    report(connected, [
      { kind: "task.sent", taskId, data: { task_name: "mail.send", queue: "mail" } },
      { kind: "task.failed", taskId, data: { exception: `Bounced: ${taskId}` } },
    ]);
  fail("before");
  // From the first sample the brain knows that nothing was lost before.
  await waitFor(async () => (await api.get(`${project}/agents/${agentId}/status-history`)).body.items.length > 0);

  // Events not stored before the outage could be among those lost.
  const failures = async () => (await api.get(`${project}/tasks?state=failure`)).body.items.length;
  await waitFor(async () => (await failures()) === 1);

  network.down();
  for (let round = 0; round < 8; round += 1) connected.adapter.emitTasks(50, { kwargs: { body: "x".repeat(8000) } });
  fail("after");
  network.heal();
  // A task that arrives after the list is loaded is only announced. All events were stored or lost before it.
  await waitFor(async () => (await failures()) === 2);
  // The agent may report part of the loss while it still stores events.
  const gap = await waitFor(
    async () =>
      (await api.get(`${project}/completeness`)).body.gaps.find(
        (one: { event_records: number }) => one.event_records >= eventsLostAtLeast,
      ),
    { that: "the loss in the answer" },
  );
  expect(gap).toMatchObject({ agent_id: agentId, reason: "capacity" });

  const { page, faults } = await openScreen(brain, { cookie: api.cookie });
  await page.goto(`/p/${brain.project.slug}/tasks?state=failure`);
  const grid = page.getByRole("grid");
  await grid.getByRole("row", { name: "mail.send failure" }).nth(1).waitFor();
  const lost = new RegExp(`${gap.event_records} events? lost`);
  await grid.getByText(lost).waitFor();

  await page.goto(`/p/${brain.project.slug}/agents`);
  await page
    .getByRole("row", { name: /online/ })
    .getByText(lost)
    .waitFor();
  await page.goto(`/p/${brain.project.slug}/agents/${agentId}`);
  await page.getByRole("heading", { name: "Event losses" }).waitFor();
  const panel = page.getByRole("region", { name: "Lost before sending" });
  const figure = (label: string) => panel.locator("dl > div").filter({ hasText: label }).locator("dd b").textContent();
  await waitFor(async () => (await figure("Event records")) === String(gap.event_records));
  expect(await figure("Command results")).toBe("0");
  expect(Number(await figure("Buffer full"))).toBeGreaterThan(0);
  expect(await figure("Refused content")).toBe("0");
  await panel.getByText("The same losses by reason").waitFor();
  await panel.getByRole("img", { name: `Event records: ${gap.event_records} in these samples` }).waitFor();
  // One connection before the loss, one after it.
  const connections = page.getByRole("region", { name: "Connections" });
  await waitFor(async () => (await connections.getByRole("listitem").count()) === 2);
  await connections.getByText(/^since /).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});
