import { defineCommand } from "../command-line/command.ts";
import { whichDatabase, withAuditLog } from "./open-audit.ts";

export const auditRotateChainKey = defineCommand({
  usage: ["audit rotate-chain-key"],
  details: ["Signs the state with the present SVC_AUDIT_CHAIN_SECRET; every service must be stopped.", whichDatabase],
  async run(_given, terminal) {
    const { keyId } = await withAuditLog(terminal, (log) => log.rotateKey(), { alone: true });
    terminal.out(`the state is signed by key ${keyId}`);
  },
});
