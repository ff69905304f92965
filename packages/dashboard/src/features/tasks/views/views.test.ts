import type { SavedView } from "@svc/client";
import { describe, expect, test } from "vitest";
import { type ListView, ownView, presets, searchFor, showsView, viewFilters } from "./views.ts";

const preset = (name: string) => presets.find((one) => one.name === name) as ListView;
const id = "11111111-2222-4333-8444-555555555555";
const saved: SavedView = {
  id,
  name: "Payday watch",
  filters: { state: "failure", priority: ["high", "critical"], queue: "billing", engine: 'a"b', q: "runtime:>30s" },
  created_at: "2026-11-20T10:00:00.000Z",
  updated_at: "2026-11-20T10:00:00.000Z",
};

describe("a saved view", () => {
  test("becomes URL parameters, with the engine as a search term", () => {
    expect(ownView(saved).search).toEqual({
      state: "failure",
      priority: "critical,high",
      queue: "billing",
      q: 'runtime:>30s engine:"a\\"b"',
      view: id,
    });
  });

  test("keeps the filters but no time range", () => {
    const search = { state: "retry", priority: "high", since: "-1h", name: "x", task: "a/b" } as const;
    expect(viewFilters(search)).toEqual({ state: "retry", priority: ["high"], name: "x" });
  });
});

describe("the current view", () => {
  test("is the one with the same filters, in any time range", () => {
    expect(showsView({ state: "failure", since: "-1h" }, preset("Failed"))).toBe(true);
    expect(showsView({ state: "failure", queue: "q" }, preset("Failed"))).toBe(false);
    expect(showsView({}, preset("All"))).toBe(true);
  });
});

describe("switching views", () => {
  test("keeps the time range", () => {
    expect(searchFor(preset("Failed"), { state: "retry", since: "-1h" })).toEqual({ since: "-1h", state: "failure" });
    expect(searchFor(preset("All"), { until: "2026-11-20" })).toEqual({ until: "2026-11-20" });
  });
});
