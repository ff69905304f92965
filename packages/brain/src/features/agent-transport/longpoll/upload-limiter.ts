export interface UploadLimits {
  /** Uploads of one agent at once. */
  readonly perAgent: number;
  readonly bytesPerAgent: number;
  readonly totalBytes: number;
}

/**
 * What uploads may hold in memory before they are answered: number and announced bytes per agent, and announced bytes in all. An upload
 * is admitted before its body is read, so that a client which never waits for an answer cannot fill the process; one that never sends
 * its body takes no more than the share of its agent from the others.
 */
export function createUploadLimiter(limits: UploadLimits) {
  const agents = new Map<string, { uploads: number; bytes: number }>();
  let bytes = 0;
  // One upload is let in whatever its size, so that a limit below the largest body cannot lock everybody out.
  const isOver = (held: number, more: number, limit: number) => held > 0 && held + more > limit;
  return {
    /** Takes a permit for one upload; null when there is none. The returned function gives it back, once. */
    take(agentId: string, announcedBytes: number): (() => void) | null {
      const own = agents.get(agentId) ?? { uploads: 0, bytes: 0 };
      if (own.uploads >= limits.perAgent || isOver(own.bytes, announcedBytes, limits.bytesPerAgent)) return null;
      if (isOver(bytes, announcedBytes, limits.totalBytes)) return null;
      agents.set(agentId, own);
      own.uploads += 1;
      own.bytes += announcedBytes;
      bytes += announcedBytes;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        bytes -= announcedBytes;
        own.bytes -= announcedBytes;
        own.uploads -= 1;
        if (own.uploads === 0) agents.delete(agentId);
      };
    },
  };
}

export type UploadLimiter = ReturnType<typeof createUploadLimiter>;
