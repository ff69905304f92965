import { hash } from "node:crypto";
import { anyCharacter } from "@svc/testkit/any-character";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idNamespaces, usableId, uuidV5 } from "../ids.ts";
import { canonicalText } from "../json/canonical.ts";
import { eventIdOf, sidecarEventId, taskRowId } from "./identity.ts";
import { receivedData } from "./received-data.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const urlNamespace = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";

describe("derived ids", () => {
  test("have the documented namespaces", () => {
    expect(uuidV5(urlNamespace, "svc:event:v1")).toBe(idNamespaces.event);
    expect(uuidV5(urlNamespace, "svc:sidecar-event:v1")).toBe(idNamespaces.sidecarEvent);
  });

  test("come from the content for an event without a usable id", () => {
    const canonicalData = '{"runtime_ms":12,"task_name":"app.add"}';
    expect(hash("sha256", canonicalData, "hex")).toBe(
      "ccaa0643509c8e53a11dfb9c9a53d2adac6bc6c53b523c95f43250d81fa881c3",
    );
    const occurredAt = new Date("2026-01-02T03:04:05.000Z");
    const event = { projectId, engine: "celery", taskId: "t-1", kind: "task.succeeded", occurredAt, canonicalData };
    expect(eventIdOf(event)).toBe("32e95ba3-fc95-58c9-8392-5f9b87283df7");
    expect(eventIdOf({ ...event, occurredAt: occurredAt.getTime() })).toBe("32e95ba3-fc95-58c9-8392-5f9b87283df7");
  });

  test("come from the broker's own id for an event read from a broker", () => {
    const event = { engine: "bullmq", source: "bull:emails", nativeId: "1767323045678-0", taskId: "42" };
    expect(sidecarEventId({ ...event, kind: "task.succeeded" })).toBe("af2d7fed-6386-5be5-909c-6abaefe2d57a");
  });

  test("name the row of a task", () => {
    expect(taskRowId(projectId, "celery", "t-1")).toBe("ef0ad99d-b6cd-5cb4-aaed-c58fa24b4930");
  });

  test("identify a task row by canonical JSON, whatever characters its id has", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('a"b', "a\\b", "\u007f", "é"),
    );
    fc.assert(
      fc.property(text, text, (engine, taskId) => {
        const name = canonicalText([projectId, engine, taskId]);
        expect(taskRowId(projectId, engine, taskId)).toBe(uuidV5(idNamespaces.task, name));
      }),
    );
  });

  test("hash names as UTF-8", () => {
    expect(uuidV5(urlNamespace, "é✓😀")).toBe(uuidV5(urlNamespace, Buffer.from("é✓😀").toString("utf8")));
    expect(uuidV5(urlNamespace, "é")).not.toBe(uuidV5(urlNamespace, "e"));
  });
});

describe("usableId", () => {
  test.each([
    "3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11",
    "af2d7fed-6386-5be5-909c-6abaefe2d57a",
    "019b7e8c-1111-7abc-8def-0123456789ab",
  ])("accepts %s in any case", (id) => {
    expect(usableId(id)).toBe(id);
    expect(usableId(id.toUpperCase())).toBe(id);
  });

  test.each([
    ["3f0c7d1e-5b7a-1f0e-9d53-0f6a2f6a1b11"],
    ["3f0c7d1e5b7a4f0e9d530f6a2f6a1b11"],
    ["{3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b1}"],
    [" 3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b1"],
    [""],
    [42],
    [null],
    [undefined],
  ])("refuses %j", (id) => {
    expect(usableId(id)).toBeNull();
  });
});

describe("receivedData", () => {
  test("returns the canonical data of each record with its number lexemes", () => {
    const read = receivedData(
      '{"payload":{"events":[{"data":{"b":1.0,"a":12345678901234567890}},{"kind":"x"},7,{"data":null}]},"v":2}',
    );
    expect(read(0)).toBe('{"a":12345678901234567890,"b":1.0}');
    expect(read(1)).toBe("{}");
    expect(read(2)).toBe("{}");
    expect(read(3)).toBe("null");
    expect(read(9)).toBe("{}");
  });
});
