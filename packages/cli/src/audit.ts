import { auditExportHead, auditVerifyAnchor } from "./audit-anchor.ts";
import { auditPrune } from "./audit-prune.ts";
import { auditRotateChainKey } from "./audit-rotate.ts";
import { auditVerify } from "./audit-verify.ts";
import type { Command } from "./command.ts";
import { CliError } from "./exit-codes.ts";

const parts = {
  verify: auditVerify,
  prune: auditPrune,
  "export-head": auditExportHead,
  "verify-anchor": auditVerifyAnchor,
  "rotate-chain-key": auditRotateChainKey,
} satisfies Record<string, Command>;

export const audit: Command = {
  usage: Object.values(parts).flatMap(({ usage }) => usage),
  details: [
    "verify             walk the whole chain: 0 clean, 1 failed, 4 when it could not be done",
    "                   --limit N walks the N oldest rows; --known-head FILE also holds the chain against an anchor",
    "prune              remove the rows before an instant (2026-01-31 or 2026-01-31T12:00:00Z); asks first without --yes",
    "export-head        write the head as an anchor to FILE, or to standard output",
    "verify-anchor      0 CURRENT_MATCH or VERIFIED_ANCESTOR, 1 UNPROVABLE",
    "rotate-chain-key   sign the state with the present SVC_AUDIT_CHAIN_SECRET; every service must be stopped",
    "--json             one JSON document",
    "The settings say which database it is; SVC_HOME holds those that a service has minted.",
  ],
  async run(args, terminal) {
    const [name, ...rest] = args;
    const part = name === undefined ? undefined : Object.entries(parts).find(([known]) => known === name)?.[1];
    if (part === undefined)
      throw new CliError("usage", name === undefined ? "audit needs one of its parts" : `audit has no part "${name}"`);
    return part.run(rest, terminal);
  },
};
