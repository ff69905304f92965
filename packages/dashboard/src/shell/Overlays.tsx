import { CatchBoundary } from "@tanstack/react-router";
import {
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import { hasCommandKey } from "../ui/layers/keys.ts";
import { Dialog } from "../ui/layers/Layers.tsx";
import { Failed } from "../ui/panels/Feedback.tsx";
import { closeOverlay, type Overlay, type OverlayProps, openPalette, overlay } from "./overlay.ts";

const loads: Record<Overlay, () => Promise<{ default: ComponentType<OverlayProps> }>> = {
  palette: () => import("../palette/Palette.tsx").then(({ Palette }) => ({ default: Palette })),
  keys: () => import("../palette/KeySheet.tsx").then(({ KeySheet }) => ({ default: KeySheet })),
  more: () => import("../palette/MoreSheet.tsx").then(({ MoreSheet }) => ({ default: MoreSheet })),
  asked: () => import("../palette/AskedDialog.tsx").then(({ AskedDialog }) => ({ default: AskedDialog })),
  newProject: () =>
    import("../features/projects/CreateProjectDialog.tsx").then(({ CreateProjectDialog }) => ({
      default: () => <CreateProjectDialog onClose={closeOverlay} />,
    })),
};
const parts: Partial<Record<Overlay, LazyExoticComponent<ComponentType<OverlayProps>>>> = {};

/** Palette, list of keys, the phone's second menu and the form of a new project: none of them is loaded before somebody asks for it. */
export function Overlays({ slug }: OverlayProps) {
  const shown = useSyncExternalStore(overlay.subscribe, overlay.get);
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
        // A file that could not be loaded would be remembered as such; the next try asks for it again.
        delete parts[shown];
      }}
      errorComponent={({ error, reset }) => (
        <Dialog title="This could not be opened" onClose={closeOverlay}>
          <Failed isPart title="Part of the dashboard is missing" error={error} onRetry={reset} />
        </Dialog>
      )}
    >
      <Suspense fallback={<Opening />}>
        <Part which={shown} slug={slug} />
      </Suspense>
    </CatchBoundary>
  );
}

/** Holds keys and pointer until the part is there: they are meant for it and not for the page. */
function Opening() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return <dialog ref={dialog} className="vh" aria-label="Opening" aria-busy="true" onCancel={closeOverlay} />;
}

function Part({ which, slug }: OverlayProps & { which: Overlay }) {
  parts[which] ??= lazy(loads[which]);
  const Shown = parts[which];
  return <Shown slug={slug} />;
}
