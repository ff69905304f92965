import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { UserAdminPublic, UserChanges, UserCreate } from "../types/users.ts";

export function userRoutes(send: Send) {
  return {
    /** Newest first; limit 1 to 500, otherwise 100. */
    listUsers: (query: { limit?: number; offset?: number } = {}, call?: CallOptions) =>
      send<UserAdminPublic[]>("GET", "/users", { ...call, query }),
    createUser: (body: UserCreate, call?: CallOptions) => send<UserAdminPublic>("POST", "/users", { ...call, body }),
    changeUser: (userId: string, body: UserChanges, call?: CallOptions) =>
      send<UserAdminPublic>("PATCH", pathOf`/users/${userId}`, { ...call, body }),
    /** Gives a new password without the old one; ends every session and trusted device of the user. */
    resetUserPassword: (userId: string, body: { new_password: string }, call?: CallOptions) =>
      send<void>("POST", pathOf`/users/${userId}/password`, { ...call, body }),
    deleteUser: (userId: string, call?: CallOptions) => send<void>("DELETE", pathOf`/users/${userId}`, call),
  };
}
