/** A reference implementation of task list queries, as simple as possible: no SQL, no index, no code of the service. */
import type { JsonTest, NumberTest, TaskQuery, Term, TextTest } from "@svc/client/task-query";
import { isRawJson, parseJson } from "@svc/protocol";
import type { TaskRow } from "../src/schema/tables/index.ts";

export const isFoundBy = (query: TaskQuery, task: TaskRow, now: Date): boolean =>
  query.every((term) => holds(term, task, now) !== term.isNegated);

function holds(term: Term, task: TaskRow, now: Date): boolean {
  switch (term.kind) {
    case "choice":
      return (term.values as readonly string[]).includes(term.field === "state" ? task.state : task.priority);
    case "label": {
      if (term.field === "tag") return (JSON.parse(task.tags) as string[]).some((tag) => isOneOf(tag, term.tests));
      const columns = {
        name: "name",
        queue: "queue",
        worker: "worker_name",
        engine: "engine",
        id: "task_id",
        release: "release",
        fingerprint: "fingerprint",
      } as const;
      const text = task[columns[term.field]];
      return text !== null && isOneOf(text, term.tests);
    }
    case "number": {
      const values = {
        runtime: task.runtime_ms,
        wait: task.wait_ms,
        retries: task.retry_count,
        waiting: waitedMs(task, now),
        age: now.getTime() - task.received_at.getTime(),
      };
      const value = values[term.field];
      return value !== null && term.tests.some((test) => fitsNumber(value, test));
    }
    case "bound": {
      const { moment } = term;
      const at = moment.kind === "at" ? moment.epochMs : now.getTime() - moment.agoMs;
      return term.field === "since" ? task.received_at.getTime() >= at : task.received_at.getTime() <= at;
    }
    case "text": {
      const names = [task.name, task.queue, task.worker_name, task.task_id];
      const error = [task.exception, task.traceback];
      const leaves = (...texts: (string | null)[]) =>
        texts.flatMap((text) => (text === null ? [] : leavesOf(parseJson(text))));
      const texts = {
        words: names,
        any: [...names, ...error, ...leaves(task.args, task.kwargs, task.result, task.tags)],
        error,
        args: leaves(task.args, task.kwargs),
        kwargs: leaves(task.kwargs),
        result: leaves(task.result),
      }[term.field];
      return term.texts.some((wanted) => texts.some((text) => text?.toLowerCase().includes(wanted.toLowerCase())));
    }
    case "json": {
      const columns = { args: [task.args, task.kwargs], kwargs: [task.kwargs], result: [task.result] }[term.field];
      return columns.some((text) => text !== null && fitsPath([parseJson(text)], term.path, term.tests));
    }
  }
}

function waitedMs(task: TaskRow, now: Date): number | null {
  if (!["pending", "received", "retry"].includes(task.state)) return null;
  const isFirst = task.attempt === 0 && task.state !== "retry";
  const sinceMs = Math.max((isFirst ? task.received_at : task.last_event_at).getTime(), task.eta?.getTime() ?? 0);
  return sinceMs > now.getTime() ? null : now.getTime() - sinceMs;
}

const isOneOf = (text: string, tests: readonly TextTest[]): boolean =>
  tests.some((test) => (test.kind === "is" ? test.text === text : patternOf(test.parts).test(text)));

const patternOf = (parts: readonly string[]): RegExp =>
  new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*")}$`, "u");

function fitsNumber(value: number, test: NumberTest): boolean {
  if (test.kind === "is") return value === test.value;
  if (test.kind === "range") return test.low <= value && value <= test.high;
  return { "<": value < test.value, "<=": value <= test.value, ">": value > test.value, ">=": value >= test.value }[
    test.order
  ];
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (isNumber(value)) return [digitsOf(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

const isNumber = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "object" && value !== null && isRawJson(value));

const lexemeOf = (value: unknown): string =>
  typeof value === "number" ? String(value) : (value as { rawJSON: string }).rawJSON;

/** Scaled by enough decimal places that the result is an integer. */
const places = 400n;
function scaled(lexeme: string): bigint {
  const [mantissa = "", exponent = "0"] = lexeme.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = places + BigInt(exponent) - BigInt(fraction.length);
  return BigInt(`${whole}${fraction}`.replace(/^(-?)0+(?=[0-9])/, "$1")) * 10n ** power;
}

function digitsOf(value: unknown): string {
  const number = scaled(lexemeOf(value));
  const digits = (number < 0n ? -number : number).toString().padStart(Number(places) + 1, "0");
  const whole = digits.slice(0, -Number(places));
  const fraction = digits.slice(-Number(places)).replace(/0+$/, "");
  return `${number < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

function fitsPath(values: readonly unknown[], path: readonly (string | number)[], tests: readonly JsonTest[]): boolean {
  const [step, ...rest] = path;
  if (step !== undefined)
    return fitsPath(
      values.flatMap((value) => stepInto(value, step)),
      rest,
      tests,
    );
  const ends = values.flatMap((value) => (Array.isArray(value) ? value : [value]));
  return tests.some((test) => (test.kind === "present" ? values.length > 0 : ends.some((end) => fitsValue(end, test))));
}

function stepInto(value: unknown, step: string | number): unknown[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (typeof step === "number") return step < list.length ? [list[step]] : [];
  return list.flatMap((one) =>
    typeof one === "object" && one !== null && !Array.isArray(one) && !isNumber(one) && Object.hasOwn(one, step)
      ? [(one as Record<string, unknown>)[step]]
      : [],
  );
}

function fitsValue(value: unknown, test: Exclude<JsonTest, { kind: "present" }>): boolean {
  switch (test.kind) {
    case "is":
      if (typeof value === "string") return value === test.text;
      if (test.isText) return false;
      if (isNumber(value)) return !/^[tfn]/.test(test.text) && scaled(lexemeOf(value)) === scaled(test.text);
      return (value === null || typeof value === "boolean") && String(value) === test.text;
    case "like":
      return typeof value === "string" && patternOf(test.parts).test(value);
    case "order": {
      const order = compare(value, test.operand, test.isText);
      return order !== null && { "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0 }[test.order];
    }
    case "range": {
      const [low, high] = [compare(value, test.low, test.isText), compare(value, test.high, test.isText)];
      return low !== null && high !== null && low >= 0 && high <= 0;
    }
  }
}

function compare(value: unknown, operand: string, isText: boolean): number | null {
  if (isText) return typeof value === "string" ? Buffer.compare(Buffer.from(value), Buffer.from(operand)) : null;
  if (!isNumber(value)) return null;
  const [left, right] = [scaled(lexemeOf(value)), scaled(operand)];
  return left < right ? -1 : left > right ? 1 : 0;
}
