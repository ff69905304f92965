/** Which schedules this process may fire. */
export interface Leadership {
  /** Names the time since which this process leads the project without interruption; null while it does not lead it. */
  termOf(projectId: string): string | null;
  /** Whether this process leads any project. */
  isLeader(): boolean;
  /** Tries to lead now, because there are new projects; otherwise this happens at the next heartbeat. */
  retry(): void;
  /** Gives up all leadership, so that another process can take it at once. */
  stop(): Promise<void>;
}

/** For a scheduler that runs alone. */
export const singleLeadership: Leadership = {
  termOf: () => "single",
  isLeader: () => true,
  retry() {},
  stop: () => Promise.resolve(),
};
