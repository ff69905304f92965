import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { canonicalText } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { chromiumLaunch, findChromium } from "@svc/testkit/services/chromium";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { type BenchBrain, firstAgentOf, startBenchBrain } from "../harness/processes.ts";
import { medianBy, medianOf, quantile } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { batchPayload, connect, eventsPerFrame, overWebSocket, type WsSession } from "../transport/load.ts";
import {
  countNodes,
  type FirstScreen,
  heapBytes,
  loadDuring,
  loadRows,
  measureFirstScreen,
  scrollFrames,
  scrollToTop,
  tickRows,
  useList,
} from "./page.ts";

/**
 * The pages of a real `svc serve` in a real browser against the budgets of the dashboard: first screens, a list of 10,000 rows, and a live
 * list with 200 events per second. The browser draws without a graphics card and shares the cores with the service.
 */
export const suite: BenchSuite = {
  name: "dashboard",
  about: "the pages in a browser: first screens, a list of 10,000 rows, 200 live events per second",
  diskBytes: { quick: 500e6, standard: 500e6, full: 500e6 },
  run: measure,
};

const listRows = 10_000;
/** Events for the soak test: the last is eight hours of 20 events per second, a hundred times as fast. */
const soakEvents: Record<BenchMode, number> = { quick: 8_000, standard: 72_000, full: 576_000 };
const soakEventsASecond = 2000;
const liveEventsASecond = 200;
const heartbeatMs = 10_000;
const kilobyte = 1000;
/** Single page loads vary by a hundred milliseconds. */
const openings: Record<BenchMode, number> = { quick: 5, standard: 7, full: 7 };

async function measure(context: BenchContext): Promise<readonly BenchRow[]> {
  const home = join(context.scratchDir, "brain");
  const { executablePath, args } = chromiumLaunch(await findChromium());
  const browser = await chromium.launch({ executablePath, args: [...args] });
  const brain = await startBenchBrain({ home, agents: 1 });
  try {
    const { root, slug } = brain;
    // Three events per task.
    await overWebSocket(brain.agents, [brain.port], Math.ceil((listRows * 3.1) / eventsPerFrame));
    await waitFor(async () => (await root.get(`/projects/${slug}/stats`)).body.tasks_total >= listRows);
    // An agent stays connected, because without one all pages have a banner.
    const present = await connect(brain.port, firstAgentOf(brain));
    const beats = setInterval(() => sendHeartbeat(present), heartbeatMs);
    present.socket.once("close", () => clearInterval(beats));
    const window = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const cookies = root.cookie.split("; ").map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: brain.url };
    });
    const rows = await signInScreen(window, brain);
    await window.addCookies(cookies);
    rows.push(...(await firstScreens(window, brain)));
    context.signal.throwIfAborted();
    const page = await window.newPage();
    rows.push(...(await longList(page, `${brain.url}/p/${slug}/tasks`, openings[context.mode])));
    context.signal.throwIfAborted();
    rows.push(...(await liveList(page, present, context.mode === "quick" ? 4 : 30)));
    context.signal.throwIfAborted();
    rows.push(...(await watchedForHours(page, present, soakEvents[context.mode])));
    present.socket.close();
    return rows;
  } finally {
    await browser.close();
    await brain.stop();
  }
}

async function signInScreen(window: BrowserContext, brain: BenchBrain): Promise<BenchRow[]> {
  const { scriptBytes } = await measureFirstScreen(window, { url: `${brain.url}/login`, shown: ["form"] }, false);
  return [atMost("sign in: script, gzip", scriptBytes / kilobyte, "KB", { limit: 130 })];
}

const firstRow = '[role="grid"] [role="row"][aria-rowindex="2"]';

/** The panels of the overview's first screen with their content: both charts, issues, slowest names and queues. */
const overviewShown = [1, 2, 3, 4, 5].map(
  (place) => `main section:nth-of-type(${place}):not(:has([role="status"], [role="alert"]))`,
);

/**
 * Counts all requests of a page, including itself and its files, until the first screen is complete: for the overview the figures, both
 * charts, the issues, the slowest names and the queues. The page reads workers, recent failures, earlier figures and chart markers later;
 * the row of all requests includes them.
 */
async function firstScreens(window: BrowserContext, { url, root, slug }: BenchBrain): Promise<BenchRow[]> {
  const [task] = (await root.get(`/projects/${slug}/tasks?limit=1`)).body.items as {
    engine: string;
    task_id: string;
  }[];
  const project = `${url}/p/${slug}`;
  const screens = {
    overview: { url: project, shown: overviewShown },
    "task list": { url: `${project}/tasks`, shown: [firstRow] },
    task: {
      url: `${project}/tasks/${task?.engine}/${encodeURIComponent(task?.task_id ?? "")}`,
      shown: ['main nav[aria-label="Task parts"]'],
    },
  };
  const rows: BenchRow[] = [];
  for (const [name, screen] of Object.entries(screens)) {
    // The first load also compiles the code of the page.
    const opened: FirstScreen[] = [];
    while (opened.length < 3) opened.push(await measureFirstScreen(window, screen, false));
    const near = medianBy(opened, ({ shownMs }) => shownMs);
    const slow = await measureFirstScreen(window, screen, true);
    const within = (what: string, figure: number, unit: string, limit: number) =>
      atMost(`${name}: ${what}`, figure, unit, unit === "ms" ? { stated: limit } : { limit });
    rows.push(
      within("script, gzip", near.scriptBytes / kilobyte, "KB", 200),
      within("styles, gzip", near.styleBytes / kilobyte, "KB", 20),
      within("requests until the first screen is complete", near.requests, "requests", 15),
      note(`${name}: requests until nothing loads`, near.allRequests, "requests"),
      note(`${name}: first screen complete, loopback`, near.shownMs, "ms"),
      within("first paint, loopback", near.firstPaintMs, "ms", 300),
      within("first paint, slow machine and line", slow.firstPaintMs, "ms", 1000),
      within("largest paint, slow machine and line", slow.largestPaintMs, "ms", 1800),
      within("layout shift", Math.max(near.layoutShift, slow.layoutShift), "", 0.02),
    );
  }
  return rows;
}

/** At 60 refreshes per second, with one frame in twenty late by one. The mean is judged, since single frames last whole refreshes. */
const meanFrameMs = (1000 / 60) * 1.05;

async function longList(page: Page, url: string, times: number): Promise<BenchRow[]> {
  const opened: number[] = [];
  for (let time = 0; time < times; time += 1) {
    opened.push((await measureFirstScreen(page.context(), { url, shown: [firstRow] }, false)).shownMs);
  }
  await page.goto(url);
  await page.locator(firstRow).waitFor();
  await loadRows(page, listRows);
  const nodes = await countNodes(page);
  const frames = await scrollFrames(page, 5);
  const tools = await page.context().newCDPSession(page);
  const heap = await heapBytes(tools);
  await scrollToTop(page);
  const ticks = await tickRows(page, 40);
  await page.keyboard.press("Escape");
  const answers = await useList(page, 8);
  await tools.detach();
  return [
    atMost(`list: first rows after opening the address, median of ${times}`, medianOf(opened), "ms", {
      stated: 300,
    }),
    atMost("10,000 rows: nodes in the document", nodes, "nodes", { limit: 1500 }),
    note("10,000 rows: frame at p95 while scrolling", quantile(frames, 0.95), "ms"),
    atMost("10,000 rows: frame while scrolling, mean", frames.reduce((sum, ms) => sum + ms, 0) / frames.length, "ms", {
      stated: meanFrameMs,
    }),
    atMost("10,000 rows: heap", heap / 1e6, "MB", { limit: 60 }),
    atMost("10,000 rows: tick of a row at p95", quantile(ticks, 0.95), "ms", { stated: 50 }),
    atMost("10,000 rows: answer to a key or a click at p75", quantile(answers, 0.75), "ms", { stated: 150 }),
  ];
}

async function liveList(page: Page, agent: WsSession, seconds: number): Promise<BenchRow[]> {
  await page.reload();
  await page.locator(firstRow).waitFor();
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  const quiet = await loadDuring(page, tools, () => pause(3000));
  const live = await loadDuring(page, tools, () =>
    sendLive(agent, { events: seconds * liveEventsASecond, aSecond: liveEventsASecond, eventsInFrame: 20 }),
  );
  return [
    note("live list: main thread without events", quiet.busyShare * 100, "%"),
    atMost(`live list: main thread at ${liveEventsASecond} events per second`, live.busyShare * 100, "%", {
      stated: 30,
    }),
    // Ages are redrawn every second even without events.
    atMost("live list: paints of the list due to events", Math.max(0, live.paintsASecond - quiet.paintsASecond), "/s", {
      limit: 4,
    }),
  ];
}

/** Memory of a list that stays open while events arrive for hours: after the first quarter of them, and at the end. */
async function watchedForHours(page: Page, agent: WsSession, events: number): Promise<BenchRow[]> {
  const tools = await page.context().newCDPSession(page);
  const send = (share: number) =>
    sendLive(agent, { events: events * share, aSecond: soakEventsASecond, eventsInFrame: 100 });
  await send(1 / 4);
  const early = await heapBytes(tools);
  await send(3 / 4);
  const late = await heapBytes(tools);
  await tools.detach();
  const name = `live list: heap after ${events.toLocaleString("en-US")} events`;
  return [
    atMost(name, late / 1e6, "MB", { limit: 150 }),
    atMost(`${name}, against a quarter of them`, late / 1e6, "MB", { limit: early / 1e6, target: 1.1 }),
  ];
}

let nextLive = 50_000_000;
let nextBeat = 0;

function sendHeartbeat({ socket, signer }: WsSession): void {
  nextBeat += 1;
  const payload = { buffer_size: 0, dropped_events: 0, adapter_health: {} };
  socket.send(signer.sign("heartbeat", payload, `hb_${String(nextBeat).padStart(12, "0")}`));
}

/** Sends frames of events at a steady rate. */
async function sendLive(
  { socket, signer }: WsSession,
  { events: total, aSecond, eventsInFrame }: { events: number; aSecond: number; eventsInFrame: number },
): Promise<void> {
  const frames = Math.ceil(total / eventsInFrame);
  const startedMs = performance.now();
  for (let frame = 0; frame < frames; frame += 1) {
    const dueMs = startedMs + (frame * eventsInFrame * 1000) / aSecond;
    await pause(Math.max(0, dueMs - performance.now()));
    nextLive += eventsInFrame;
    const { events } = JSON.parse(batchPayload(nextLive, Date.now())) as {
      events: unknown[];
    };
    const payload = canonicalText({ events: events.slice(0, eventsInFrame), sealed_at: new Date().toISOString() });
    socket.send(signer.signText("event_batch", payload, `ev_${String(nextLive).padStart(12, "0")}`));
  }
}
