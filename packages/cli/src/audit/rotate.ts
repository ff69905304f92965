import { defineCommand } from "../command-line/command.ts";
import { databaseHelp, withAuditLog } from "./open-audit.ts";

export const auditRotateChainKey = defineCommand({
  usage: ["audit rotate-chain-key"],
  details: [
    "Signs the state of the audit chain with the current SVC_AUDIT_CHAIN_SECRET. Stop every service process first.",
    databaseHelp,
  ],
  async run(_given, terminal) {
    const { keyId } = await withAuditLog(terminal, (log) => log.rotateKey(), { alone: true });
    terminal.out(`signed the state with key ${keyId}`);
  },
});
