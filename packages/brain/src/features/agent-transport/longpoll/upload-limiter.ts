export interface UploadLimits {
  /** Concurrent uploads of one agent. */
  readonly perAgent: number;
  readonly bytesPerAgent: number;
  readonly totalBytes: number;
}

/**
 * Limits what uploads may hold in memory before they are answered: number and announced bytes per agent, and announced bytes in total. An
 * upload is admitted before its body is read, so that a client that never waits for an answer cannot fill the process. A client that never
 * sends its body uses only the share of its own agent.
 */
export function createUploadLimiter(limits: UploadLimits) {
  const agents = new Map<string, { uploads: number; bytes: number }>();
  let bytes = 0;
  // A single upload is admitted whatever its size, so that a limit below the largest body does not lock out every agent.
  const isOver = (held: number, more: number, limit: number) => held > 0 && held + more > limit;
  return {
    /** Takes a permit for one upload; null when there is none. The returned function releases it, once. */
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
