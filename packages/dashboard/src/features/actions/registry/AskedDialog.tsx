import { useLocation } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import { closeOverlay, type OverlayProps } from "../../../shell/overlay.ts";
import { asked } from "./action.ts";

/** Hosts the dialogs of actions. A dialog closes when its page is left. */
export function AskedDialog({ slug }: OverlayProps) {
  const what = useSyncExternalStore(asked.subscribe, asked.get);
  const pathname = useLocation({ select: (location) => location.pathname });
  const [openedOn] = useState(pathname);
  useEffect(() => {
    if (pathname !== openedOn) closeOverlay();
  }, [pathname, openedOn]);
  if (what === null || slug === null) return null;
  const { Dialog } = what.action;
  return <Dialog slug={slug} subject={what.subject} onClose={closeOverlay} />;
}
