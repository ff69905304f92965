const mostSeconds = 31_536_000;
const mostCharacters = 1024;

/** Names of BullMQ's parser that svc does not have. */
const otherNames: Readonly<Record<string, string>> = {
  "@minutely": "* * * * *",
  "@secondly": "* * * * * *",
  "@weekdays": "0 0 * * 1-5",
  "@weekends": "0 0 * * 0,6",
};

/**
 * A rhythm of BullMQ in svc's form. BullMQ counts milliseconds, svc whole seconds: an interval is rounded, to at least one second and at
 * most a year. In a pattern of six fields, BullMQ has the seconds first and svc has them last. What only BullMQ or a strategy of the
 * application understands stays as it is.
 */
export function expressionOf({ pattern, every = 0 }: { readonly pattern?: string; readonly every?: number }) {
  if (pattern !== undefined) return { kind: "cron" as const, expression: cronOf(pattern).slice(0, mostCharacters) };
  const seconds = Math.min(Math.max(Math.round(every / 1000), 1), mostSeconds);
  return { kind: "interval" as const, expression: String(seconds) };
}

function cronOf(pattern: string): string {
  const text = pattern.trim();
  const other = otherNames[text.toLowerCase()];
  if (other !== undefined) return other;
  const fields = text.split(/\s+/).map((field) => (field === "?" ? "*" : field));
  if (fields.length === 5) return fields.join(" ");
  const [seconds = "", ...others] = fields;
  if (others.length !== 5) return text;
  return /^0+$/.test(seconds) ? others.join(" ") : [...others, seconds].join(" ");
}
