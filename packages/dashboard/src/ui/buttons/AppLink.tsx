import { useRouter } from "@tanstack/react-router";
import { type AnchorHTMLAttributes, createContext, type MouseEvent, useContext } from "react";

/** Lets pages extend the links in them, for example with the time range. */
export const HrefContext = createContext<(href: string) => string>((href) => href);

interface AppLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  href: string;
}

/** A link inside the dashboard, to one of the `paths`. ADR 10 explains why the router's own link is not used. */
export function AppLink({ href, onClick, ...rest }: AppLinkProps) {
  const go = useGo();
  const to = useContext(HrefContext)(href);
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        go(href);
      }}
    />
  );
}

/** Navigates like a link to the same path. `replace` replaces the history entry. */
export function useGo(): (href: string, how?: { replace: boolean }) => void {
  const { history } = useRouter();
  const hrefHere = useContext(HrefContext);
  return (href, how) => history[how?.replace ? "replace" : "push"](hrefHere(href));
}

/** False for clicks that open a new tab or window. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
