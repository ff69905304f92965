/** The address of the list of accounts: which page of it, counted from 1. What means nothing is left out. */
export function readUsersSearch(raw: Readonly<Record<string, unknown>>): { page?: number } {
  const page = Number(raw.page);
  return Number.isInteger(page) && page > 1 && page <= 1_000_000 ? { page } : {};
}
