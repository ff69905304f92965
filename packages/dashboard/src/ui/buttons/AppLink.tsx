import { useRouter } from "@tanstack/react-router";
import { type AnchorHTMLAttributes, createContext, type MouseEvent, useContext } from "react";

/** What the pages around a link add to its address, such as the time range that stays the same between them. */
export const HrefContext = createContext<(href: string) => string>((href) => href);

interface AppLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  href: string;
}

/** A link inside the dashboard, to one of the addresses in `address/paths.ts`; why not the router's own is in ADR 10. */
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

/** Goes where a link to the same address leads, for moves that are no press on one. `replace` leaves no step to go back to. */
export function useGo(): (href: string, how?: { replace: boolean }) => void {
  const { history } = useRouter();
  const hrefHere = useContext(HrefContext);
  return (href, how) => history[how?.replace ? "replace" : "push"](hrefHere(href));
}

/** False for the clicks that open a new tab or window. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
