import { describe, expect, test } from "vitest";
import {
  changesOf,
  cronParts,
  definitionOf,
  emptyForm,
  expressionOf,
  formErrors,
  formOf,
  splitSolar,
} from "./schedule-form.ts";

const filled = emptyForm({ name: "billing.close_day", engine: "bullmq", task_name: "billing.close_day" });

describe("the errors", () => {
  test("are none in a filled form", () => {
    expect(formErrors(filled)).toEqual({});
  });

  test("name what is required", () => {
    expect(formErrors(emptyForm({ timezone: " ", expressions: { ...filled.expressions, cron: "  " } }))).toEqual({
      name: "Required",
      engine: "Required",
      task_name: "Required",
      timezone: "Required",
      expression: "Required",
    });
  });

  test.each([
    ["name", { name: "a\u0007b" }, "Must not contain control characters"],
    ["late_start_seconds", { late_start_seconds: "0" }, "Enter a whole number from 1 to 86400"],
    ["long_run_seconds", { long_run_seconds: "1.5" }, "Enter a whole number from 1 to 86400"],
    ["long_run_seconds", { long_run_seconds: "86401" }, "Enter a whole number from 1 to 86400"],
    ["args", { args: "{}" }, "Must be a list, such as [1, 2]"],
    ["args", { args: `["${"x".repeat(65_536)}"]` }, "Must be 64 KB or less"],
    ["kwargs", { kwargs: "[]" }, 'Must be an object, such as {"order": 1}'],
    ["kwargs", { kwargs: '{"__svc_x": 1}' }, "Names can't start with __svc_"],
  ])("of %s: %j", (field, typed, error) => {
    expect(formErrors({ ...filled, ...typed })).toEqual({ [field]: error });
  });
});

test("the definition has trimmed texts, parsed arguments, and null for what is empty", () => {
  const form = { ...filled, name: " a ", kwargs: '{"region": "eu"}', long_run_seconds: "600" };
  expect(definitionOf(form)).toMatchObject({
    name: "a",
    queue: null,
    args: [],
    kwargs: { region: "eu" },
    late_start_seconds: null,
    long_run_seconds: 600,
    expression: "0 3 * * *",
  });
});

describe("a stored schedule", () => {
  const stored = {
    ...definitionOf(filled),
    kind: "interval",
    expression: "90",
    queue: "billing",
    long_run_seconds: 60,
  };

  test("fills the form, and the form has its definition", () => {
    expect(definitionOf(formOf(stored))).toEqual(stored);
  });

  test("is changed only in the fields that were changed", () => {
    const first = formOf(stored);
    expect(changesOf(first, first)).toEqual({});
    expect(changesOf(first, { ...first, kwargs: ' {"a":1} ', queue: "" })).toEqual({ kwargs: { a: 1 }, queue: null });
    expect(changesOf(first, { ...first, kind: "cron" })).toEqual({ kind: "cron", expression: "0 3 * * *" });
  });

  test("without optional fields has their defaults", () => {
    const form = formOf({ name: "a", kind: "cron", expression: "* * * * *" });
    expect(form).toMatchObject({ queue: "", args: "[]", kwargs: "{}", late_start_seconds: "", timezone: "UTC" });
  });
});

test("each kind keeps its own expression", () => {
  const form = { ...filled, expressions: { ...filled.expressions, interval: "60" } };
  expect(expressionOf({ ...form, kind: "interval" })).toBe("60");
  expect(expressionOf(form)).toBe("0 3 * * *");
});

test("a cron expression is split into its named parts", () => {
  expect(cronParts("0 2,4 * * 1").map(({ text, name }) => `${text} ${name}`)).toEqual([
    "0 minute",
    "2,4 hour",
    "* day",
    "* month",
    "1 weekday",
  ]);
  expect(cronParts("0 12 * * * 30").at(-1)).toEqual({ text: "30", name: "second" });
  expect(cronParts("@daily")).toEqual([]);
});

test("a solar expression is split", () => {
  expect(splitSolar("sunrise:52.5:13.4")).toEqual(["sunrise", "52.5", "13.4"]);
  expect(splitSolar("")).toEqual(["", "", ""]);
});
