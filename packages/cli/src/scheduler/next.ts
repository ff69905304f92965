import { CadenceError, cadenceKinds, compileCadence, describeCadence } from "@svc/cadence";
import { momentRule, readMoment } from "@svc/client/task-query";
import { defineCommand, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption, requireWord, wholeNumber } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";

export const schedulerNext = defineCommand({
  usage: ["scheduler next <kind> <expression> [--tz ZONE] [--count N] [--from INSTANT] [--json]"],
  options: {
    tz: text("ZONE", "time zone such as Europe/Berlin (default UTC)"),
    count: text("N", "number of slots, up to 1000 (default 5)"),
    from: text("INSTANT", "print slots after this time such as 2026-11-01T12:30Z, or after a duration ago such as 2h"),
    ...jsonOption,
  },
  words: cadenceKinds,
  details: [
    "Prints the next slots in UTC, one per line, as the service and its schedulers compute them. Kinds and expressions:",
    "cron '0 9 * * MON-FRI', interval 300 (seconds), clocked 2026-12-24T18:00, solar sunset:52.52:13.40.",
  ],
  positionals: 2,
  run({ values, positionals }, terminal) {
    const kind = requireWord(positionals, `kind: ${cadenceKinds.join(", ")}`);
    const expression = requireWord(positionals.slice(1), "expression");
    const definition = { kind, expression, timezone: values.tz ?? "UTC" };
    const count = wholeNumber("count", values.count ?? "5", { min: 1, max: 1000 });
    const from = values.from === undefined ? Date.now() : readFrom(values.from);
    const { description, slots } = compute(definition, from, count);
    if (values.json !== true) terminal.err(`svc: ${slots.length === 0 ? "no slot follows" : description}`);
    printResult(terminal, values, { ...definition, description, slots }, slots);
    return Promise.resolve(undefined);
  },
});

function readFrom(given: string): number {
  const moment = readMoment(given);
  if (moment === null) throw new CliError("usage", `--from ${momentRule}`);
  return moment.kind === "at" ? moment.epochMs : Date.now() - moment.agoMs;
}

function compute(definition: Parameters<typeof compileCadence>[0], from: number, count: number) {
  try {
    const cadence = compileCadence(definition);
    const slots: string[] = [];
    for (let slot = cadence.next(from); slot !== null && slots.length < count; slot = cadence.next(slot)) {
      slots.push(new Date(slot).toISOString());
    }
    return { description: describeCadence(definition), slots };
  } catch (cause) {
    if (!(cause instanceof CadenceError)) throw cause;
    const what = { kind: "kind", expression: "expression", timezone: "--tz" }[cause.field];
    throw new CliError("usage", `${what}: ${cause.message}`, { cause });
  }
}
