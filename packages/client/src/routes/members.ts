import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Member } from "../types/members.ts";

export function memberRoutes(send: Send) {
  return {
    listMembers: (slug: string, call?: CallOptions) =>
      send<{ items: Member[] }>("GET", pathOf`/projects/${slug}/memberships`, call),
  };
}
