import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { hasCommandKey } from "../ui/layers/keys.ts";
import { Dialog } from "../ui/layers/Layers.tsx";
import { Opening } from "../ui/layers/Opening.tsx";
import { ErrorPanel } from "../ui/panels/Feedback.tsx";
import { closeOverlay, type Overlay, type OverlayProps, openPalette, overlay } from "./overlay.ts";
import { type OverlayLoads, useShellParts } from "./shell-parts.ts";

const parts: Partial<Record<Overlay, LazyExoticComponent<ComponentType<OverlayProps>>>> = {};

/** Command palette, keyboard shortcuts, the phone's More menu and the new-project form. Each is loaded on first use. */
export function Overlays({ slug }: OverlayProps) {
  const shown = useSyncExternalStore(overlay.subscribe, overlay.get);
  const { overlays } = useShellParts();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isAsked = (hasCommandKey ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === "k";
      if (!isAsked || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (document.querySelector("dialog:modal") === null) openPalette();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  useEffect(() => closeOverlay, []);
  if (shown === null) return null;
  return (
    <CatchBoundary
      getResetKey={() => shown}
      onCatch={() => {
        // React.lazy caches a failed load; the next attempt must request the file again.
        delete parts[shown];
      }}
      errorComponent={({ error, reset }) => (
        <Dialog title="Couldn't open this" onClose={closeOverlay}>
          <ErrorPanel isPart title="Part of the dashboard couldn't be loaded" error={error} onRetry={reset} />
        </Dialog>
      )}
    >
      <Suspense fallback={<Opening onClose={closeOverlay} />}>
        <Part which={shown} load={overlays[shown]} slug={slug} />
      </Suspense>
    </CatchBoundary>
  );
}

interface PartProps extends OverlayProps {
  which: Overlay;
  load: OverlayLoads[Overlay];
}

function Part({ which, load, slug }: PartProps) {
  parts[which] ??= lazy(load);
  const Shown = parts[which];
  return <Shown slug={slug} />;
}
