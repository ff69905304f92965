import { request } from "node:http";
import type { BrowserContext, CDPSession, Page } from "playwright-core";

// Browser types for the functions that run in the page; the full DOM library would affect the types of all other files.
interface PageElement {
  scrollTop: number;
  readonly scrollHeight: number;
  querySelector(selector: string): PageElement | null;
  getBoundingClientRect(): { readonly height: number };
}
declare const document: {
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): { readonly length: number };
};
type Change = (this: { readonly isConnected: boolean }, ...all: unknown[]) => unknown;
declare const Node: { readonly prototype: Record<string, Change> };
declare const MutationObserver: new (
  seen: () => void,
) => { observe(target: PageElement | typeof document, what: object): void; disconnect(): void };
declare function requestAnimationFrame(draw: (nowMs: number) => void): number;

/** The budgets' reference: a mid-range laptop on a 10 Mbit connection. */
const slowProcessor = 4;
const slowLine = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

export interface FirstScreen {
  readonly scriptBytes: number;
  readonly styleBytes: number;
  /** Requests before the first screen was complete, including the page itself. */
  readonly requests: number;
  /** Requests until nothing was loading. */
  readonly allRequests: number;
  /** Time from opening the address until the first screen was complete. */
  readonly shownMs: number;
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly layoutShift: number;
}

interface Vitals {
  paintMs: number;
  largestMs: number;
  shift: number;
  /** When all of `shown` were first present. */
  shownMs: number;
}

/** Opens an address in a new page and measures its first screen, which is complete when all `shown` selectors match. */
export async function measureFirstScreen(
  context: BrowserContext,
  address: { readonly url: string; readonly shown: readonly string[] },
  isSlow: boolean,
): Promise<FirstScreen> {
  const page = await context.newPage();
  const tools = await context.newCDPSession(page);
  await tools.send("Network.enable");
  await tools.send("Network.setCacheDisabled", { cacheDisabled: true });
  if (isSlow) {
    await tools.send("Network.emulateNetworkConditions", slowLine);
    await tools.send("Emulation.setCPUThrottlingRate", { rate: slowProcessor });
  }
  const requested: { url: string; type: string }[] = [];
  page.on("request", (one) => requested.push({ url: one.url(), type: one.resourceType() }));
  await page.addInitScript(watchVitals, address.shown);
  await page.goto(address.url);
  await page.waitForFunction(() => (globalThis as unknown as { vitals: Vitals }).vitals.shownMs > 0);
  // Layout shifts and requests after the first screen count too.
  await page.waitForTimeout(2000);
  const vitals = await page.evaluate(() => (globalThis as unknown as { vitals: Vitals }).vitals);
  const sent = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name, startTime }) => ({ name, startTime })),
  );
  await page.close();
  const early = new Set(sent.filter(({ startTime }) => startTime <= vitals.shownMs).map(({ name }) => name));
  const first = requested.filter(({ url }) => early.has(url));
  const bytesOf = async (type: string) => {
    const sizes = await Promise.all(first.filter((one) => one.type === type).map(({ url }) => gzipBytes(url)));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  };
  return {
    scriptBytes: await bytesOf("script"),
    styleBytes: await bytesOf("stylesheet"),
    requests: 1 + sent.filter(({ startTime }) => startTime <= vitals.shownMs).length,
    allRequests: 1 + sent.length,
    shownMs: vitals.shownMs,
    firstPaintMs: vitals.paintMs,
    largestPaintMs: vitals.largestMs,
    layoutShift: vitals.shift,
  };
}

/**
 * Runs in the page before all other code. It checks the document during each change, because a MutationObserver runs after the effects
 * of a render, which already start later reads.
 */
function watchVitals(shown: readonly string[]): void {
  const vitals = { paintMs: 0, largestMs: 0, shift: 0, shownMs: 0 };
  const check = () => {
    if (vitals.shownMs > 0 || shown.some((selector) => document.querySelector(selector) === null)) return;
    vitals.shownMs = performance.now();
  };
  const changes = Node.prototype;
  for (const name of ["appendChild", "insertBefore", "removeChild"]) {
    const change = changes[name] as Change;
    changes[name] = function (...all) {
      const changed = change.apply(this, all);
      if (this.isConnected) check();
      return changed;
    };
  }
  (globalThis as unknown as { vitals: typeof vitals }).vitals = vitals;
  const observe = (type: string, seen: (entry: { name: string; startTime: number }) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(seen)).observe({ type, buffered: true } as never);
  observe("paint", (entry) => {
    if (entry.name === "first-contentful-paint") vitals.paintMs = entry.startTime;
  });
  observe("largest-contentful-paint", (entry) => {
    vitals.largestMs = entry.startTime;
  });
  observe("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as unknown as { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) vitals.shift += value;
  });
}

/** Size of a file for a client that accepts gzip. */
function gzipBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { "accept-encoding": "gzip" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () => resolve(bytes));
    })
      .on("error", reject)
      .end();
  });
}

/** Milliseconds between frames while a list scrolls. */
export function scrollFrames(page: Page, seconds: number): Promise<number[]> {
  return page.evaluate(async (forMs) => {
    const grid = document.querySelector('[role="grid"]') as PageElement;
    grid.scrollTop = 0;
    const frames: number[] = [];
    const startedMs = performance.now();
    let last = startedMs;
    await new Promise<void>((resolve) => {
      const step = (nowMs: number) => {
        frames.push(nowMs - last);
        last = nowMs;
        // About four rows per frame, like a flick of the wheel.
        grid.scrollTop += 150;
        if (nowMs - startedMs > forMs) resolve();
        else requestAnimationFrame(step);
      };
      requestAnimationFrame((nowMs) => {
        last = nowMs;
        requestAnimationFrame(step);
      });
    });
    return frames;
  }, seconds * 1000);
}

/** Scrolls the list to its end until it has this many rows, computed from its height, since all rows have the same height. */
export async function loadRows(page: Page, rows: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const grid = document.querySelector('[role="grid"]') as PageElement;
      const row = grid.querySelector('[role="row"]:not([aria-rowindex="1"])');
      grid.scrollTop = grid.scrollHeight;
      return grid.scrollHeight >= wanted * (row?.getBoundingClientRect().height ?? Number.POSITIVE_INFINITY);
    },
    rows,
    { polling: 50, timeout: 120_000 },
  );
}

export const countNodes = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll("*").length);

export async function scrollToTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    (document.querySelector('[role="grid"]') as PageElement).scrollTop = 0;
  });
  await page.waitForTimeout(300);
}

/** Time from input until the next paint; for each interaction, its slowest event. */
async function interactions(page: Page, times: number, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const durations: Record<number, number> = {};
    (globalThis as unknown as { interactions: typeof durations }).interactions = durations;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { interactionId, duration } = entry as unknown as { interactionId: number; duration: number };
        if (interactionId > 0) durations[interactionId] = Math.max(durations[interactionId] ?? 0, duration);
      }
    }).observe({ type: "event", durationThreshold: 16 } as never);
  });
  await act();
  await page.waitForTimeout(300);
  const durations = await page.evaluate(() =>
    Object.values((globalThis as unknown as { interactions: Record<number, number> }).interactions),
  );
  // Events below 16 ms are not reported.
  return [...Array<number>(Math.max(0, times - durations.length)).fill(16), ...durations];
}

/** Selects some rows. */
export function tickRows(page: Page, times: number): Promise<number[]> {
  const boxes = page.locator('[role="grid"] [role="row"][aria-rowindex] input[type="checkbox"]');
  return interactions(page, times, async () => {
    for (let index = 1; index <= times; index += 1) await boxes.nth(1 + (index % 10)).click();
  });
}

/** Typical actions in a list: move through its rows, open and close one, type into the filter. */
export function useList(page: Page, rounds: number): Promise<number[]> {
  const row = page.locator('[role="grid"] [role="row"][aria-rowindex="3"]');
  const walk = 5;
  const word = "name:";
  return interactions(page, rounds * (1 + walk + 1 + word.length + 1), async () => {
    for (let round = 0; round < rounds; round += 1) {
      await row.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").first().waitFor();
      for (let step = 0; step < walk; step += 1) await page.keyboard.press("j");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").first().waitFor({ state: "detached" });
      await page.getByRole("combobox", { name: /filter/i }).pressSequentially(word);
      await page.getByRole("combobox", { name: /filter/i }).fill("");
      await page.keyboard.press("Escape");
    }
  });
}

export interface Load {
  /** Share of time in which the main thread was busy. */
  readonly busyShare: number;
  /** Frames per second in which the list was redrawn. */
  readonly paintsASecond: number;
}

/** Load of the main thread while `during` runs. */
export async function loadDuring(page: Page, tools: CDPSession, happening: () => Promise<void>): Promise<Load> {
  await page.evaluate(() => {
    const seen = { paints: 0, isChanged: false };
    (globalThis as unknown as { seen: typeof seen }).seen = seen;
    const body = document.querySelector('[role="grid"]') as PageElement;
    new MutationObserver(() => {
      if (seen.isChanged) return;
      seen.isChanged = true;
      requestAnimationFrame(() => {
        seen.paints += 1;
        seen.isChanged = false;
      });
    }).observe(body, { childList: true, subtree: true, characterData: true });
  });
  const startedMs = performance.now();
  const before = await taskSeconds(tools);
  await happening();
  const seconds = (performance.now() - startedMs) / 1000;
  const busy = (await taskSeconds(tools)) - before;
  const paints = await page.evaluate(() => (globalThis as unknown as { seen: { paints: number } }).seen.paints);
  return { busyShare: busy / seconds, paintsASecond: paints / seconds };
}

async function taskSeconds(tools: CDPSession): Promise<number> {
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
}

export async function heapBytes(tools: CDPSession): Promise<number> {
  await tools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await tools.send("Runtime.getHeapUsage");
  return usedSize;
}
