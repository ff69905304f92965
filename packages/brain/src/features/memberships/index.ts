export { createMemberAdministration } from "./administration.ts";
export { createMemberships, type Memberships } from "./memberships.ts";
export { membershipRoutes } from "./routes.ts";
export { OwnMembership, ProjectRole } from "./schemas.ts";
