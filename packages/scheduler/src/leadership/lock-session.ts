/** A session that holds locks until it ends: a connection to the database whose end frees all of them. */
export interface LockSession {
  /** Tries to take locks that this session does not hold. Returns those that it got. Rejects when the session is lost. */
  tryLock(keys: readonly bigint[]): Promise<readonly bigint[]>;
  unlock(keys: readonly bigint[]): Promise<void>;
  /** Resolves while the session is alive. */
  confirm(): Promise<void>;
  /** Ends the session and frees its locks. Never rejects. */
  close(): Promise<void>;
}

/** Opens a session. `onLost` is called once, as soon as the end of the session is known. */
export type OpenLockSession = (onLost: () => void) => Promise<LockSession>;
