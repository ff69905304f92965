import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { ApiKey } from "../types/api-keys.ts";
import type { UserAdminPublic, UserChanges, UserCreate } from "../types/users.ts";

export function userRoutes(send: Send) {
  return {
    /** Newest first; limit 1 to 500, otherwise 100. */
    listUsers: (query: { limit?: number; offset?: number } = {}, call?: CallOptions) =>
      send<UserAdminPublic[]>("GET", "/users", { ...call, query }),
    createUser: (body: UserCreate, call?: CallOptions) => send<UserAdminPublic>("POST", "/users", { ...call, body }),
    changeUser: (userId: string, body: UserChanges, call?: CallOptions) =>
      send<UserAdminPublic>("PATCH", pathOf`/users/${userId}`, { ...call, body }),
    /** Gives a new password without the old one; ends every session, trusted device and API key of the user. */
    resetUserPassword: (userId: string, body: { new_password: string }, call?: CallOptions) =>
      send<void>("POST", pathOf`/users/${userId}/password`, { ...call, body }),
    /** The user's keys that work, newest first; audited. */
    listUserApiKeys: (userId: string, call?: CallOptions) =>
      send<ApiKey[]>("GET", pathOf`/users/${userId}/api-keys`, call),
    revokeUserApiKeys: (userId: string, call?: CallOptions) =>
      send<{ revoked: number }>("DELETE", pathOf`/users/${userId}/api-keys`, call),
    deleteUser: (userId: string, call?: CallOptions) => send<void>("DELETE", pathOf`/users/${userId}`, call),
  };
}
