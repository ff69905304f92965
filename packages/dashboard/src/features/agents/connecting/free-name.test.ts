import { expect, test } from "vitest";
import { freeName } from "./free-name.ts";

test("a new agent is named after its engine with the first free number", () => {
  expect(freeName("bullmq")).toBe("bullmq-1");
  expect(freeName("bullmq", [{ name: "bullmq-1" }, { name: "bullmq-3" }])).toBe("bullmq-2");
});
