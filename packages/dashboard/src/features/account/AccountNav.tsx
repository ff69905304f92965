import { useLocation } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import css from "./account.module.css";

const pages = [
  { label: "Profile", href: paths.profile() },
  { label: "Security", href: paths.security() },
  { label: "Appearance", href: paths.appearance() },
];

/** From one page of the own account to the others. */
export function AccountNav() {
  const pathname = useLocation({ select: (location) => location.pathname });
  return (
    <nav className={css.nav} aria-label="Your account">
      {pages.map(({ label, href }) => (
        <AppLink key={href} href={href} aria-current={pathname === href ? "page" : undefined}>
          {label}
        </AppLink>
      ))}
    </nav>
  );
}
