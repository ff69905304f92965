/**
 * Request validation with compiled TypeBox. Bodies are taken as they are (no coercion, unknown keys kept); path, query and
 * header values are text, so they are read by the type their schema names, strictly: "5.5" and "" are no integers.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { ValidationFault } from "../error-codes.ts";

/** What the validator passes to the error handler instead of a library's error. */
export class RequestInvalid extends Error {
  readonly faults: ValidationFault[];
  constructor(faults: ValidationFault[]) {
    super("the request is not valid");
    this.faults = faults;
  }
}

interface RouteSchema {
  schema: object;
  httpPart?: string | undefined;
}

type Check = (value: unknown) => { value: unknown } | { error: Error };

/** Compiled checks by schema and part, so that a process that starts the service again compiles none of them twice. */
const compiled = new WeakMap<object, Map<string, Check>>();

/** Fastify's validator compiler: one check per route and part, compiled when the first request needs it. */
export function compileValidator({ schema, httpPart = "body" }: RouteSchema): Check {
  const checks = compiled.get(schema) ?? new Map<string, Check>();
  compiled.set(schema, checks);
  return (value) => {
    let check = checks.get(httpPart);
    if (check === undefined) {
      check = createCheck(schema, httpPart);
      checks.set(httpPart, check);
    }
    return check(value);
  };
}

function createCheck(schema: object, httpPart: string): Check {
  const validator = Compile(schema as TSchema);
  const place = places[httpPart] ?? httpPart;
  const readText = place === "body" ? null : textReader(schema as ObjectSchema);
  const fillDefaults = holdsDefault(schema);
  return (value) => {
    const read = readText === null ? value : readText(value as Record<string, unknown>);
    const full = fillDefaults ? validator.Default(read) : read;
    if (validator.Check(full)) return { value: full };
    return { error: new RequestInvalid(faultsOf(validator.Errors(full), place)) };
  };
}

const places: Record<string, string> = { querystring: "query", params: "path", headers: "header" };

interface ObjectSchema {
  properties?: Record<string, PropertySchema>;
}

interface PropertySchema {
  type?: string | string[];
  items?: PropertySchema;
  anyOf?: PropertySchema[];
}

type TextType = "integer" | "number" | "boolean" | "array";

/** A function that turns the text values of a flat object into the types that the schema gives them. */
function textReader(schema: ObjectSchema): (values: Record<string, unknown>) => Record<string, unknown> {
  const reads = Object.entries(schema.properties ?? {})
    .map(([name, property]) => ({ name, type: textTypeOf(property), items: textTypeOf(property.items) }))
    .filter((read) => read.type !== null);
  if (reads.length === 0) return (values) => values;
  return (values) => {
    const copy = { ...values };
    for (const { name, type, items } of reads) {
      const value = copy[name];
      if (value === undefined) continue;
      if (type === "array")
        copy[name] = (Array.isArray(value) ? value : [value]).map((item) => typedValue(item, items));
      else copy[name] = typedValue(value, type);
    }
    return copy;
  };
}

function textTypeOf(property: PropertySchema | undefined): TextType | null {
  if (property === undefined) return null;
  for (const option of property.anyOf ?? [property]) {
    const type = option.type;
    if (type === "integer" || type === "number" || type === "boolean" || type === "array") return type;
  }
  return null;
}

function typedValue(value: unknown, type: TextType | null): unknown {
  if (typeof value !== "string" || type === null) return value;
  if (type === "integer") return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === "number") return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
  if (type === "boolean")
    return value === "true" || value === "1" ? true : value === "false" || value === "0" ? false : value;
  return value;
}

function holdsDefault(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return "default" in schema || Object.values(schema).some(holdsDefault);
}

interface SchemaFault {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: object;
  message: string;
}

/** The library's errors as 422 entries: where, what kind, and a message; never input values, and input keys cut short. */
function faultsOf(errors: readonly SchemaFault[], place: string): ValidationFault[] {
  const unions = errors.filter((error) => error.keyword === "anyOf").map((error) => `${error.schemaPath}/anyOf/`);
  const faults: ValidationFault[] = [];
  for (const error of errors) {
    if (unions.some((prefix) => error.schemaPath.startsWith(prefix)) || error.keyword === "additionalProperties")
      continue;
    const loc = [place, ...pathOf(error.instancePath)];
    if (error.keyword === "required") {
      for (const name of (error.params as { requiredProperties: string[] }).requiredProperties) {
        faults.push({ loc: [...loc, name], type: "missing", message: "is required" });
      }
    } else if (error.keyword === "boolean") {
      faults.push({ loc, type: "unknown_key", message: "is not a known key" });
    } else {
      faults.push({ loc, type: error.keyword, message: messageOf(error) });
    }
  }
  return faults;
}

function messageOf(error: SchemaFault): string {
  if (error.keyword === "enum") {
    const allowed = (error.params as { allowedValues?: unknown[] }).allowedValues;
    if (Array.isArray(allowed)) return `must be one of ${allowed.map(String).join(", ")}`;
  }
  if (error.keyword === "format")
    return `must be a valid ${(error.params as { format: string }).format.replace("svc-", "")}`;
  return error.message;
}

const maxKeyChars = 64;

function pathOf(pointer: string): (string | number)[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => {
      if (/^\d{1,9}$/.test(step)) return Number(step);
      return step.replaceAll("~1", "/").replaceAll("~0", "~").slice(0, maxKeyChars);
    });
}
