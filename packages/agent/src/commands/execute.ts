import { capabilityOfAction, isCommandAction, retryResubmitsMarker } from "@svc/protocol";
import { capabilitiesOf, type EngineAdapter } from "../adapter.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Command, type CommandOutcome, failed, unsupported } from "./command.ts";
import { checkPurge } from "./purge-guard.ts";
import { executeForSchedules } from "./schedule-commands.ts";

export interface ExecuteDependencies {
  readonly engines: readonly EngineAdapter[];
  /** The project's secret, for the confirm token of a purge. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
}

/**
 * Passes a command to the adapter of its engine, or of its scheduler. A command that no adapter supports fails with a text that starts with
 * `unsupported: `, a purge that is not allowed with `refused: `. Rejects with the adapter's error.
 */
export async function executeCommand(command: Command, dependencies: ExecuteDependencies): Promise<CommandOutcome> {
  const { action } = command;
  if (action === "") return unsupported("the command has no action");
  if (!isCommandAction(action)) return unsupported(`this version of the agent does not support the command ${action}`);
  const capability = capabilityOfAction[action];
  return capability.startsWith("schedule.")
    ? await executeForSchedules(command, capability, dependencies)
    : await executeForEngine(command, capability, dependencies);
}

async function executeForEngine(
  command: Command,
  capability: string,
  dependencies: ExecuteDependencies,
): Promise<CommandOutcome> {
  const { engines } = dependencies;
  const { action, engine } = command;
  const known = engines.map(({ name }) => name).join(", ");
  if (engine === undefined)
    return unsupported(`the command names no engine, and this agent watches several (${known})`);
  const adapter = engines.find(({ name }) => name === engine);
  if (adapter === undefined) return unsupported(`this agent does not watch ${engine}, only ${known}`);
  const offered = capabilitiesOf(adapter);
  if (adapter.execute === undefined || !offered.includes(capability)) {
    return unsupported(`the ${engine} adapter does not support ${capability} as it runs here`);
  }
  if (isRetry(action) && offered.includes(retryResubmitsMarker) && !hasInputs(command)) {
    return unsupported(`${engine} retries by submitting a new task, which requires override_args and override_kwargs`);
  }
  if (action === "purge_queue") {
    const { refusal, ...confirmed } = await checkPurge(command, adapter, dependencies);
    if (refusal !== undefined) return failed(`refused: ${refusal}`);
    return await adapter.execute({ ...command, ...confirmed });
  }
  return await adapter.execute(command);
}

const isRetry = (action: string) => action === "retry_task" || action === "bulk_retry";

const hasInputs = ({ parameters }: Command) =>
  (parameters.override_args ?? null) !== null && (parameters.override_kwargs ?? null) !== null;
