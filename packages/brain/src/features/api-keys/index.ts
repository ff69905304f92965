export { createApiKeys } from "./api-keys.ts";
export { apiKeyRoutes } from "./routes.ts";
export { everyScope, type Scope } from "./scopes.ts";
export { revokeKeysOf } from "./store.ts";
