import type { Agent } from "@svc/client";
import { expect, test } from "vitest";
import { chartMarks } from "./chart-marks.ts";

const window = { sinceMs: 0, untilMs: 100_000 };
const at = (ms: number) => new Date(ms).toISOString();
const agent = (name: string, ms: number | null): Agent => ({
  id: name,
  project_id: "p",
  name,
  state: "online",
  protocol_version: "1",
  framework_adapter: "",
  engine_adapters: [],
  scheduler_adapters: [],
  capabilities: {},
  last_seen_at: null,
  last_connect_at: ms === null ? null : at(ms),
  created_at: at(0),
  is_outdated: false,
  host_name: null,
  agent_version: null,
  version_status: null,
  transport: null,
  metadata: {},
});

test("marks are the releases and connections of the window, oldest first", () => {
  const releases = [{ release: "2026.11.3", first_seen: at(60_000) }];
  const agents = [agent("late", 80_000), agent("early", 20_000), agent("outside", 200_000), agent("never", null)];
  expect(chartMarks({ releases, agents }, window).map(({ label }) => label)).toEqual([
    "early connected",
    "release 2026.11.3",
    "late connected",
  ]);
});

test("agents that connect together are one mark", () => {
  const agents = [agent("a", 50_000), agent("b", 50_400), agent("c", 51_000), agent("d", 70_000)];
  expect(chartMarks({ releases: [], agents }, window)).toEqual([
    { atMs: 50_000, label: "3 agents connected", isMinor: true },
    { atMs: 70_000, label: "d connected", isMinor: true },
  ]);
});
