import { priorities, taskStates } from "@svc/protocol";
import { type Static, type TSchema, type TSchemaOptions, Type } from "typebox";
import { Format } from "typebox/format";

/**
 * Format of request instants: RFC 3339, where a missing zone means UTC. The OpenAPI document shows it as `date-time`.
 */
export const instantFormat = "svc-instant";

const instantPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

Format.Set(instantFormat, (text) => parseInstant(text) !== null);

/** The instant that `text` names, in UTC if it has no zone; null if it is invalid. Digits beyond milliseconds are cut. */
export function parseInstant(text: string): Date | null {
  const found = instantPattern.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = found;
  const offset = zone.length === 1 ? "Z" : zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const millis = fraction.slice(0, 3).padEnd(3, "0");
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}${offset}`);
  if (Number.isNaN(date.getTime())) return null;
  // Date turns February 30 into a day in March instead of refusing it.
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() ? date : null;
}

export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/**
 * A schema with a description of its use in one place. Give one to a named schema only where it is a parameter: elsewhere its description
 * applies to all uses.
 */
export const Described = <T extends TSchema>(schema: T, description: string): T =>
  Type.With(schema, { description }) as TSchema as T;

/** Closed list of strings as one schema; prints as an enum. */
export const OneOf = <const T extends readonly string[]>(values: T, options: TSchemaOptions = {}) =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...values], ...options }));

/** An instant in a response: handlers return the Date (or a ready string), the serializer prints ISO 8601 with milliseconds. */
export const Instant = Type.Unsafe<Date | string>(Type.String({ format: "date-time" }));

const instantText = { format: instantFormat, maxLength: 40 };

/** An instant in a query or body; give the text to `parseInstant`. */
export const InstantText = Type.String(instantText);

export const Uuid = Type.String({ format: "uuid" });

export const ProjectId = Described(Uuid, "project that it belongs to");

export const TaskState = OneOf(taskStates, {
  title: "TaskState",
  description:
    "pending: sent; received: taken by a worker; started: running; retry: failed and to be run again; success, failure, revoked, rejected: ended; unknown: reached by no event, only by restored rows",
});

export const Priority = OneOf(priorities, { title: "Priority", description: "urgency, from critical to low" });

/** One line of text that people read: 1 to `max` characters, not blank, without control characters. */
export const Line = (max: number) =>
  Type.String({ minLength: 1, maxLength: max, pattern: "^(?=.*\\S)[^\\x00-\\x1f\\x7f]+$" });

/** Text of several lines, at most `max` characters; no database takes U+0000. */
export const Prose = (max: number) => Type.String({ maxLength: max, pattern: "^[^\\x00]*$" });

Format.Set("svc-timezone", isTimeZone);

/** Name of an IANA time zone. */
export const TimeZone = Type.String({ minLength: 1, maxLength: 64, format: "svc-timezone" });

function isTimeZone(name: string): boolean {
  // Intl also accepts offsets such as +01:00, but they are not names of zones.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Keyword whose value is the schema that the OpenAPI document shows instead. */
export const publishedAs = "svc-published-as";

/** Any value, which the handler validates itself where it needs it. The OpenAPI document shows `schema`. */
export const ValidatedLater = (schema: TSchema) => Type.Unknown({ [publishedAs]: schema });

/** Any JSON object, with any members. */
export const JsonObject = Type.Record(Type.String(), Type.Unknown());

/** Answers of a list that can be exported: a page, or a file if `format` is given. */
export const exportAnswers = {
  200: {
    description: "A page; with `format` a file of all matching rows, which for `json` is an array.",
    headers: { "Content-Disposition": "File name of an export." },
    content: {
      "text/csv": "With `format=csv`: a header line, then one line for each row.",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
        "With `format=xlsx`: a workbook with one sheet.",
    },
  },
};

/** Path parameters of project routes. The slug's own pattern is not checked: an impossible slug is an unknown project, 404. */
export const ProjectParams = Type.Object({
  slug: Type.String({ description: "slug of the project", examples: ["shop"] }),
});

export const NextCursor = Nullable(Type.String(), "pass it as `cursor` to get the next page; null on the last page");

/** `since` and `until` of a query. */
export const timeRange = {
  since: Type.Optional(Type.String({ ...instantText, description: "start of the range" })),
  until: Type.Optional(Type.String({ ...instantText, description: "end of the range" })),
};

/** cursor and limit as every keyset list takes them; `clampLimit` applies the page size settings. */
export const PageQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page" })),
  limit: Type.Optional(
    Type.Integer({ description: "page size; absent, 0 or less means the default, more is clamped" }),
  ),
});
export type PageQuery = Static<typeof PageQuery>;

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: "code of the error; decide by this" }),
    message: Type.String({ description: "for people; may change" }),
    details: Described(JsonObject, "facts of the error, by code"),
    request_id: Type.Optional(Type.String({ description: "finds the request in the log" })),
    detail: Type.Optional(Type.String({ description: "only of some errors, for agents" })),
  },
  { title: "Error", description: "A refusal or failure." },
);

/** A path parameter that names a row by its id. */
export const IdOf = (what: string) => Type.Unsafe<string>({ ...Uuid, description: `id of the ${what}` });
