/** The search parameters of the account list: the page, counted from 1. Invalid values are dropped. */
export function readUsersSearch(raw: Readonly<Record<string, unknown>>): { page?: number } {
  const page = Number(raw.page);
  return Number.isInteger(page) && page > 1 && page <= 1_000_000 ? { page } : {};
}
