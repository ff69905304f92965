export { createMemberships, type Memberships } from "./memberships.ts";
export { membershipRoutes } from "./routes.ts";
export { OwnMembership } from "./schemas.ts";
