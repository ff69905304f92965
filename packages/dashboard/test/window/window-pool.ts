import { chromiumLaunch, findChromium } from "@svc/testkit/services/chromium";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** A window with one page, reused by consecutive tests so that shared code is loaded and compiled once. */
interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Collects the faults of the test that currently uses the window. */
  faults: string[];
}

export interface LentWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Returns the window to the pool; closing its context does the same. */
  release(): Promise<void>;
}

let launched: Promise<Browser> | undefined;
/** Unused windows, by the settings they were opened with. */
const idle = new Map<string, Window[]>();
/** Windows in use, with the URL of the brain that they show. */
const lent = new Map<LentWindow, string | undefined>();

/** Methods with effects that cannot be undone; a window is closed after their use. */
const lasting = {
  page: [
    "addInitScript",
    "emulateMedia",
    "exposeBinding",
    "exposeFunction",
    "routeWebSocket",
    "setDefaultTimeout",
    "setExtraHTTPHeaders",
    "setViewportSize",
  ],
  context: [
    "addInitScript",
    "clearPermissions",
    "exposeBinding",
    "exposeFunction",
    "grantPermissions",
    "newCDPSession",
    "newPage",
    "routeWebSocket",
    "setExtraHTTPHeaders",
    "setGeolocation",
  ],
  clock: ["install", "setFixedTime", "setSystemTime", "pauseAt"],
} as const;

/** The browser of this process, shared by consecutive test files; it exits with the process. */
function processBrowser(): Promise<Browser> {
  launched ??= findChromium().then((path) => {
    const { executablePath, args } = chromiumLaunch(path);
    // Pages are short-lived, so optimizing compilation costs more than it saves.
    return chromium.launch({ executablePath, args: [...args, "--js-flags=--no-maglev --no-turbofan"] });
  });
  return launched;
}

/** An empty window without cookies, from the pool if possible. It reports content security policy violations to `faults`. */
export async function takeWindow(settings: BrowserContextOptions, faults: string[]): Promise<LentWindow> {
  const key = JSON.stringify(settings);
  const ready = idle.get(key) ?? [];
  idle.set(key, ready);
  const window = ready.pop() ?? (await openWindow(await processBrowser(), settings));
  window.faults = faults;
  const loan = lend(window, () => ready.push(window));
  lent.set(loan, settings.baseURL);
  return loan;
}

/** Returns the windows of a brain before it stops, as resetting them needs a running brain. */
export async function returnWindowsOf(url: string): Promise<void> {
  await Promise.all([...lent].filter(([, baseUrl]) => baseUrl === url).map(([window]) => window.release()));
}

async function openWindow(browser: Browser, settings: BrowserContextOptions): Promise<Window> {
  const context = await browser.newContext(settings);
  await context.exposeFunction("reportViolation", (text: string) => window.faults.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const report = (globalThis as unknown as { reportViolation(text: string): void }).reportViolation;
      report(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  const page = await context.newPage();
  // Long enough that a slow machine fails no test.
  page.setDefaultTimeout(120_000);
  const window: Window = { context, page, faults: [] };
  return window;
}

/** Records the changes to a window, so that releasing it can undo them or close it. */
function lend(window: Window, keep: () => void): LentWindow {
  const { context, page } = window;
  const { close } = context;
  const undo: (() => void)[] = [];
  let isChanged = false;

  function trackCalls<Owner extends object>(owner: Owner, names: readonly (keyof Owner)[]): void {
    for (const name of names) {
      const done = owner[name] as (...all: unknown[]) => unknown;
      Object.assign(owner, {
        [name]: (...all: unknown[]) => {
          isChanged = true;
          return done.apply(owner, all);
        },
      });
      undo.push(() => Object.assign(owner, { [name]: done }));
    }
  }
  function trackListeners(owner: Page | BrowserContext): void {
    const { on, off } = owner as unknown as Record<"on" | "off", (event: string, listener: () => void) => unknown>;
    Object.assign(owner, {
      on(event: string, listener: () => void) {
        undo.push(() => void off.call(owner, event, listener));
        return on.call(owner, event, listener);
      },
    });
    undo.push(() => Object.assign(owner, { on }));
  }
  trackCalls(page, lasting.page);
  trackCalls(context, lasting.context);
  trackCalls(page.clock, lasting.clock);
  trackListeners(page);
  trackListeners(context);

  let released: Promise<void> | undefined;
  async function end(): Promise<void> {
    context.close = close;
    for (const step of undo) step();
    window.faults = [];
    // Route handlers must not outlive the test, as a response may still be in flight.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const isReusable = !isChanged && !page.isClosed() && context.pages().length === 1;
    if (isReusable && (await reset(window))) keep();
    else await context.close();
    lent.delete(loan);
  }
  const loan = {
    context,
    page,
    release() {
      released ??= end();
      return released;
    },
  };
  context.close = loan.release;
  return loan;
}

/**
 * Navigates to an image of the same brain. Another origin, such as about:blank, would make the browser start a new process
 * for the next page, which compiles everything again.
 */
async function leavePage(page: Page): Promise<void> {
  await page.goto("/favicon.svg");
}

/** @returns false if it cannot be reset because its brain has stopped. */
async function reset({ context, page }: Window): Promise<boolean> {
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  await context.clearCookies();
  try {
    await leavePage(page);
  } catch {
    return false;
  }
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.mouse.move(0, 0);
  return true;
}
