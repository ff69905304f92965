import { describe, expect, test } from "vitest";
import { readActivitySearch, readAuditSearch } from "./audit-search.ts";

describe("the URL of the audit page", () => {
  test("keeps what the API accepts", () => {
    const search = {
      action: "auth.",
      outcome: "deny",
      user: "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d",
      since: "-24h",
    };
    expect(readAuditSearch(search)).toEqual(search);
  });

  test.each([
    ["action", "x".repeat(81)],
    ["outcome", "x".repeat(21)],
    ["user", "me"],
    ["since", "yesterday"],
    ["row", "1"],
  ])("drops %s=%s", (name, value) => {
    expect(readAuditSearch({ [name]: value })).toEqual({});
  });
});

test("the URL of the activity page keeps the project and the action", () => {
  expect(readActivitySearch({ action: "auth.", project: "shop", user: "x", outcome: "deny" })).toEqual({
    action: "auth.",
    project: "shop",
  });
});
