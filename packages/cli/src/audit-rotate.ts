import type { Command } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { withAuditLog } from "./open-audit.ts";
import { readOptions } from "./options.ts";

export const auditRotateChainKey: Command = {
  usage: ["audit rotate-chain-key"],
  async run(args, terminal) {
    readOptions(args, {});
    const { keyId } = await withAuditLog(terminal, (log) => log.rotateKey(), { alone: true });
    terminal.out(`the state is signed by key ${keyId}`);
    return exitCodes.done;
  },
};
