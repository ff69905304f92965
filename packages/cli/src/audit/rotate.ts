import type { Command } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { whichDatabase, withAuditLog } from "./open-audit.ts";

export const auditRotateChainKey: Command = {
  usage: ["audit rotate-chain-key"],
  details: ["Signs the state with the present SVC_AUDIT_CHAIN_SECRET; every service must be stopped.", whichDatabase],
  async run(args, terminal) {
    readOptions(args, {});
    const { keyId } = await withAuditLog(terminal, (log) => log.rotateKey(), { alone: true });
    terminal.out(`the state is signed by key ${keyId}`);
    return exitCodes.done;
  },
};
