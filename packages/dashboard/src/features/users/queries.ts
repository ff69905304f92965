import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const usersPerPage = 50;

/** One page of accounts, newest first, counted from 1, and whether another one follows. */
export const usersQuery = (page: number) =>
  queryOptions({
    queryKey: ["users", page],
    queryFn: async ({ signal }) => {
      const query = { limit: usersPerPage + 1, offset: (page - 1) * usersPerPage };
      const users = await api.listUsers(query, { signal });
      return { users: users.slice(0, usersPerPage), hasMore: users.length > usersPerPage };
    },
    placeholderData: keepPreviousData,
  });

/** The active API keys of a user; each read is audited, so they are read once per opening of the dialog. */
export const userKeysQuery = (userId: string) =>
  queryOptions({
    queryKey: ["users", userId, "api-keys"],
    queryFn: ({ signal }) => api.listUserApiKeys(userId, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
