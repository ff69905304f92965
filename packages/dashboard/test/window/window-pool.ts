import { chromiumLaunch, findChromium } from "@svc/testkit/services/chromium";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** A window with one page, lent to one test after the other: what every page is made of is loaded and compiled once. */
interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Where the faults of the test go that has the window now. */
  faults: string[];
}

export interface LentWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  /** As closing its context does. */
  giveBack(): Promise<void>;
}

let launched: Promise<Browser> | undefined;
/** Windows that no test has at the moment, by the settings that they were opened with. */
const idle = new Map<string, Window[]>();
/** Windows that a test has, with the address of the service that they show. */
const lent = new Map<LentWindow, string | undefined>();

/** What changes a page in a way that cannot be taken back; the window is closed after it. */
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

/** The browser of this process. Its test files use it one after the other; it ends with the process. */
function processBrowser(): Promise<Browser> {
  launched ??= findChromium().then((path) => {
    const { executablePath, args } = chromiumLaunch(path);
    // A page lives for a moment: to compile its code for speed costs more than it saves.
    return chromium.launch({ executablePath, args: [...args, "--js-flags=--no-maglev --no-turbofan"] });
  });
  return launched;
}

/** An empty window without cookies, of the pool if there is one. It reports what the policy of the page forbids to `faults`. */
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

/** For a service that is about to stop, which windows are emptied with the help of. */
export async function giveBackWindowsOf(url: string): Promise<void> {
  await Promise.all([...lent].filter(([, baseUrl]) => baseUrl === url).map(([window]) => window.giveBack()));
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
  // Only a fault takes as long: a slow machine fails no test.
  page.setDefaultTimeout(120_000);
  const window: Window = { context, page, faults: [] };
  return window;
}

/** Watches what is done to a window from here on, so that closing it can undo that or give it up. */
function lend(window: Window, keep: () => void): LentWindow {
  const { context, page } = window;
  const { close } = context;
  const undo: (() => void)[] = [];
  let isSpent = false;

  function spendOn<Owner extends object>(owner: Owner, names: readonly (keyof Owner)[]): void {
    for (const name of names) {
      const done = owner[name] as (...all: unknown[]) => unknown;
      Object.assign(owner, {
        [name]: (...all: unknown[]) => {
          isSpent = true;
          return done.apply(owner, all);
        },
      });
      undo.push(() => Object.assign(owner, { [name]: done }));
    }
  }
  function noteListeners(owner: Page | BrowserContext): void {
    const { on, off } = owner as unknown as Record<"on" | "off", (event: string, listener: () => void) => unknown>;
    Object.assign(owner, {
      on(event: string, listener: () => void) {
        undo.push(() => void off.call(owner, event, listener));
        return on.call(owner, event, listener);
      },
    });
    undo.push(() => Object.assign(owner, { on }));
  }
  spendOn(page, lasting.page);
  spendOn(context, lasting.context);
  spendOn(page.clock, lasting.clock);
  noteListeners(page);
  noteListeners(context);

  let given: Promise<void> | undefined;
  async function end(): Promise<void> {
    context.close = close;
    for (const step of undo) step();
    window.faults = [];
    // What a test put in the way of the page's reads must not outlive it: an answer may still be on its way there.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const isWhole = !isSpent && !page.isClosed() && context.pages().length === 1;
    if (isWhole && (await isEmptied(window))) keep();
    else await context.close();
    lent.delete(loan);
  }
  const loan = {
    context,
    page,
    giveBack() {
      given ??= end();
      return given;
    },
  };
  context.close = loan.giveBack;
  return loan;
}

/**
 * Leaves the page for a picture of the same brain. An address without a brain, such as about:blank, would make the browser start another
 * process for the next page, which compiles everything again.
 */
async function leavePage(page: Page): Promise<void> {
  await page.goto("/favicon.svg");
}

/** @returns false when it cannot be emptied, as its brain has stopped. */
async function isEmptied({ context, page }: Window): Promise<boolean> {
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
