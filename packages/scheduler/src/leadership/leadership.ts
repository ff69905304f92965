/** Which schedules this process may fire. */
export interface Leadership {
  /** Since when this process leads the project without interruption, as a count of events; null while it does not lead it. */
  ledSince(projectId: string): number | null;
  /** Whether this process leads any project. */
  isLeader(): boolean;
  /** Tries to lead now, because there are new projects; otherwise this happens at the next heartbeat. */
  retry(): void;
  /** Gives up all leadership, so that another process can take it at once. */
  stop(): Promise<void>;
}

/** For a scheduler that runs alone. */
export const singleLeadership: Leadership = {
  ledSince: () => 0,
  isLeader: () => true,
  retry() {},
  stop: () => Promise.resolve(),
};
