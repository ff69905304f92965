import { useLayoutEffect, useRef } from "react";

/** A placeholder for a dialog while its code loads, so that keys and clicks don't reach the page. */
export function Opening({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return <dialog ref={dialog} className="vh" aria-label="Opening" aria-busy="true" onCancel={onClose} />;
}
