import { useLayoutEffect, useRef } from "react";

/** Stands in for a dialog while its code loads: keys and pointer are meant for the dialog and not for the page. */
export function Opening({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return <dialog ref={dialog} className="vh" aria-label="Opening" aria-busy="true" onCancel={onClose} />;
}
