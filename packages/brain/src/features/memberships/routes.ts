import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import type { Memberships } from "./memberships.ts";
import { MemberList } from "./schemas.ts";

export const membershipRoutes: Routes<{ memberships: Memberships }> = (app, { memberships }) => {
  app.get(
    "/projects/:slug/memberships",
    {
      schema: { params: ProjectParams, response: { 200: MemberList } },
      config: { tag: "memberships", role: "viewer" },
    },
    async (request) => ({ items: await memberships.list(request.project.id) }),
  );
};
