import { text } from "node:stream/consumers";
import { startTestBrain, type TestBrain, type TestBrainOptions } from "@svc/testkit/brain";
import { builtDashboard } from "@svc/testkit/built-program";
import type {} from "@svc/testkit/services/postgres-setup";
import axe from "axe-core";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, inject } from "vitest";
import { takeWindow } from "./window-pool.ts";

export interface Screen {
  page: Page;
  /** What must stay empty: blocked styles and scripts, requests to elsewhere, errors on the console. */
  faults: string[];
}

/** A started brain that serves the dashboard as it is delivered. */
export function startBrainWithSite(options: TestBrainOptions = {}): Promise<TestBrain> {
  return startTestBrain({ ...options, env: { SVC_DASHBOARD_DIST: builtDashboard, ...options.env } });
}

/** The run's browser. Closing it closes the windows that were opened through this connection. */
export function launchBrowser(): Promise<Browser> {
  return chromium.connect(inject("browserEndpoint"));
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

/** A page of its own, watched from its first moment. */
export async function openScreen(
  browser: Browser,
  brain: { readonly url: string },
  options: OpenOptions = {},
): Promise<Screen> {
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
  const window = await takeWindow(browser, settings);
  const { context, page } = window;
  window.faults = faults;
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

/** The accessibility faults of what is on the screen now, each with the first elements that have it; too small targets are among them. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
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
