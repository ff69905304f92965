import { useLocation } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import { closeOverlay, type OverlayProps } from "../../../shell/overlay.ts";
import { asked } from "./action.ts";

/** The one place where the forms of actions are shown. They go with the page that they were opened on. */
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
