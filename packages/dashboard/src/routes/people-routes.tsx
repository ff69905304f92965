import { type AnyRoute, createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { rangeKeys, searchOf } from "../address/page-search.ts";
import { paths } from "../address/paths.ts";
import { readUsersSearch } from "../features/users/users-search.ts";

// Who may do what: keys, accounts, members, and what a project is. routes.tsx says below what these pages stand.

export const apiKeysRoute = <Parent extends AnyRoute>(signedInRoute: Parent) =>
  createRoute({
    getParentRoute: () => signedInRoute,
    path: "/me/api-keys",
    validateSearch: searchOf([]),
    component: lazyRouteComponent(() => import("../features/api-keys/ApiKeysPage.tsx"), "ApiKeysPage"),
  });

export const usersRoute = <Parent extends AnyRoute>(signedInRoute: Parent) =>
  createRoute({
    getParentRoute: () => signedInRoute,
    path: "/admin/users",
    validateSearch: readUsersSearch,
    component: lazyRouteComponent(() => import("../features/users/UsersPage.tsx"), "UsersPage"),
  });

/** The settings of a project; their own address is that of the first of them. */
export function settingsRoutes<Parent extends AnyRoute>(projectRoute: Parent) {
  const settingsRoute = createRoute({
    getParentRoute: () => projectRoute,
    path: "/settings",
    validateSearch: searchOf(rangeKeys),
    beforeLoad: ({ params, location }) => {
      const { slug } = params as { slug: string };
      throw redirect({ href: paths.general(slug) + location.searchStr, replace: true });
    },
  });
  const generalRoute = createRoute({
    getParentRoute: () => projectRoute,
    path: "/settings/general",
    validateSearch: searchOf(rangeKeys),
    component: lazyRouteComponent(() => import("../features/projects/settings/GeneralPage.tsx"), "GeneralPage"),
  });
  const membersRoute = createRoute({
    getParentRoute: () => projectRoute,
    path: "/settings/members",
    validateSearch: searchOf(rangeKeys),
    component: lazyRouteComponent(() => import("../features/memberships/MembersPage.tsx"), "MembersPage"),
  });
  return [settingsRoute, generalRoute, membersRoute] as const;
}
