/**
 * What uploads may hold in memory before they are answered: their number per agent and their announced bytes in all. An upload is
 * admitted before its body is read, so that a client which never waits for an answer cannot fill the process.
 */
export interface UploadRoom {
  /** Takes room for one upload; null when there is none. The returned function gives it back, once. */
  take(agentId: string, announcedBytes: number): (() => void) | null;
}

export function createUploadRoom(limits: { readonly perAgent: number; readonly totalBytes: number }): UploadRoom {
  const uploads = new Map<string, number>();
  let bytes = 0;
  return {
    take(agentId, announcedBytes) {
      const own = uploads.get(agentId) ?? 0;
      // One upload is let in whatever its size, so that a limit below the largest body cannot lock everybody out.
      if (own >= limits.perAgent || (bytes > 0 && bytes + announcedBytes > limits.totalBytes)) return null;
      uploads.set(agentId, own + 1);
      bytes += announcedBytes;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        bytes -= announcedBytes;
        const left = (uploads.get(agentId) ?? 1) - 1;
        if (left === 0) uploads.delete(agentId);
        else uploads.set(agentId, left);
      };
    },
  };
}
