import type { UserAdminPublic } from "@svc/client";

/** The maximum page size, and how many pages are searched: ten thousand accounts. */
const pageSize = 500;
const maxPages = 20;

type ReadUsers = (limit: number, offset: number) => Promise<readonly UserAdminPublic[]>;

/** Finds an account by its address, ignoring case; null if there is none. The list has no filter, so it is read page by page. */
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
