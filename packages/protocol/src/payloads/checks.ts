import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { isJsonObject } from "../json/raw.ts";

export type Check<T> = (value: unknown) => value is T;

/** A check that is compiled on first use, so payloads that a process never receives cost nothing. */
export function checkOf<T extends TSchema>(schema: T): Check<Static<T>> {
  let compiled: { Check(value: unknown): boolean } | undefined;
  return (value: unknown): value is Static<T> => {
    compiled ??= Compile(schema);
    return compiled.Check(value);
  };
}

/** A value that may be absent or null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** The valid values of a payload: each may be missing, none is null. */
export type Readable<P extends TProperties> = { -readonly [K in keyof P]?: NonNullable<Static<P[K]>> };

/**
 * Reads a payload and leaves out values that are absent, null or of the wrong type, because a correctly signed payload never ends a
 * session. Leaves out unknown keys too.
 */
export function readerOf<P extends TProperties>(properties: P): (payload: unknown) => Readable<P> {
  const checks = Object.entries(properties).map(([name, schema]) => [name, checkOf(schema)] as const);
  return (payload) => {
    const result: Record<string, unknown> = {};
    if (!isJsonObject(payload)) return result as Readable<P>;
    for (const [name, check] of checks) {
      const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
      if (value !== undefined && value !== null && check(value)) result[name] = value;
    }
    return result as Readable<P>;
  };
}

export const Text = (maxLength: number) => Type.String({ maxLength });
export const Int = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
export const Texts = (maxItems: number) => Type.Array(Type.String(), { maxItems });
/** Any JSON object. */
export const JsonObject = Type.Unsafe<Record<string, unknown>>(Type.Object({}));
