/** JSON lines to stdout: timestamp, level, event, and identifiers where present. Values under secret names never print. */
import pino from "pino";

export type LogFields = Record<string, unknown>;
export type LogLevel = "debug" | "info" | "warn" | "error";

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A log that adds `fields` to every line. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  level: LogLevel;
  /** False prints readable lines for a terminal instead of JSON. */
  json: boolean;
  write?: (line: string) => void;
}

const secretName = /secret|password|passwd|token|authorization|cookie|api[_-]?key|hmac|private|credential|dsn/i;
/** Names that match the pattern and are no secret. */
const harmlessNames = new Set(["api_key_id", "token_id", "secret_id", "key_id"]);
const maxDepth = 4;
const maxEntries = 100;

/** A log that writes to stdout, or to `write` (one line with its newline per call). */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stdout.write(line));
  const sink = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "event",
      // Errors arrive as plain fields already; the default serializer would unfold them again.
      serializers: { err: (fields) => fields },
    },
    { write: options.json ? write : (line: string) => write(readable(line)) },
  );
  return wrap(sink);
}

function wrap(sink: pino.Logger): Log {
  const at = (level: LogLevel) => (event: string, fields?: LogFields) => {
    if (!sink.isLevelEnabled(level)) return;
    if (fields === undefined) sink[level](event);
    else sink[level](withoutSecrets(fields, 0) as LogFields, event);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => wrap(sink.child(withoutSecrets(fields, 0) as LogFields)),
  };
}

/** A copy with the values under secret names masked, errors flattened to name, message, code and stack, and size bounded. */
function withoutSecrets(value: unknown, depth: number): unknown {
  if (value instanceof Error) return errorFields(value, depth);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth === maxDepth) return "[deep]";
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((item) => withoutSecrets(item, depth + 1));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const copy: LogFields = {};
  for (const [name, inner] of Object.entries(value).slice(0, maxEntries)) {
    const isSecret = secretName.test(name) && !harmlessNames.has(name) && inner !== null && inner !== undefined;
    copy[name] = isSecret ? "***" : withoutSecrets(inner, depth + 1);
  }
  return copy;
}

// Other properties of an error stay out: database drivers put row values there.
function errorFields(error: Error, depth: number): LogFields {
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    message: maskUrls(error.message),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: maskUrls(error.stack) }),
    ...(error.cause instanceof Error && depth < maxDepth ? { cause: errorFields(error.cause, depth + 1) } : {}),
  };
}

function maskUrls(text: string): string {
  // No slash inside: what is scanned from one `://` ends before the next.
  return text.replace(/(?<=:\/\/)[^\s/@]+@/g, "***@");
}

/** Characters that could end the line or control a terminal; a caller's text must do neither. */
const control = /\p{Cc}/u;

function readable(line: string): string {
  const { timestamp, level, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" && !control.test(value) ? value : JSON.stringify(value)}`,
  );
  return `${timestamp} ${String(level).toUpperCase().padEnd(5)} ${event}${rest.length > 0 ? ` ${rest.join(" ")}` : ""}\n`;
}
