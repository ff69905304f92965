import type { CallOptions, Send } from "../request.ts";
import type { UserAdminPublic } from "../types/users.ts";

export function userRoutes(send: Send) {
  return {
    /** Newest first; limit 1 to 500, otherwise 100. */
    listUsers: (query: { limit?: number; offset?: number } = {}, call?: CallOptions) =>
      send<UserAdminPublic[]>("GET", "/users", { ...call, query }),
  };
}
