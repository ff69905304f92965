import type { UserAdminPublic } from "@svc/client";

/** The largest page of accounts there is, and how many of them are looked through: ten thousand accounts. */
const pageSize = 500;
const maxPages = 20;

type ReadUsers = (limit: number, offset: number) => Promise<readonly UserAdminPublic[]>;

/** The account that has an address, whatever its case; the list has no filter, so it is read page by page. Null without one. */
export async function findUserByEmail(email: string, read: ReadUsers): Promise<UserAdminPublic | null> {
  const wanted = email.trim().toLowerCase();
  for (let page = 0; page < maxPages; page += 1) {
    const users = await read(pageSize, page * pageSize);
    const found = users.find((user) => user.email.toLowerCase() === wanted);
    if (found) return found;
    if (users.length < pageSize) return null;
  }
  return null;
}
