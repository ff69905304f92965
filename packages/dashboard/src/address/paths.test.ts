import { describe, expect, test } from "vitest";
import { paths, safeReturn } from "./paths.ts";

describe("paths", () => {
  test("encode any task id", () => {
    expect(paths.task("acme", "bullmq", "a/b?c#d$e")).toBe("/p/acme/tasks/bullmq/a%2Fb%3Fc%23d%24e");
  });

  test("end with the search parameters, without undefined or empty ones", () => {
    expect(paths.tasks("acme", { state: "failure", queue: "", worker: undefined })).toBe("/p/acme/tasks?state=failure");
    expect(paths.task("acme", "bullmq", "7", { tab: "events", since: "-1h" })).toBe(
      "/p/acme/tasks/bullmq/7?tab=events&since=-1h",
    );
  });

  test("never end in dot segments that a browser would resolve", () => {
    expect(paths.task("acme", "bullmq", "..")).toBe("/p/acme/tasks?task=bullmq/..");
    expect(paths.task("acme", "bullmq", ".", { since: "-1h" })).toBe("/p/acme/tasks?task=bullmq/.");
  });
});

describe("safeReturn", () => {
  test("keeps a path of this dashboard with its filters", () => {
    expect(safeReturn("/p/acme/tasks?state=failure")).toBe("/p/acme/tasks?state=failure");
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/login?next=/login",
    "",
    undefined,
  ])("turns %s into the start page", (next) => {
    expect(safeReturn(next)).toBe("/");
  });
});
