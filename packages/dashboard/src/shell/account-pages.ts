import { paths } from "../paths.ts";

// Pages that belong to no project, once for user menu, palette and the phone's second menu.
export interface AccountPage {
  id: string;
  label: string;
  icon: string;
  href: string;
  /** Other words to find it by. */
  also: string;
  /** For administrators of the instance only; nobody else is shown it. */
  isForAdmins: boolean;
}

const pages: readonly AccountPage[] = [
  {
    id: "api-keys",
    label: "API keys",
    icon: "key",
    href: paths.apiKeys(),
    also: "tokens scopes scripts",
    isForAdmins: false,
  },
  {
    id: "users",
    label: "Users",
    icon: "users",
    href: paths.users(),
    also: "accounts people passwords admin",
    isForAdmins: true,
  },
];

/** Those that the caller can use. */
export const accountPages = (me: { is_admin: boolean }): readonly AccountPage[] =>
  pages.filter(({ isForAdmins }) => me.is_admin || !isForAdmins);
