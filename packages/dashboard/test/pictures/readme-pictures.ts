import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { chromiumLaunch, findChromium } from "@svc/testkit/services/chromium";
import { type Browser, chromium, type Page } from "playwright-core";
import { animatedPng, type Frame } from "./animated-png.ts";

/**
 * `npm run pictures`: takes the pictures of the README and of the documentation from the demo; with arguments, only those of these names.
 */
const root = join(import.meta.dirname, "../../../..");
const images = join(root, "docs/images");
const settleMs = 1200;
const fireMs = 130_000;
/** The names of pictures to take; all, without any. */
const chosen = process.argv.slice(2);

interface Demo {
  readonly url: string;
  readonly email: string;
  readonly password: string;
  stop(): Promise<void>;
}

async function startDemo(): Promise<Demo> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, "packages/cli/bin/svc.js"), "demo", "--port", String(port)], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (text: Buffer) => {
    printed += text.toString();
  });
  const wordAfter = (name: string) => new RegExp(`${name}\\s+(\\S+)`).exec(printed)?.[1];
  const isReady = () => wordAfter("password") !== undefined || child.exitCode !== null;
  await waitFor(isReady).catch((fault: unknown) => {
    child.kill("SIGTERM");
    throw fault;
  });
  const [email, password] = [wordAfter("e-?mail"), wordAfter("password")];
  if (email === undefined || password === undefined) throw new Error(`the demo did not start: ${printed}`);
  return {
    url: `http://localhost:${port}`,
    email,
    password,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function signedIn(browser: Browser, demo: Demo, look: { width: number; height: number; isDark?: boolean }) {
  const context = await browser.newContext({
    baseURL: demo.url,
    viewport: { width: look.width, height: look.height },
    colorScheme: look.isDark === true ? "dark" : "light",
  });
  const page = await context.newPage();
  const answer = await page.request.post("/api/v1/auth/login", {
    data: { email: demo.email, password: demo.password },
  });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}`);
  return page;
}

/** Pages of the README and the tour of the dashboard, with the steps before each picture is taken. */
const shots: readonly (readonly [name: string, path: string, prepare?: (page: Page) => Promise<unknown>])[] = [
  ["overview", "/p/demo-shop?since=-1h"],
  ["tasks", "/p/demo-shop/tasks?since=-1h"],
  ["task", "/p/demo-shop/tasks?state=failure", openFirstTask],
  ["issues", "/p/demo-shop/issues"],
  ["issue", "/p/demo-shop/issues", openIssue],
  ["retry", "/p/demo-shop/issues", openRetryOfIssue],
  ["queues", "/p/demo-shop/queues"],
  ["workers", "/p/demo-shop/workers"],
  ["agents", "/p/demo-shop/agents"],
  [
    "dead-letters",
    "/p/demo-shop/dead-letters",
    (page) => page.getByRole("button", { name: "Load dead letters" }).click(),
  ],
  // Once the frequent ones have fired a few times.
  ["schedules", "/p/demo-shop/schedules", (page) => page.waitForTimeout(fireMs)],
  ["commands", "/p/demo-shop/commands"],
  ["audit", "/p/demo-shop/audit"],
  // Its figures come with the first samples.
  ["home", "/"],
];

async function openFirstTask(page: Page): Promise<void> {
  await firstRow(page).click();
  await page.waitForTimeout(settleMs);
  await page.keyboard.press("o");
}

async function openIssue(page: Page): Promise<void> {
  await page
    .getByRole("link", { name: /^TypeError/ })
    .first()
    .click();
}

async function openRetryOfIssue(page: Page): Promise<void> {
  await openIssue(page);
  await page
    .getByRole("button", { name: /^Retry/ })
    .first()
    .click();
}

async function stills(browser: Browser, demo: Demo): Promise<void> {
  const page = await signedIn(browser, demo, { width: 1440, height: 900 });
  for (const [name, path, prepare] of shots) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    await page.goto(path);
    await page.waitForTimeout(2 * settleMs);
    await prepare?.(page);
    await page.waitForTimeout(2 * settleMs);
    await page.screenshot({ path: join(images, `${name}.png`) });
  }
  await page.context().close();
}

const firstRow = (page: Page) => page.locator('[role="grid"] [role="row"][aria-rowindex="2"]');

/** From a failure on the overview to its issue, the retry of all its tasks, and one of them: one picture for each step. */
async function tour(browser: Browser, demo: Demo): Promise<void> {
  const page = await signedIn(browser, demo, { width: 1440, height: 900 });
  const frames: Frame[] = [];
  const show = async (shownMs: number) => {
    await page.waitForTimeout(settleMs);
    frames.push({ png: await page.screenshot(), shownMs });
  };
  await page.goto("/p/demo-shop?since=-1h");
  await page.waitForTimeout(settleMs);
  await show(2500);
  await page
    .getByRole("link", { name: /^TypeError/ })
    .first()
    .click();
  const itsTasks = page.getByRole("region", { name: "Tasks", exact: true });
  await itsTasks.getByRole("table").getByRole("link").first().waitFor();
  await show(3000);
  await page
    .getByRole("button", { name: /^Retry/ })
    .first()
    .click();
  await page.getByRole("dialog").waitFor();
  await show(3000);
  await page.keyboard.press("Escape");
  await itsTasks.getByRole("table").getByRole("link").first().click();
  await page.getByRole("heading", { level: 1, name: /^billing\./ }).waitFor();
  await show(3000);
  await page.goto("/p/demo-shop/tasks");
  await page.getByRole("combobox", { name: /filter/i }).fill("runtime:>5s");
  await show(1500);
  await page.keyboard.press("Enter");
  await show(2500);
  await page.keyboard.press("ControlOrMeta+k");
  await show(1500);
  await page.keyboard.press("Escape");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/p/demo-shop?since=-1h");
  await page.waitForTimeout(settleMs);
  await show(2500);
  await writeFile(join(images, "tour.png"), animatedPng(frames));
  await page.context().close();
}

const { executablePath, args } = chromiumLaunch(await findChromium());
// One after the other: a browser that does not start must not leave the demo behind.
const browser = await chromium.launch({ executablePath, args: [...args] });
try {
  const demo = await startDemo();
  try {
    await stills(browser, demo);
    if (chosen.length === 0 || chosen.includes("tour")) await tour(browser, demo);
  } finally {
    await demo.stop();
  }
} finally {
  await browser.close();
}
