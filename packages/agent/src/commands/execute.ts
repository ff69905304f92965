import { capabilityOfAction, isCommandAction, retryResubmitsMarker } from "@svc/protocol";
import { capabilitiesOf, type EngineAdapter } from "../adapter.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Command, type CommandOutcome, failed } from "./command.ts";
import { checkPurge } from "./purge-guard.ts";

export interface ExecuteDependencies {
  readonly engines: readonly EngineAdapter[];
  /** The project's secret, for the confirm token of a purge. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
}

/**
 * Hands a command to the adapter of its engine. A command that no adapter here can carry out comes back as failed, with a text that
 * begins with `unsupported: `; a purge without a right to it with `refused: `. Rejects with what the adapter threw.
 */
export async function executeCommand(command: Command, dependencies: ExecuteDependencies): Promise<CommandOutcome> {
  const { engines } = dependencies;
  const { action, engine } = command;
  const known = engines.map(({ name }) => name).join(", ");
  if (action === "") return unsupported("the command names no action");
  if (!isCommandAction(action)) return unsupported(`this version of the agent does not know the command ${action}`);
  if (engine === undefined) return unsupported(`the command names no engine, and this agent watches several: ${known}`);
  const adapter = engines.find(({ name }) => name === engine);
  if (adapter === undefined) return unsupported(`this agent does not watch ${engine}, only ${known}`);
  const capability = capabilityOfAction[action];
  const offered = capabilitiesOf(adapter);
  if (adapter.execute === undefined || !offered.includes(capability)) {
    return unsupported(`the ${engine} adapter does not offer ${capability} in the way it runs here`);
  }
  if (isRetry(action) && offered.includes(retryResubmitsMarker) && !hasInputs(command)) {
    return unsupported(`${engine} retries by submitting again, which needs override_args and override_kwargs`);
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

function unsupported(reason: string): CommandOutcome {
  return failed(`unsupported: ${reason}`);
}
