import type { Priority, TaskState } from "../types/api.generated.ts";

/**
 * The query language of the task list (parameter `q`), specified in docs/reference/query-language.md. The service parses queries and pages highlight and
 * complete them with this same code, so it must not use the network.
 */

/** A case-sensitive test of a whole text. `like` contains the parts between the stars: two parts for one star. */
export type TextTest =
  | { readonly kind: "is"; readonly text: string }
  | { readonly kind: "like"; readonly parts: readonly string[] };

export type Order = "<" | "<=" | ">" | ">=";

/** Durations are in milliseconds. */
export type NumberTest =
  | { readonly kind: "is"; readonly value: number }
  | { readonly kind: "order"; readonly order: Order; readonly value: number }
  | { readonly kind: "range"; readonly low: number; readonly high: number };

/**
 * A test of the values at the end of a path. Without `isText` the text is a number, true, false or null, and matches that value as well as
 * the same text.
 */
export type JsonTest =
  | { readonly kind: "present" }
  | { readonly kind: "is"; readonly text: string; readonly isText: boolean }
  | { readonly kind: "like"; readonly parts: readonly string[] }
  | { readonly kind: "order"; readonly order: Order; readonly operand: string; readonly isText: boolean }
  | { readonly kind: "range"; readonly low: string; readonly high: string; readonly isText: boolean };

/** A member name, or an element index from 0. */
export type PathStep = string | number;

/** An instant, or a duration before now. */
export type Moment =
  | { readonly kind: "at"; readonly epochMs: number }
  | { readonly kind: "ago"; readonly agoMs: number };

export type TextField = "words" | "any" | "error" | JsonField;
export type JsonField = "args" | "kwargs" | "result";
export type LabelField = "name" | "queue" | "worker" | "engine" | "id" | "release" | "tag" | "fingerprint";
export type NumberField = "runtime" | "wait" | "waiting" | "retries" | "age";

/** The condition of a term before negation: one of its values matches. */
export type Condition =
  | { readonly kind: "text"; readonly field: TextField; readonly texts: readonly string[] }
  | { readonly kind: "choice"; readonly field: "state"; readonly values: readonly TaskState[] }
  | { readonly kind: "choice"; readonly field: "priority"; readonly values: readonly Priority[] }
  | { readonly kind: "label"; readonly field: LabelField; readonly tests: readonly TextTest[] }
  | { readonly kind: "number"; readonly field: NumberField; readonly tests: readonly NumberTest[] }
  | {
      readonly kind: "json";
      readonly field: JsonField;
      readonly path: readonly PathStep[];
      readonly tests: readonly JsonTest[];
    }
  | { readonly kind: "bound"; readonly field: "since" | "until"; readonly moment: Moment };

export type Term = Condition & { readonly isNegated: boolean };

/** A task matches when it matches every term. */
export type TaskQuery = readonly Term[];

/** A fault of a query with its place: UTF-16 offsets, `to` exclusive. Contains no text of the query. */
export interface QueryFault {
  readonly at: number;
  readonly to: number;
  readonly type: string;
  readonly message: string;
}

export const queryLimits = { characters: 1000, terms: 20, values: 50, pathSteps: 16, stars: 5 } as const;

export type FieldKind = "choice" | "label" | "hash" | "number" | "duration" | "text" | "json" | "bound";

/** Every field by name, in menu order. */
export const queryFields = {
  state: { kind: "choice", meaning: "state of the task", sample: "state:failure,retry" },
  name: { kind: "label", meaning: "task name", sample: "name:billing.*" },
  queue: { kind: "label", meaning: "queue", sample: "queue:mail" },
  worker: { kind: "label", meaning: "worker that ran it", sample: "worker:web-1*" },
  error: { kind: "text", meaning: "text in exception or traceback", sample: 'error:"timed out"' },
  fingerprint: {
    kind: "hash",
    meaning: "fingerprint of its last failure",
    sample: "fingerprint:5f0c3a97e1b24d688b1e2f7a90c4d3e6",
  },
  args: { kind: "json", meaning: "arguments, positional or named", sample: "args.user.id:123" },
  kwargs: { kind: "json", meaning: "named arguments", sample: "kwargs.email:*@example.com" },
  result: { kind: "json", meaning: "result", sample: "result.total:>100" },
  runtime: { kind: "duration", meaning: "time it ran", sample: "runtime:>30s" },
  wait: { kind: "duration", meaning: "time it waited", sample: "wait:<=200ms" },
  waiting: { kind: "duration", meaning: "time it has waited so far, before its start", sample: "waiting:>5m" },
  age: { kind: "duration", meaning: "time since it was received", sample: "age:<15m" },
  priority: { kind: "choice", meaning: "priority", sample: "priority:high,critical" },
  engine: { kind: "label", meaning: "engine", sample: "engine:bullmq" },
  id: { kind: "label", meaning: "task id of the engine", sample: "id:order-*" },
  tag: { kind: "label", meaning: "one of its tags", sample: "tag:vip" },
  release: { kind: "label", meaning: "release that ran it", sample: "release:2026.11.*" },
  retries: { kind: "number", meaning: "retries so far", sample: "retries:>=3" },
  since: { kind: "bound", meaning: "received at this time or later", sample: "since:2h" },
  until: { kind: "bound", meaning: "received at this time or before", sample: "until:2026-11-01" },
  any: { kind: "text", meaning: "text anywhere: names, errors, arguments, result", sample: "any:ORD-4711" },
} as const satisfies Record<string, { kind: FieldKind; meaning: string; sample: string }>;

/** States of a task that has not started or waits for its next attempt. Field `waiting` selects those that are due. */
export const waitingStates = ["pending", "received", "retry"] as const satisfies readonly TaskState[];

export type QueryField = keyof typeof queryFields;

export const isQueryField = (name: string): name is QueryField => Object.hasOwn(queryFields, name);

/** Whether a text is a JSON number, with an exponent of up to three digits. */
export const isNumberText = (text: string): boolean =>
  /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$/.test(text);

/** Whether an unquoted value of a path means a number, boolean or null. */
export const isLiteralText = (text: string): boolean => /^(?:true|false|null)$/.test(text) || isNumberText(text);
