interface Link<T> {
  readonly value: T;
  older: Link<T> | null;
  newer: Link<T> | null;
}

/**
 * Values by key, in order of last use. A Map would keep the same order, but finding its first entry means skipping all slots of deleted
 * entries, and a flood reads the first entry at every request.
 */
export function createRecency<T>() {
  const links = new Map<string, Link<T>>();
  let oldest: Link<T> | null = null;
  let newest: Link<T> | null = null;

  function unlink(link: Link<T>): void {
    if (link.older === null) oldest = link.newer;
    else link.older.newer = link.newer;
    if (link.newer === null) newest = link.older;
    else link.newer.older = link.older;
  }

  return {
    get: (key: string) => links.get(key)?.value,
    /** Adds a value, or moves the one of this key, to the end. */
    touch(key: string, value: T) {
      const known = links.get(key);
      if (known !== undefined) unlink(known);
      const link: Link<T> = known ?? { value, older: null, newer: null };
      if (known === undefined) links.set(key, link);
      link.older = newest;
      link.newer = null;
      if (newest === null) oldest = link;
      else newest.newer = link;
      newest = link;
    },
    delete(key: string) {
      const link = links.get(key);
      if (link === undefined) return;
      links.delete(key);
      unlink(link);
    },
    /** The least recently touched value. */
    oldest: () => oldest?.value,
    size: () => links.size,
  };
}
