/** One kind of master secret: the current one, which signs, and earlier ones, which still verify. */
export interface Keyring {
  readonly current: string;
  /** The current master first, then the earlier ones. */
  readonly all: readonly string[];
}

/**
 * A keyring of masters.
 *
 * @throws RangeError when a master has fewer than 32 bytes; settings refuse that earlier, so here it is a bug.
 */
export function createKeyring(current: string, previous: readonly string[] = []): Keyring {
  const all = [current, ...previous.filter((master) => master !== current)];
  if (all.some((master) => Buffer.byteLength(master) < 32))
    throw new RangeError("a master secret has fewer than 32 bytes");
  return { current, all };
}
