export { createInvitations } from "./invitations.ts";
export { pruneInvitations } from "./loops.ts";
export { invitationPublicRoutes } from "./public-routes.ts";
export { invitationRoutes } from "./routes.ts";
export { forgetInviter } from "./store.ts";
