import { tokenLabels } from "@svc/protocol";
import type { Clock } from "../../../platform/clock.ts";
import { createSharedLookUp } from "../../../platform/coalescing/shared-look-up.ts";
import { candidateDigests } from "../../../platform/crypto/digests.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { type AgentIdentity, admittedAmong, findAdmission, findByTokenHashes } from "../reads.ts";

/** Whether an agent may act, and if not, why not. */
export type AdmissionStatus = "admitted" | "revoked" | "archived";

const rememberMs = 2000;
const maxRemembered = 10_000;
const maxTokenChars = 256;

export function createIdentities(
  database: Pick<BrainDatabase, "read">,
  clock: Pick<Clock, "monotonicMs">,
  masters: Keyring,
) {
  const lookUp = createSharedLookUp((digests) => findByTokenHashes(database.read, digests));
  // By digest, so that a memory dump contains no token.
  const remembered = new Map<string, { identity: AgentIdentity; untilMs: number }>();
  let forgotten = 0;

  function remember(digest: string, identity: AgentIdentity): void {
    remembered.delete(digest);
    if (remembered.size >= maxRemembered) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(digest, { identity, untilMs: clock.monotonicMs() + rememberMs });
  }

  /** Like `isStillAdmitted`, with the reason; a revoked agent of an archived project is `revoked`. */
  async function admissionStatus({ agent_id }: Pick<AgentIdentity, "agent_id">): Promise<AdmissionStatus> {
    const found = await findAdmission(database.read, agent_id);
    if (found === undefined || found.revoked_at !== null) return "revoked";
    return found.project_is_active ? "admitted" : "archived";
  }

  return {
    /** The unrevoked agent of a token, null for any other text. Verified identities are cached for at most 2 s. */
    async authenticate(token: string): Promise<AgentIdentity | null> {
      if (token === "" || token.length > maxTokenChars) return null;
      const digests = candidateDigests(masters, tokenLabels.agentToken, token);
      const first = digests[0]!;
      const known = remembered.get(first);
      if (known !== undefined && known.untilMs > clock.monotonicMs()) return known.identity;
      const forgottenBefore = forgotten;
      const found = await lookUp(digests);
      if (found === undefined) return null;
      // A revocation during the query must not be overwritten with the earlier result.
      if (forgotten === forgottenBefore) remember(first, found);
      return found;
    },
    admissionStatus,
    /** Whether the agent is still unrevoked and its project active, read from the database. */
    isStillAdmitted: async (identity: Pick<AgentIdentity, "agent_id">) =>
      (await admissionStatus(identity)) === "admitted",
    /** The agents among these that are unrevoked and whose project is active, read from the database. */
    admittedAmong: (agentIds: readonly string[]) => admittedAmong(database.read, agentIds),
    /** Drops what is cached of an agent, of all agents of a project, or of everyone. */
    forget(what: { agentId: string } | { projectId: string } | "everyone") {
      forgotten += 1;
      if (what === "everyone") return remembered.clear();
      for (const [digest, { identity }] of remembered) {
        const isMeant = "agentId" in what ? identity.agent_id === what.agentId : identity.project_id === what.projectId;
        if (isMeant) remembered.delete(digest);
      }
    },
  };
}

export type Identities = ReturnType<typeof createIdentities>;
