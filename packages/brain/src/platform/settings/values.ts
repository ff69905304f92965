/** Converts the text of a setting to the type that its schema names. Messages never contain the text: it may be a secret. */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Format } from "typebox/format";
import { parseRange } from "../http/connections/addresses.ts";
import { hostName } from "../http/connections/hosts.ts";
import { isMailUrl, parseMailbox } from "../mail/sender.ts";

/** The schema options of settings, in addition to TypeBox's own. */
export interface SettingSchema {
  type?: string;
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxItems?: number;
  enum?: unknown[];
  items?: SettingSchema;
  /** Ranges of one type, such as 0 or 60 to 600. */
  anyOf?: SettingSchema[];
  format?: string;
  /** Never printed, also not in `config show`. */
  secret?: boolean;
  /** 48 random bytes are written to secret.env when no source sets it. */
  minted?: boolean;
}

/** Minimum bytes of a master secret. */
const masterBytes = 32;

/** Formats that settings may have, with the error text of each. */
const formats: Record<string, { test: (text: string) => boolean; words: string }> = {
  "svc-master": {
    test: (text) => Buffer.byteLength(text) >= masterBytes,
    words: `must have at least ${masterBytes} bytes`,
  },
  "svc-cidr": { test: (text) => parseRange(text) !== null, words: "must be an address or a CIDR range" },
  "svc-host": { test: (text) => hostName(text) !== null, words: "must be a host name" },
  "svc-origin": { test: isOrigin, words: "must be an origin such as https://app.example.org" },
  "svc-mail-url": { test: isMailUrl, words: "must be a URL such as smtp://user:password@mail.example.org:587" },
  "svc-mail-from": {
    test: (text) => parseMailbox(text) !== null,
    words: "must be name@example.org or Name <name@example.org>",
  },
  "svc-url": { test: isWebUrl, words: "must be an http or https URL" },
};
for (const [name, format] of Object.entries(formats)) Format.Set(name, format.test);

export type ReadValue = { ok: true; value: unknown } | { ok: false; message: string };

/** A reader for one setting; compiled once per start. */
export function settingReader(schema: SettingSchema): (text: string) => ReadValue {
  const validator = Compile(schema as TSchema);
  return (text) => {
    const read = valueOfText(text.trim(), schema);
    if (!read.ok) return read;
    if (validator.Check(read.value)) return read;
    const [error] = validator.Errors(read.value);
    return { ok: false, message: error === undefined ? "is not valid" : refusalWords(error, schema) };
  };
}

function valueOfText(text: string, schema: SettingSchema): ReadValue {
  switch (schema.type ?? schema.anyOf?.[0]?.type) {
    case "integer":
      return /^[+-]?\d{1,15}$/.test(text) ? { ok: true, value: Number(text) } : refuse("must be a whole number");
    case "number":
      return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(text)
        ? { ok: true, value: Number(text) }
        : refuse("must be a number");
    case "boolean":
      if (/^(?:true|1|yes|on)$/i.test(text)) return { ok: true, value: true };
      return /^(?:false|0|no|off)$/i.test(text) ? { ok: true, value: false } : refuse("must be true or false");
    case "array":
      return listOfText(text, schema.items ?? { type: "string" });
    case "object":
      return jsonOfText(text, "must be a JSON object");
    default:
      return { ok: true, value: text };
  }
}

function listOfText(text: string, items: SettingSchema): ReadValue {
  if (text.startsWith("[")) return jsonOfText(text, "must be a JSON array or a comma list");
  const values: unknown[] = [];
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const read = valueOfText(part.trim(), items);
    if (!read.ok) return refuse(`entry ${values.length + 1} ${read.message}`);
    values.push(read.value);
  }
  return { ok: true, value: values };
}

function jsonOfText(text: string, words: string): ReadValue {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return refuse(words);
  }
}

function refusalWords(
  error: { keyword: string; instancePath: string; params: object; message: string },
  schema: SettingSchema,
) {
  const entry = /^\/(\d+)/.exec(error.instancePath);
  const prefix = entry === null ? "" : `entry ${Number(entry[1]) + 1} `;
  const part = entry === null ? schema : (schema.items ?? schema);
  if (part.anyOf !== undefined || error.keyword === "minimum" || error.keyword === "maximum")
    return `${prefix}must be ${rangeOf(part)}`;
  if (error.keyword === "enum") return `${prefix}must be one of ${(part.enum ?? []).join(", ")}`;
  if (error.keyword === "format") return `${prefix}${formats[part.format ?? ""]?.words ?? "is not valid"}`;
  return `${prefix}${error.message}`;
}

/** The inclusive range of a number, or the bounds of a text or list, in words; empty when there are none. */
export function rangeOf({ minimum, maximum, minLength = 0, maxItems, anyOf }: SettingSchema): string {
  if (minLength > 1) return `at least ${minLength} characters`;
  if (maxItems !== undefined) return `at most ${maxItems} entries`;
  if (anyOf !== undefined) return anyOf.map(rangeOf).join(" or ");
  if (minimum !== undefined && minimum === maximum) return String(minimum);
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return maximum === undefined ? "" : `at most ${maximum}`;
}

function refuse(message: string): ReadValue {
  return { ok: false, message };
}

function isOrigin(text: string): boolean {
  return isWebUrl(text) && new URL(text).origin === text.toLowerCase().replace(/\/$/, "");
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
