import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { startTestBrain, type TestBrain, type TestBrainOptions } from "@svc/testkit/brain";
import { builtDashboard } from "@svc/testkit/built-program";
import type {} from "@svc/testkit/services/setup/postgres-setup";
import type * as Axe from "axe-core";
import type { BrowserContextOptions, Download, Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { returnWindowsOf, takeWindow } from "./window-pool.ts";

export interface Screen {
  page: Page;
  /** Must stay empty: blocked styles and scripts, requests to other origins, console errors. */
  faults: string[];
}

/** Below the ephemeral ports, so that consecutive test files find them free. Browsers and `fetch` refuse port 10080, so they are above it. */
const firstPort = 11_000 + (process.pid % 1_000) * 20;
const ports = new Set<number>();

/**
 * Starts a brain that serves the built dashboard. It reuses the port of a stopped brain, whose files the browser has already
 * cached. The windows that show it are returned to the pool before it stops.
 */
export async function startBrainWithSite(options: TestBrainOptions = {}): Promise<TestBrain> {
  let port = firstPort;
  while (ports.has(port)) port += 1;
  ports.add(port);
  const env = { SVC_DASHBOARD_DIST: builtDashboard, ...options.env };
  const brain = await startTestBrain({ port, ...options, env });
  const stop = async () => {
    await returnWindowsOf(brain.url);
    await brain.stop();
    ports.delete(port);
  };
  return { ...brain, stop, [Symbol.asyncDispose]: stop };
}

export interface OpenOptions {
  /** `name=value; name=value` of a signed-in user; signed out without it. */
  cookie?: string;
  theme?: "light" | "dark";
  size?: "desktop" | "phone";
  /** Further browser settings: time zone, viewport, forced colors. */
  settings?: BrowserContextOptions;
}

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** A page for the current test, with its faults recorded from the start. */
export async function openScreen(brain: { readonly url: string }, options: OpenOptions = {}): Promise<Screen> {
  const { cookie = "", theme = "light", size = "desktop" } = options;
  const faults: string[] = [];
  const settings: BrowserContextOptions = {
    baseURL: brain.url,
    viewport: sizes[size],
    hasTouch: size === "phone",
    colorScheme: theme,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options.settings,
  };
  const { context, page, release } = await takeWindow(settings, faults);
  // Screenshots are taken outside of tests and close their windows themselves.
  if (process.env.VITEST !== undefined) {
    onTestFinished(async ({ task }) => {
      if (task.result?.state === "fail") console.error(await shownBy(page, faults));
      await release();
    });
  }
  await context.addCookies(
    cookie
      .split("; ")
      .filter((pair) => pair.includes("="))
      .map((pair) => ({
        name: pair.slice(0, pair.indexOf("=")),
        value: pair.slice(pair.indexOf("=") + 1),
        url: brain.url,
      })),
  );
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== brain.url && url.protocol !== "data:") faults.push(`request to ${url.origin}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // The browser logs every failed request itself, and some tests fail requests on purpose.
    const isFailedRequest = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isFailedRequest) faults.push(`console: ${message.text()}`);
  });
  return { page, faults };
}

/** The page's URL, faults and beginning of its text, to explain a failed wait. */
async function shownBy(page: Page, faults: readonly string[]): Promise<string> {
  const text = await page
    .evaluate(() => document.body.textContent.slice(0, 1_000))
    .catch((error: unknown) => String(error));
  return [`At the end of the test the page was at ${page.url()}`, ...faults, text].join("\n");
}

/**
 * Selects an option that is stored in the URL. `check` would expect it to be checked right after the click, but it is only
 * checked once the page has rendered the new URL.
 */
export async function chooseInAddress(option: Locator): Promise<void> {
  await option.click({ force: true });
  await expect.poll(() => option.isChecked()).toBe(true);
}

/** The text of a downloaded file. */
export async function textOf(file: Download): Promise<string> {
  return text(await file.createReadStream());
}

/** The minified axe is less than half the size to send and parse. */
const { source: axeSource }: typeof Axe = createRequire(import.meta.url)("axe-core/axe.min.js");

/** Accessibility violations of the current screen with their first elements, including targets that are too small. */
export async function axeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    interface Violation {
      id: string;
      impact: string;
      nodes: { html: string }[];
    }
    const { axe: loaded } = window as unknown as {
      axe: { run(root: Document, options: object): Promise<{ violations: Violation[] }> };
    };
    const { violations } = await loaded.run(document, {
      resultTypes: ["violations"],
      rules: { "target-size": { enabled: true } },
    });
    return violations.map(
      ({ id, impact, nodes }) =>
        `${impact} ${id}: ${nodes
          .slice(0, 2)
          .map((node) => node.html.slice(0, 160))
          .join(" | ")}`,
    );
  });
}
