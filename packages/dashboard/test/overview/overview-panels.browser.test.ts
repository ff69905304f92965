import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connectFleet, type Fleet, fleetSnapshot, noteLoss } from "../traffic/fleet.ts";
import { holdReads } from "../window/delayed-reads.ts";
import { axeFaults, chooseInAddress, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  await connectFleet(brain);
});
afterAll(() => brain?.stop());

/** A separate fleet, for tests that change its snapshot or its losses. */
async function startOwnFleet(): Promise<{ own: TestBrain; fleet: Fleet }> {
  const own = await startBrainWithSite();
  onTestFinished(() => own.stop());
  return { own, fleet: await connectFleet(own) };
}

const address = ({ project } = brain) => `/p/${project.slug}`;
const open = (from = brain) => openScreen(from, { cookie: from.as.root.cookie });
const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const figures = (page: Page) => page.getByLabel(/^Figures, /);

describe("the queues on the overview", () => {
  test("stand worst first, each with its depth as a bar and over the last hour, and its oldest wait", async () => {
    const { page, faults } = await open();
    await page.goto(address());
    const rows = panel(page, "Queues").getByRole("row");
    const worst = rows.filter({ hasText: "search-bulk" });
    await worst.getByText("0 workers").waitFor();
    expect(await rows.nth(1).textContent()).toContain("search-bulk");
    expect(await worst.textContent()).toMatch(/18.*14 min/);
    const late = rows.filter({ hasText: /^billing bullmq/ });
    expect(await late.textContent()).toMatch(/194.*5 min/);
    await late.getByRole("img", { name: "Waiting in billing in the last hour, at most 194" }).waitFor();
    const widthOf = (row: typeof late) => row.locator("td:first-child svg rect").getAttribute("width");
    expect(await widthOf(late)).toBe("100%");
    expect(await widthOf(worst)).toMatch(/^9[.]2\d+%$/);
    await figures(page).getByText("no workers on search-bulk").waitFor();
    expect(faults).toEqual([]);
  });

  test("beyond those that were read are not passed over in silence", async () => {
    const { page } = await open();
    for (const list of ["queues", "workers"]) {
      await page.route(`**/${list}?limit=*`, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), next_cursor: "more" } });
      });
    }
    await page.goto(address());
    await panel(page, "Queues")
      .getByText(/^Includes only the first \d+ queues by name[.]$/)
      .waitFor();
    await panel(page, "Fleet")
      .getByText(/^Includes only the first \d+ workers by name[.]$/)
      .waitFor();
    await panel(page, "Fleet")
      .getByText(/at least \d+ workers? healthy/)
      .waitFor();
    await figures(page).getByText("at least", { exact: true }).waitFor();
  });
});

describe("the fleet on the overview", () => {
  test("lists the unhealthy ones only; the others are a count until expanded", async () => {
    const { page } = await open();
    await page.goto(address());
    const part = panel(page, "Fleet");
    const full = part.getByRole("listitem").filter({ hasText: "is at capacity" });
    await full.getByRole("link", { name: "billing-1" }).waitFor();
    expect(await full.textContent()).toContain("4 of 4 slots in use");
    expect(await part.getByRole("link", { name: "mailer-1" }).count()).toBe(0);
    await part.getByRole("button", { name: "Show the healthy ones" }).click();
    await part.getByRole("link", { name: "mailer-1" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("does not call a worker full for which no task waits", async () => {
    const { own, fleet } = await startOwnFleet();
    const snapshot = fleetSnapshot();
    fleet.report({ ...snapshot, queue_depths: { ...snapshot.queue_depths, billing: 0 } });
    const depth = async () => {
      const { body } = await own.as.root.get(`/projects/${own.project.slug}/queues/bullmq/billing`);
      return body.pending_count;
    };
    await waitFor(async () => (await depth()) === 0);
    const { page } = await open(own);
    await page.goto(address(own));
    const part = panel(page, "Fleet");
    await part.getByText(/2 workers healthy/).waitFor();
    expect(await part.getByText("is at capacity").count()).toBe(0);
  });

  test("says that nothing was lost only when that is known, and keeps what it knew while a range is read", async () => {
    const { own, fleet } = await startOwnFleet();
    const { page } = await open(own);
    const first = await holdReads(page, "**/completeness*");
    await page.goto(address(own));
    const part = panel(page, "Fleet");
    await part.getByText("Checking for lost events…").waitFor();
    expect(await part.getByText(/^No events lost/).count()).toBe(0);
    await first();
    await part.getByText("No events lost, last 24 h").waitFor();

    await noteLoss(own, fleet.agentId, { fromAgo: 7000, toAgo: 6000 });
    await page.reload();
    await part.getByText("Lost, last 24 h").waitFor();
    const second = await holdReads(page, "**/completeness*");
    await chooseInAddress(page.getByRole("radio", { name: "7 d" }));
    const line = part.getByRole("listitem").filter({ hasText: "Lost, last 7 days" });
    await line.getByText(/^31 events/).waitFor();
    await expect.poll(() => line.getAttribute("aria-busy")).toBe("true");
    await second();
    await part.locator('li[aria-busy="false"]').filter({ hasText: "Lost, last 7 days" }).waitFor();
  });
});

test("figures of the range before stand dimmed until those of the new one are there", async () => {
  const { page } = await open();
  await page.goto(address());
  await figures(page)
    .getByText(/failed$/)
    .waitFor();
  const release = await holdReads(page, "**/trends?*");
  await chooseInAddress(page.getByRole("radio", { name: "7 d" }));
  const figure = figures(page).locator("div").filter({ hasText: "Failure rate, last 7 days" });
  await figure.and(page.locator('[aria-busy="true"]')).waitFor();
  await expect
    .poll(() =>
      figure
        .locator("dd")
        .first()
        .evaluate((one) => getComputedStyle(one).opacity),
    )
    .toBe("0.6");
  await release();
  await figure.and(page.locator('[aria-busy="false"]')).waitFor();
  expect(
    await figure
      .locator("dd")
      .first()
      .evaluate((one) => getComputedStyle(one).opacity),
  ).toBe("1");
});
