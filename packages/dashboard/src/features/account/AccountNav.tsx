import { useLocation } from "@tanstack/react-router";
import { paths } from "../../address/paths.ts";
import { PageTabs } from "../../ui/panels/PageTabs.tsx";

const pages = [
  { label: "Profile", href: paths.profile() },
  { label: "Security", href: paths.security() },
  { label: "API keys", href: paths.apiKeys() },
  { label: "Appearance", href: paths.appearance() },
];

/** Tabs of the account pages. */
export function AccountNav() {
  const pathname = useLocation({ select: (location) => location.pathname });
  return <PageTabs label="Your account" pages={pages} current={pathname} />;
}
