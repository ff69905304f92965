import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { startTestBrain, type TestBrain, type TestBrainOptions } from "@svc/testkit/brain";
import { builtDashboard } from "@svc/testkit/built-program";
import type {} from "@svc/testkit/services/setup/postgres-setup";
import type * as Axe from "axe-core";
import type { BrowserContextOptions, Download, Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { giveBackWindowsOf, takeWindow } from "./window-pool.ts";

export interface Screen {
  page: Page;
  /** What must stay empty: blocked styles and scripts, requests to elsewhere, errors on the console. */
  faults: string[];
}

/** Below those that the system gives away, so that one test file after the other finds them free. */
const firstPort = 10_000 + (process.pid % 1_000) * 20;
const ports = new Set<number>();

/**
 * A started brain that serves the dashboard as it is delivered. It listens where the one before it did, if that has stopped: the browser has
 * what is loaded from there already. The windows that show it are given back before it stops.
 */
export async function startBrainWithSite(options: TestBrainOptions = {}): Promise<TestBrain> {
  let port = firstPort;
  while (ports.has(port)) port += 1;
  ports.add(port);
  const env = { SVC_DASHBOARD_DIST: builtDashboard, ...options.env };
  const brain = await startTestBrain({ port, ...options, env });
  const stop = async () => {
    await giveBackWindowsOf(brain.url);
    await brain.stop();
    ports.delete(port);
  };
  return { ...brain, stop, [Symbol.asyncDispose]: stop };
}

export interface OpenOptions {
  /** `name=value; name=value` of a signed-in caller; nobody is signed in without it. */
  cookie?: string;
  theme?: "light" | "dark";
  size?: "desktop" | "phone";
  /** What else the browser pretends: its time zone, another viewport, forced colours. */
  settings?: BrowserContextOptions;
}

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** A page of its own until the end of the test, watched from its first moment. */
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
  const { context, page, giveBack } = await takeWindow(settings, faults);
  // Pictures are taken outside of tests, and close what they open.
  if (process.env.VITEST !== undefined) {
    onTestFinished(async ({ task }) => {
      if (task.result?.state === "fail") console.error(await shownBy(page, faults));
      await giveBack();
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
    // The browser itself logs every refused request; the refusals are what some tests are about.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) faults.push(`console: ${message.text()}`);
  });
  return { page, faults };
}

/** Where a page is, its faults and the beginning of its text: why a wait that failed did not end. */
async function shownBy(page: Page, faults: readonly string[]): Promise<string> {
  const text = await page
    .evaluate(() => document.body.textContent.slice(0, 1_000))
    .catch((error: unknown) => String(error));
  return [`At the end of the test the page was at ${page.url()}`, ...faults, text].join("\n");
}

/**
 * Chooses an option that the address keeps. `check` would want it checked as soon as it was clicked, which it is only once the page is drawn
 * for the new address.
 */
export async function chooseInAddress(option: Locator): Promise<void> {
  await option.click({ force: true });
  await expect.poll(() => option.isChecked()).toBe(true);
}

/** What the browser saved. */
export async function textOf(file: Download): Promise<string> {
  return text(await file.createReadStream());
}

/** The minified axe: less than half of it to send to the page and to parse there. */
const { source: axeSource }: typeof Axe = createRequire(import.meta.url)("axe-core/axe.min.js");

/** The accessibility faults of what is on the screen now, each with the first elements that have it; too small targets are among them. */
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
