import { isJsonObject, isRawJson, rawJson } from "../json/raw.ts";
import { setOwn } from "../json/read-json.ts";
import { withoutNul } from "../json/unicode.ts";
import { isCardLexeme } from "./account-numbers.ts";
import { cutText } from "./cut.ts";
import { compileKeyPatterns, compileValuePatterns } from "./extra-patterns.ts";
import { type KeyVerdict as BelowKey, createKeyRule } from "./key-rule.ts";
import { redactionMarker } from "./markers.ts";
import { eventPlace, type Place, scheduleEventPlace, snapshotPlace, workerPlace } from "./places.ts";
import { createValueRule } from "./value-rule.ts";

/**
 * Redaction (docs/reference/redaction.md). Agents apply it before buffering, the brain applies it on ingest and to dead-letter excerpts. It also replaces
 * U+0000 and lone surrogates by U+FFFD, which can be neither stored nor signed. Redaction is idempotent.
 */
export interface RedactorOptions {
  /** Maximum length of a string in UTF-8 bytes. Longer ones are cut. Defaults to 8192. */
  readonly maxStringBytes?: number;
  /** Case-insensitive regular expressions that a whole key must match. */
  readonly extraKeyPatterns?: readonly string[];
  /** Case-insensitive regular expressions. One match replaces the whole string. */
  readonly extraValuePatterns?: readonly string[];
  /** False disables all built-in rules. For agents only. */
  readonly defaultsEnabled?: boolean;
}

export type Redactor = ReturnType<typeof createRedactor>;

const defaultMaxStringBytes = 8_192;
const deepest = 64;
/** Smaller numbers have too few digits for a card number, or a first digit that no card number has. */
const leastCardNumber = 2e12;
/** More values than a frame of 1 MiB can hold. Bounds the expansion of shared references. */
const mostValues = 1_000_000;
const cachedKeys = 4_096;
const longestCachedKey = 128;

/** Maximum length of a name in UTF-16 units. A longer text is redacted like any other. */
const longestIdentity = 1_000;

interface KeyVerdict {
  /** The replacement of the key. Null keeps it. */
  readonly rewritten: string | null;
  readonly below: BelowKey;
}

const unchangedKeys: Readonly<Record<BelowKey, KeyVerdict>> = {
  plain: { rewritten: null, below: "plain" },
  value: { rewritten: null, below: "value" },
  plural: { rewritten: null, below: "plural" },
};

/** @throws RedactionPatternError when an extra pattern is invalid or too slow. */
export function createRedactor(options: RedactorOptions = {}) {
  const { maxStringBytes = defaultMaxStringBytes, defaultsEnabled = true } = options;
  const keyPatterns = compileKeyPatterns(options.extraKeyPatterns ?? []);
  const valueRule = createValueRule({
    defaultsEnabled,
    extraPatterns: compileValuePatterns(options.extraValuePatterns ?? []),
  });
  const judgeKey = createKeyRule({ defaultsEnabled, extraPatterns: keyPatterns });
  const isCardNumber = (lexeme: string): boolean => defaultsEnabled && isCardLexeme(lexeme);
  const alwaysShort = Math.floor(maxStringBytes / 3);
  const keyVerdicts = new Map<string, KeyVerdict>();
  const ancestors: object[] = [];
  let valuesLeft = mostValues;

  function redactText(text: string): string {
    if (text.length <= alwaysShort && !valueRule.needsLook(text)) return text;
    if (text === redactionMarker) return text;
    const cut = storable(text);
    return valueRule.isSecret(cut) ? redactionMarker : cut;
  }

  const storable = (text: string): string => cutText(withoutNul(text).toWellFormed(), maxStringBytes);

  function verdictOf(key: string): KeyVerdict {
    const cached = keyVerdicts.get(key);
    if (cached !== undefined) return cached;
    const name = redactText(key);
    // Classifies the replaced key too, because a second redaction would see that one.
    const below = name === key ? judgeKey(key) : stricter(judgeKey(key), judgeKey(name));
    const verdict = name === key ? unchangedKeys[below] : { rewritten: name, below };
    if (key.length <= longestCachedKey) {
      if (keyVerdicts.size >= cachedKeys) keyVerdicts.clear();
      keyVerdicts.set(key, verdict);
    }
    return verdict;
  }

  function nameVerdict(name: string): KeyVerdict {
    const written = storable(name);
    return written === name ? unchangedKeys.plain : { rewritten: written, below: "plain" };
  }

  function walkArray(array: readonly unknown[], depth: number, isMasked: boolean, item: Place | undefined): unknown {
    let copy: unknown[] | undefined;
    for (let index = 0; index < array.length; index += 1) {
      const before = array[index];
      const after = (item ? walkAt(item, before, depth + 1) : walk(before, depth + 1, isMasked)) ?? null;
      if (copy === undefined) {
        if (after === before) continue;
        copy = array.slice(0, index);
      }
      copy.push(after);
    }
    return copy ?? array;
  }

  function walkObject(
    object: Readonly<Record<string, unknown>>,
    depth: number,
    isMasked: boolean,
    place: Place | undefined,
  ): unknown {
    const keys = Object.keys(object);
    valuesLeft -= keys.length;
    let copy: Record<string, unknown> | undefined;
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string;
      const before = object[key];
      const { rewritten, below } = place?.keysAreNames ? nameVerdict(key) : verdictOf(key);
      // A number under a plural key is a count.
      const masksMember = isMasked || below === "value" || (below === "plural" && !Number.isFinite(before));
      const inner = place === undefined || masksMember ? undefined : (place.members?.get(key) ?? place.others);
      const after = inner ? walkAt(inner, before, depth + 1) : walk(before, depth + 1, masksMember);
      if (copy === undefined) {
        if (after === before && rewritten === null && after !== undefined) continue;
        copy = {};
        for (let earlier = 0; earlier < index; earlier += 1) {
          const name = keys[earlier] as string;
          setOwn(copy, name, object[name]);
        }
      }
      if (after !== undefined) setOwn(copy, rewritten ?? key, after);
    }
    return copy ?? object;
  }

  function walkContainer(container: object, depth: number, isMasked: boolean, place?: Place): unknown {
    if (valuesLeft <= 0 || ancestors.includes(container)) return redactionMarker;
    ancestors.push(container);
    try {
      if (Array.isArray(container)) {
        valuesLeft -= container.length;
        return valuesLeft < 0 ? redactionMarker : walkArray(container, depth, isMasked, place?.items);
      }
      const json = jsonFormOf(container);
      if (json === container) return walkObject(container as Record<string, unknown>, depth, isMasked, place);
      return place ? walkAt(place, json, depth) : walk(json, depth, isMasked);
    } catch {
      return redactionMarker;
    } finally {
      ancestors.pop();
    }
  }

  function walkAt(place: Place, value: unknown, depth: number): unknown {
    if (typeof value === "string" && place.isName && value.length <= longestIdentity) return storable(value);
    const isContainer = typeof value === "object" && value !== null && !isRawJson(value) && depth <= deepest;
    return isContainer ? walkContainer(value, depth, false, place) : walk(value, depth, false);
  }

  /** Undefined means a value that JSON leaves out. */
  function walk(value: unknown, depth: number, isMasked: boolean): unknown {
    if (value === undefined) return undefined;
    if (depth > deepest) return redactionMarker;
    if (typeof value === "string") return isMasked ? redactionMarker : redactText(value);
    if (typeof value === "object" && value !== null) {
      if (!isRawJson(value)) return walkContainer(value, depth, isMasked);
      return isMasked || isCardNumber(value.rawJSON) ? redactionMarker : value;
    }
    if (isMasked) return redactionMarker;
    switch (typeof value) {
      case "number":
        if (value >= leastCardNumber && Number.isInteger(value)) {
          return isCardNumber(String(BigInt(value))) ? redactionMarker : value;
        }
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return isCardNumber(String(value)) ? redactionMarker : rawJson(String(value));
      case "symbol":
        return redactText(String(value));
      case "function":
        return redactText(`[function ${value.name}]`);
      default:
        return value;
    }
  }

  function begin(): void {
    valuesLeft = mostValues;
    ancestors.length = 0;
  }

  function redactTop(object: Readonly<Record<string, unknown>>, place: Place): Record<string, unknown> {
    begin();
    const redacted = walkContainer(object, 0, false, place);
    if (isJsonObject(redacted)) return redacted;
    // An object that cannot be read or has no JSON form.
    begin();
    try {
      return walkObject(readableMembers(object), 0, false, place) as Record<string, unknown>;
    } catch {
      return {};
    }
  }

  return {
    /**
     * The value without secrets, in its JSON form: undefined values are left out, dates become strings. Unchanged parts are shared with the
     * input, so treat both as read-only. Never throws for plain data. A getter or toJSON that throws gives the marker.
     */
    redact(value: unknown): unknown {
      begin();
      return walk(value, 0, false) ?? null;
    },
    /**
     * `redact` for the data of an event. Names of tasks, queues, workers and, in schedule events, schedules are kept, because they must stay
     * searchable, and are masked when shown. Data that cannot be read as a whole is read key by key.
     */
    redactEvent: (data: Readonly<Record<string, unknown>>, kind = "") =>
      redactTop(data, kind.startsWith("schedule.") ? scheduleEventPlace : eventPlace),
    /** `redactEvent` for reports by queue or worker: `{queue_depths: {<queue>: …}, worker_details: {<worker>: …}}`. */
    redactSnapshot: (snapshot: Readonly<Record<string, unknown>>) => redactTop(snapshot, snapshotPlace),
    /** `redactEvent` for the report of one worker. */
    redactWorker: (report: Readonly<Record<string, unknown>>) => redactTop(report, workerPlace),
    /**
     * A name with every match of the value rules replaced by the marker. `keepsEmail` keeps email addresses, because worker names look like
     * them (`celery@host.example.com`).
     */
    mask: (text: string, { keepsEmail = false }: { readonly keepsEmail?: boolean } = {}) =>
      text === redactionMarker || !valueRule.needsLook(text) ? text : valueRule.mask(text, keepsEmail),
  };
}

const stricter = (one: BelowKey, other: BelowKey): BelowKey =>
  one === "value" || other === "value" ? "value" : one === "plural" ? one : other;

/** The values of an object. Those that throw become the marker. */
function readableMembers(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    try {
      setOwn(members, key, object[key]);
    } catch {
      setOwn(members, key, redactionMarker);
    }
  }
  return members;
}

/** The JSON form of an object with toJSON, the string form of one without any, otherwise the object itself. */
function jsonFormOf(object: object): unknown {
  const prototype = Object.getPrototypeOf(object) as unknown;
  // Nearly all objects are plain and need no class checks.
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain && (ArrayBuffer.isView(object) || object instanceof ArrayBuffer)) {
    return `[${object.constructor.name} of ${object.byteLength} bytes]`;
  }
  const { toJSON } = object as { toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(object) as unknown;
  if (isPlain) return object;
  if (object instanceof Map || object instanceof Set || object instanceof Error || object instanceof RegExp) {
    return String(object);
  }
  return object;
}
