import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { canonicalText } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { signIn } from "@svc/testkit/brain";
import { chromiumLaunch, findChromium } from "@svc/testkit/services/chromium";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { type BenchBrain, benchAccount, startBenchBrain } from "./brain-client.ts";
import {
  countNodes,
  heapBytes,
  loadDuring,
  loadRows,
  measureFirstScreen,
  p95,
  scrollFrames,
  scrollToTop,
  tickRows,
} from "./dashboard-page.ts";
import { atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "./suite.ts";
import { batchPayload, connect, eventsPerFrame, overWebSocket, type WsSession } from "./transport-load.ts";

/**
 * The pages of a real `svc serve` in a real browser against the budgets of the dashboard: what a first screen costs, a list of 10,000 rows,
 * and a list that is watched while 200 events a second arrive. The browser draws without a graphics card and shares the cores with the
 * service.
 */
export const suite: BenchSuite = {
  name: "dashboard",
  about: "the pages in a browser: first screens, a list of 10,000 rows, 200 events a second live",
  diskBytes: { quick: 500e6, standard: 500e6, full: 500e6 },
  run: measure,
};

const listRows = 10_000;
const liveEventsASecond = 200;
const kilobyte = 1000;

async function measure(context: BenchContext): Promise<readonly BenchRow[]> {
  const home = join(context.scratchDir, "brain");
  await mkdir(home, { recursive: true });
  const { executablePath, args } = chromiumLaunch(await findChromium());
  const browser = await chromium.launch({ executablePath, args: [...args] });
  const brain = await startBenchBrain({ home, agents: 1 });
  try {
    const root = await signIn(brain.url, benchAccount.email, benchAccount.password);
    const [project] = (await root.get("/projects")).body as { slug: string }[];
    const slug = project?.slug ?? "";
    // Three events tell of one task.
    await overWebSocket(brain.agents, [brain.port], Math.ceil((listRows * 3.1) / eventsPerFrame));
    await waitFor(async () => (await root.get(`/projects/${slug}/stats`)).body.tasks_total >= listRows);
    // An agent that stays, as in a project that is at work; without one a banner takes its place above every page.
    const present = await connectFirst(brain);
    const window = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const cookies = root.cookie.split("; ").map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: brain.url };
    });
    const rows = await signInScreen(window, brain);
    await window.addCookies(cookies);
    rows.push(...(await firstScreens(window, brain, slug)));
    context.signal.throwIfAborted();
    const page = await window.newPage();
    rows.push(...(await longList(page, `${brain.url}/p/${slug}/tasks`)));
    context.signal.throwIfAborted();
    rows.push(...(await liveList(page, present, context.mode === "quick" ? 8 : 30)));
    present.socket.close();
    return rows;
  } finally {
    await browser.close();
    await brain.stop();
  }
}

async function signInScreen(window: BrowserContext, brain: BenchBrain): Promise<BenchRow[]> {
  const { scriptBytes } = await measureFirstScreen(window, { url: `${brain.url}/login`, shown: "form" }, false);
  return [
    atMost({
      name: "sign in: script, gzip",
      figure: scriptBytes / kilobyte,
      unit: "KB",
      limit: 130,
      target: 1,
    }),
  ];
}

async function firstScreens(window: BrowserContext, brain: BenchBrain, slug: string): Promise<BenchRow[]> {
  const [task] = (await (await taskPage(window, brain, slug)).json()).items as { engine: string; task_id: string }[];
  const project = `${brain.url}/p/${slug}`;
  const screens = {
    overview: { url: project, shown: "main h1" },
    "task list": { url: `${project}/tasks`, shown: '[role="grid"] [role="row"][aria-rowindex="2"]' },
    task: { url: `${project}/tasks/${task?.engine}/${encodeURIComponent(task?.task_id ?? "")}`, shown: "main h1" },
  };
  const rows: BenchRow[] = [];
  for (const [name, screen] of Object.entries(screens)) {
    const near = await measureFirstScreen(window, screen, false);
    const slow = await measureFirstScreen(window, screen, true);
    const within = (what: string, figure: number, unit: string, limit: number) =>
      atMost({ name: `${name}: ${what}`, figure, unit, limit, target: 1 });
    rows.push(
      within("script, gzip", near.scriptBytes / kilobyte, "KB", 200),
      within("styles, gzip", near.styleBytes / kilobyte, "KB", 20),
      within("requests", near.requests, "requests", 15),
      within("first paint, loopback", near.firstPaintMs, "ms", 300),
      within("first paint, slow machine and line", slow.firstPaintMs, "ms", 1000),
      within("largest paint, slow machine and line", slow.largestPaintMs, "ms", 1800),
      within("layout shift", Math.max(near.layoutShift, slow.layoutShift), "", 0.02),
    );
  }
  return rows;
}

const taskPage = (window: BrowserContext, brain: BenchBrain, slug: string) =>
  window.request.get(`${brain.url}/api/v1/projects/${slug}/tasks?limit=1`);

async function longList(page: Page, url: string): Promise<BenchRow[]> {
  await page.goto(url);
  const grid = page.locator('[role="grid"]');
  await grid.locator('[role="row"][aria-rowindex="2"]').waitFor();
  const firstRowsMs = await page.evaluate(() => performance.now());
  await loadRows(page, listRows);
  const nodes = await countNodes(page);
  const frames = await scrollFrames(page, 5);
  const tools = await page.context().newCDPSession(page);
  const heap = await heapBytes(tools);
  await scrollToTop(page);
  const ticks = await tickRows(page, 40);
  await tools.detach();
  return [
    note({ name: "list: first rows after the address was opened", figure: firstRowsMs, unit: "ms" }),
    atMost({ name: "10,000 rows: nodes in the document", figure: nodes, unit: "nodes", limit: 1500, target: 1 }),
    atMost({
      name: "10,000 rows: frame at p95 while scrolling",
      figure: p95(frames),
      unit: "ms",
      limit: 17,
      target: 1,
    }),
    atMost({ name: "10,000 rows: heap", figure: heap / 1e6, unit: "MB", limit: 60, target: 1 }),
    atMost({ name: "10,000 rows: tick of a row at p95", figure: p95(ticks), unit: "ms", limit: 50, target: 1 }),
  ];
}

async function liveList(page: Page, agent: WsSession, seconds: number): Promise<BenchRow[]> {
  await page.reload();
  await page.locator('[role="grid"] [role="row"][aria-rowindex="2"]').waitFor();
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  const quiet = await loadDuring(page, tools, () => pause(3000));
  const live = await loadDuring(page, tools, () => tellLive(agent, seconds));
  return [
    note({ name: "live list: main thread without events", figure: quiet.busyShare * 100, unit: "%" }),
    atMost({
      name: `live list: main thread at ${liveEventsASecond} events a second`,
      figure: live.busyShare * 100,
      unit: "%",
      limit: 30,
      target: 1,
    }),
    note({ name: "live list: changes of the list a second", figure: live.changesASecond, unit: "/s" }),
  ];
}

async function connectFirst(brain: BenchBrain): Promise<WsSession> {
  const [agent] = brain.agents;
  if (agent === undefined) throw new Error("the bench brain has no agent");
  return connect(brain.port, agent);
}

/** Sends frames of twenty events, evenly. */
async function tellLive({ socket, signer }: WsSession, seconds: number): Promise<void> {
  const eventsInFrame = 20;
  const frames = (seconds * liveEventsASecond) / eventsInFrame;
  const startedMs = performance.now();
  for (let frame = 0; frame < frames; frame += 1) {
    const dueMs = startedMs + (frame * eventsInFrame * 1000) / liveEventsASecond;
    await pause(Math.max(0, dueMs - performance.now()));
    const { events } = JSON.parse(batchPayload(50_000_000 + frame * eventsInFrame, Date.now())) as {
      events: unknown[];
    };
    const payload = canonicalText({ events: events.slice(0, eventsInFrame), sealed_at: new Date().toISOString() });
    socket.send(signer.signText("event_batch", payload, `ev_${String(frame).padStart(12, "0")}`));
  }
}
