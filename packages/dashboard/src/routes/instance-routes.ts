import { searchOf } from "../address/page-search.ts";
import { readActivitySearch } from "../features/audit/index.ts";
import { readUsersSearch } from "../features/users/index.ts";
import { pagesBelow } from "./page.ts";
import { signedInRoute } from "./root-routes.tsx";

// The pages outside of projects: start page, account and administration.

const nothing = searchOf([]);
const instancePage = pagesBelow(signedInRoute);

export const instanceRoutes = [
  instancePage("/", nothing, () => import("../features/home/HomePage.tsx"), "HomePage"),
  instancePage("/activity", readActivitySearch, () => import("../features/audit/ActivityPage.tsx"), "ActivityPage"),
  instancePage("/me/profile", nothing, () => import("../features/account/ProfilePage.tsx"), "ProfilePage"),
  instancePage("/me/security", nothing, () => import("../features/account/security/SecurityPage.tsx"), "SecurityPage"),
  instancePage("/me/appearance", nothing, () => import("../features/account/AppearancePage.tsx"), "AppearancePage"),
  instancePage("/me/api-keys", nothing, () => import("../features/account/api-keys/ApiKeysPage.tsx"), "ApiKeysPage"),
  instancePage("/admin/users", readUsersSearch, () => import("../features/users/UsersPage.tsx"), "UsersPage"),
  instancePage(
    "/admin/settings",
    searchOf(["filter"]),
    () => import("../features/admin/SettingsPage.tsx"),
    "SettingsPage",
  ),
  instancePage("/admin/versions", nothing, () => import("../features/admin/VersionsPage.tsx"), "VersionsPage"),
  instancePage("/admin/health", nothing, () => import("../features/admin/HealthPage.tsx"), "HealthPage"),
] as const;
