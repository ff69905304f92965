import { isRawJson, rawJson } from "../json/raw.ts";
import { setOwn } from "../json/read-json.ts";
import { withoutNul } from "../json/unicode.ts";
import { cutText } from "./cut.ts";
import { compileKeyPatterns, compileValuePatterns } from "./extra-patterns.ts";
import { createKeyRule } from "./key-rule.ts";
import { redactionMarker } from "./markers.ts";
import { createValueRule } from "./value-rule.ts";

/**
 * Redaction (spec 3): the same walk in agents before buffering, in the brain on ingest, and on dead-letter excerpts. It also
 * replaces U+0000 and lone surrogates by U+FFFD, because neither storage nor signing can take them. Redacting twice gives what
 * redacting once gave.
 */
export interface RedactorOptions {
  /** Longest string in UTF-8 bytes before it is cut; 8192 when absent, as in the brain and in agents. */
  readonly maxStringBytes?: number;
  /** Regular expressions that a whole key must match, without regard to case. */
  readonly extraKeyPatterns?: readonly string[];
  /** Regular expressions of which one hit replaces a whole string, without regard to case. */
  readonly extraValuePatterns?: readonly string[];
  /** False switches the default keys and families off as a whole; for agents only. */
  readonly defaultsEnabled?: boolean;
}

export interface Redactor {
  /**
   * The value without secrets, as JSON has it: members that are undefined are gone, dates and the like are their JSON form. Parts
   * that needed no change are shared with the input, the whole of it if nothing did; treat both as read-only. Never throws for
   * plain data; an accessor or toJSON that throws gives the marker.
   */
  redact(value: unknown): unknown;
}

const defaultMaxStringBytes = 8_192;
const deepest = 64;
/** More values than a frame of 1 MiB can hold; bounds what shared references inside a host value can unfold to. */
const mostValues = 1_000_000;
const cachedKeys = 4_096;
const longestCachedKey = 128;

interface KeyVerdict {
  /** What the key is written as, null for itself. */
  readonly rewritten: string | null;
  readonly isSensitive: boolean;
}

const plainKey: KeyVerdict = { rewritten: null, isSensitive: false };
const sensitiveKey: KeyVerdict = { rewritten: null, isSensitive: true };

/** @throws RedactionPatternError when an extra pattern is invalid or too slow. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { maxStringBytes = defaultMaxStringBytes, defaultsEnabled = true } = options;
  const keyPatterns = compileKeyPatterns(options.extraKeyPatterns ?? []);
  const valueRule = createValueRule({
    defaultsEnabled,
    extraPatterns: compileValuePatterns(options.extraValuePatterns ?? []),
  });
  const isSensitive = createKeyRule({ defaultsEnabled, extraPatterns: keyPatterns });
  const alwaysShort = Math.floor(maxStringBytes / 3);
  const keyVerdicts = new Map<string, KeyVerdict>();
  const ancestors: object[] = [];
  let valuesLeft = mostValues;

  function redactText(text: string): string {
    if (text.length <= alwaysShort && !valueRule.needsLook(text)) return text;
    if (text === redactionMarker) return text;
    const cut = cutText(withoutNul(text).toWellFormed(), maxStringBytes);
    return valueRule.isSecret(cut) ? redactionMarker : cut;
  }

  function verdictOf(key: string): KeyVerdict {
    const cached = keyVerdicts.get(key);
    if (cached !== undefined) return cached;
    const name = redactText(key);
    // The written form is judged too: it is the key that a second redaction would see.
    const sensitive = isSensitive(key) || (name !== key && isSensitive(name));
    const unchanged = sensitive ? sensitiveKey : plainKey;
    const verdict = name === key ? unchanged : { rewritten: name, isSensitive: sensitive };
    if (key.length <= longestCachedKey) {
      if (keyVerdicts.size >= cachedKeys) keyVerdicts.clear();
      keyVerdicts.set(key, verdict);
    }
    return verdict;
  }

  function walkArray(array: readonly unknown[], depth: number, isMasked: boolean): unknown {
    let copy: unknown[] | undefined;
    for (let index = 0; index < array.length; index += 1) {
      const before = array[index];
      const after = walk(before, depth + 1, isMasked) ?? null;
      if (copy === undefined) {
        if (after === before) continue;
        copy = array.slice(0, index);
      }
      copy.push(after);
    }
    return copy ?? array;
  }

  function walkObject(object: Record<string, unknown>, depth: number, isMasked: boolean): unknown {
    const keys = Object.keys(object);
    valuesLeft -= keys.length;
    let copy: Record<string, unknown> | undefined;
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string;
      const { rewritten, isSensitive: isKeySensitive } = verdictOf(key);
      const before = object[key];
      const after = walk(before, depth + 1, isMasked || isKeySensitive);
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

  function walkContainer(container: object, depth: number, isMasked: boolean): unknown {
    if (valuesLeft <= 0 || ancestors.includes(container)) return redactionMarker;
    ancestors.push(container);
    try {
      if (Array.isArray(container)) {
        valuesLeft -= container.length;
        return valuesLeft < 0 ? redactionMarker : walkArray(container, depth, isMasked);
      }
      const json = jsonFormOf(container);
      return json === container
        ? walkObject(container as Record<string, unknown>, depth, isMasked)
        : walk(json, depth, isMasked);
    } catch {
      return redactionMarker;
    } finally {
      ancestors.pop();
    }
  }

  /** Undefined stands for a member that JSON leaves out. */
  function walk(value: unknown, depth: number, isMasked: boolean): unknown {
    if (value === undefined) return undefined;
    if (depth > deepest) return redactionMarker;
    if (typeof value === "string") return isMasked ? redactionMarker : redactText(value);
    if (typeof value === "object" && value !== null && !isRawJson(value)) return walkContainer(value, depth, isMasked);
    if (isMasked) return redactionMarker;
    switch (typeof value) {
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return rawJson(String(value));
      case "symbol":
        return redactText(String(value));
      case "function":
        return redactText(`[function ${value.name}]`);
      default:
        return value;
    }
  }

  return {
    redact(value) {
      valuesLeft = mostValues;
      ancestors.length = 0;
      return walk(value, 0, false) ?? null;
    },
  };
}

/** What JSON makes of an object with a form of its own; the string form of one that has none; otherwise the object itself. */
function jsonFormOf(object: object): unknown {
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) {
    return `[${object.constructor.name} of ${object.byteLength} bytes]`;
  }
  const { toJSON } = object as { toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(object) as unknown;
  if (object instanceof Map || object instanceof Set || object instanceof Error || object instanceof RegExp) {
    return String(object);
  }
  return object;
}
