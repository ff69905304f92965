import { isRawJson, parseJson, redactionMarker } from "@svc/protocol";
import type { SampledTask } from "./sample-reads.ts";

/** A field of a task and its value, such as `kwargs.region` and `eu`. */
export interface Attribute {
  readonly field: string;
  readonly value: string;
}

/** Depth below args or kwargs. */
const maxSteps = 4;
const maxAttributes = 60;
const maxFieldCharacters = 120;
/** Longer values rarely repeat and are hard to compare by eye. */
const maxValueCharacters = 80;

/**
 * What a task has besides its outcome: worker, queue, priority, and the scalar values of its arguments by path. Parts of a path are joined
 * by dots and quoted where that would be ambiguous. Redacted values are left out. Releases are compared separately, by hour.
 */
export function attributesOf(task: Omit<SampledTask, "release" | "received_at">): Attribute[] {
  const found: Attribute[] = [];
  const add = (field: string, value: string | null) => {
    if (value === null || value === "" || found.length >= maxAttributes) return;
    if (field.length > maxFieldCharacters || value.length > maxValueCharacters) return;
    if (value.includes(redactionMarker) || field.includes(redactionMarker)) return;
    found.push({ field, value });
  };

  function addInner(field: string, value: unknown, steps: number): void {
    if (found.length >= maxAttributes) return;
    const text = scalarText(value);
    if (text !== null) add(field, text);
    if (text !== null || steps === maxSteps) return;
    if (Array.isArray(value)) {
      for (const [index, inner] of value.slice(0, maxAttributes).entries())
        addInner(`${field}.${index}`, inner, steps + 1);
      return;
    }
    for (const [key, inner] of Object.entries(value as object)) addInner(`${field}.${stepText(key)}`, inner, steps + 1);
  }

  add("worker", task.worker_name);
  add("queue", task.queue);
  add("priority", task.priority);
  if (task.args !== null) addInner("args", parseJson(task.args), 0);
  if (task.kwargs !== null) addInner("kwargs", parseJson(task.kwargs), 0);
  return found;
}

const wholeNumber = /^-?[0-9]+$/;
const literal = /^(?:true|false|null|-?[0-9].*)$/;

/** The text of a scalar; a text that could be read as another type is quoted. Null for objects and arrays. */
function scalarText(value: unknown): string | null {
  if (typeof value === "string") return literal.test(value) ? JSON.stringify(value) : value;
  if (value === null || typeof value !== "object") return String(value);
  if (!isRawJson(value)) return null;
  const lexeme = value.rawJSON;
  // Both databases keep the digits of an integer, but may rewrite other numbers.
  return wholeNumber.test(lexeme) ? lexeme : String(Number(lexeme));
}

const stepText = (key: string): string =>
  /^[^\s.:,"\\[\]]+$/.test(key) && !/^[0-9]+$/.test(key) ? key : `"${key.replace(/["\\]/g, "\\$&")}"`;
