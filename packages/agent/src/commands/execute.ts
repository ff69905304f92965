import { capabilityOfAction, isCommandAction } from "@svc/protocol";
import { capabilitiesOf, type EngineAdapter } from "../adapter.ts";
import type { Command, CommandOutcome } from "./command.ts";

/**
 * Hands a command to the adapter of its engine. A command that no adapter here can carry out comes back as failed, with a text that
 * begins with `unsupported: `. Rejects with what the adapter threw.
 */
export async function executeCommand(engines: readonly EngineAdapter[], command: Command): Promise<CommandOutcome> {
  const { action, engine } = command;
  const known = engines.map(({ name }) => name).join(", ");
  if (action === "") return unsupported("the command names no action");
  if (!isCommandAction(action)) return unsupported(`this version of the agent does not know the command ${action}`);
  if (engine === undefined) return unsupported(`the command names no engine, and this agent watches several: ${known}`);
  const adapter = engines.find(({ name }) => name === engine);
  if (adapter === undefined) return unsupported(`this agent does not watch ${engine}, only ${known}`);
  const capability = capabilityOfAction[action];
  if (adapter.execute === undefined || !capabilitiesOf(adapter).includes(capability)) {
    return unsupported(`the ${engine} adapter does not offer ${capability} in the way it runs here`);
  }
  return await adapter.execute(command);
}

function unsupported(reason: string): CommandOutcome {
  return { status: "failed", error: `unsupported: ${reason}` };
}
