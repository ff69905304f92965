import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll } from "vitest";
import { reportSample } from "../traffic/task-traffic.ts";
import { startBrainWithSite } from "../window/screen.ts";

/** Filled before the first test of the file that called `openShop`. */
export interface Shop {
  brain: TestBrain;
  /** The agent that reported the sample tasks. */
  connected: Awaited<ReturnType<TestBrain["connectAgent"]>>;
}

/** A brain with the dashboard and the sample of tasks, and a browser, for one test file. */
export function openShop(): Shop {
  const shop = {} as Shop;
  beforeAll(async () => {
    shop.brain = await startBrainWithSite();
    shop.connected = await shop.brain.connectAgent();
    await reportSample(shop.brain, shop.connected);
  });
  afterAll(() => shop.brain?.stop());
  return shop;
}
