import { readFile } from "node:fs/promises";

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account for a server that does not run as root: `postgres` if it exists, else `nobody`, which every Unix has. No account is
 * created. Undefined when this process is not root and needs no other account.
 */
export async function unprivilegedAccount(passwdFile = "/etc/passwd"): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = new Map<string, Account>();
  for (const line of (await readFile(passwdFile, "utf8")).split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name && uid && gid) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  const account = accounts.get("postgres") ?? accounts.get("nobody");
  if (!account)
    throw new Error('PostgreSQL does not run as root, and no other account exists. Run "useradd --system postgres".');
  return account;
}
