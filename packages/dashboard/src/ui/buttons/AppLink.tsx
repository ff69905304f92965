import { useRouter } from "@tanstack/react-router";
import { type AnchorHTMLAttributes, createContext, type MouseEvent, useContext } from "react";

/** What the pages around a link add to its address, such as the time range that stays the same between them. */
export const HrefContext = createContext<(href: string) => string>((href) => href);

interface AppLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  href: string;
}

/** A link inside the dashboard. The address is final: ids may hold characters that a route template would read. */
export function AppLink({ href, onClick, ...rest }: AppLinkProps) {
  const router = useRouter();
  const to = useContext(HrefContext)(href);
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        router.history.push(to);
      }}
    />
  );
}

/** False for the clicks that open a new tab or window. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
