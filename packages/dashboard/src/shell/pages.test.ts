import { describe, expect, test } from "vitest";
import { samePageIn } from "./pages.ts";

describe("samePageIn", () => {
  test("keeps the sub-page, but not the detail page", () => {
    expect(samePageIn("other", "/p/acme/agents/123")).toBe("/p/other/agents");
    expect(samePageIn("other", "/")).toBe("/p/other");
    expect(samePageIn("other", "/p/acme")).toBe("/p/other");
    expect(samePageIn("other", "/p/acme/bulk-retries/123")).toBe("/p/other/commands");
  });
});
