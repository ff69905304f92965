import { capabilitiesOf, type EngineAdapter, schedulerNames } from "../adapter.ts";
import { reasonOf } from "../runtime/log.ts";
import { type Command, type CommandOutcome, failed, unsupported } from "./command.ts";

interface Watched {
  readonly engines: readonly EngineAdapter[];
}

/**
 * Passes a `schedule.` command to the adapter of its scheduler: the one that the command names, also as its engine, otherwise the one of its
 * engine. A resync that names neither is for all of them, and its result lists those that have reported.
 */
export async function executeForSchedules(
  command: Command,
  capability: string,
  { engines }: Watched,
): Promise<CommandOutcome> {
  const { action, engine } = command;
  const scheduler = schedulerOf(command);
  const isForAll = action === "schedule.resync" && scheduler === undefined && engine === undefined;
  if (isForAll) return await resyncAll(command, capability, engines);
  const named = scheduler ?? engine;
  const adapter =
    engines.find((candidate) => candidate.scheduler?.name === named) ??
    engines.find(({ name }) => scheduler === undefined && name === engine);
  if (adapter?.scheduler === undefined) return unsupported(withoutScheduler(named, capability, engines));
  if (adapter.execute === undefined || !capabilitiesOf(adapter.scheduler).includes(capability)) {
    return unsupported(`the scheduler ${adapter.scheduler.name} does not support ${capability} as it runs here`);
  }
  return await adapter.execute(command);
}

function schedulerOf({ parameters, target }: Command): string | undefined {
  return [parameters.scheduler, target.scheduler].find(
    (value): value is string => typeof value === "string" && value !== "",
  );
}

function withoutScheduler(named: string | undefined, capability: string, engines: readonly EngineAdapter[]): string {
  const known = schedulerNames(engines, []);
  if (known.length === 0) return `this agent mirrors no schedules, so it does not support ${capability}`;
  if (named === undefined)
    return `the command names no scheduler, and this agent has several engines. It mirrors ${known.join(", ")}`;
  return `this agent does not mirror the schedules of ${named}, only ${known.join(", ")}, so it does not support ${capability}`;
}

/** Fails when one of them failed, with the error of the first. */
async function resyncAll(
  command: Command,
  capability: string,
  engines: readonly EngineAdapter[],
): Promise<CommandOutcome> {
  const able = engines.filter(
    ({ scheduler, execute }) =>
      scheduler !== undefined && execute !== undefined && capabilitiesOf(scheduler).includes(capability),
  );
  if (able.length === 0) return unsupported(`no adapter of this agent supports ${capability} as it runs here`);
  const outcomes = await Promise.all(able.map((adapter) => resyncOne(adapter, command)));
  const drained = outcomes.flatMap(({ result }) => (result?.schedulers_drained ?? []) as string[]);
  const failure = outcomes.find(({ status }) => status === "failed");
  return { ...(failure ?? { status: "success" }), result: { schedulers_drained: drained } };
}

async function resyncOne(adapter: EngineAdapter, command: Command): Promise<CommandOutcome> {
  try {
    return (await adapter.execute?.(command)) ?? failed("the adapter returned no outcome");
  } catch (error) {
    return failed(reasonOf(error));
  }
}
