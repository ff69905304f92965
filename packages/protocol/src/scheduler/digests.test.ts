import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { definitionDigest, fireIdOf, SnapshotDigest } from "./digests.ts";
import { readTimestamp, timestampOf } from "./messages.ts";

describe("identity of fires and definitions", () => {
  test("a fire id follows from schedule, slot and control token", () => {
    const id = "0b9f6c1e-4a52-4d39-8f0e-2d2a3c4b5d6e";
    const slot = new Date("2026-03-01T06:00:00Z");
    expect(fireIdOf(id, slot, "ct_1")).toBe("75eafc96-9434-5013-9f40-e1b4877ea865");
    expect(fireIdOf(id, slot, "ct_2")).not.toBe(fireIdOf(id, slot, "ct_1"));
  });

  test("a definition has one digest, whatever the order of its members and whatever else the object holds", () => {
    const given = {
      timezone: "UTC",
      task_name: "billing.charge",
      queue: null,
      priority: "normal",
      overlap_policy: "allow",
      kwargs: { b: 1, a: [2] },
      kind: "cron",
      expression: "0 6 * * *",
      engine: "bullmq",
      catch_up: "fire_one_missed",
      args: [],
    };
    const canonical =
      '{"args":[],"catch_up":"fire_one_missed","engine":"bullmq","expression":"0 6 * * *","kind":"cron","kwargs":{"a":[2],"b":1},"overlap_policy":"allow","priority":"normal","queue":null,"task_name":"billing.charge","timezone":"UTC"}';
    const expected = createHash("sha256").update(canonical).digest("hex");
    expect(definitionDigest({ ...given, ...{ name: "nightly" } })).toBe(expected);
    expect(definitionDigest({ ...given, queue: "mail" })).not.toBe(expected);
  });

  test("a snapshot is digested line by line", () => {
    const digest = new SnapshotDigest();
    digest.add({ id: "a", controlToken: "ct", revision: 7, definitionDigest: "d", nextRunAt: null });
    digest.add({ id: "b", controlToken: "ct", revision: 8, definitionDigest: "d", nextRunAt: new Date(0) });
    const lines = '["a","ct",7,"d",null]\n["b","ct",8,"d","1970-01-01T00:00:00.000Z"]\n';
    expect(digest.end()).toBe(createHash("sha256").update(lines).digest("hex"));
  });

  test("timestamps keep milliseconds, also before 1970", () => {
    for (const at of [new Date("2026-03-01T06:00:00.123Z"), new Date(-1), new Date(0)]) {
      expect(readTimestamp(timestampOf(at))).toEqual(at);
    }
    expect(timestampOf(new Date(-1))).toEqual({ seconds: -1, nanos: 999_000_000 });
    expect(readTimestamp(null)).toBeNull();
    expect(readTimestamp({ seconds: 1e20, nanos: 0 })).toBeNull();
  });
});
