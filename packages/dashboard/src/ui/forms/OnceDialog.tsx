import { type ReactNode, useState } from "react";
import { ActButton } from "../buttons/ActButton.tsx";
import { Tick } from "../buttons/Tick.tsx";
import { Dialog, dialogFoot } from "../layers/Layers.tsx";

interface OnceDialogProps {
  title: string;
  /** What is to be done before it can be left, and why: `Store both first; they cannot be shown again`. */
  first: string;
  /** What is ticked to say that it was done. */
  done: string;
  onClose: () => void;
  children: ReactNode;
}

/** Shows secrets that are told this once: it is left only after a tick says that they are stored. */
export function OnceDialog({ title, first, done, onClose, children }: OnceDialogProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog title={title} onClose={onClose} staysBecause={isStored ? null : `${first}.`}>
      {children}
      <Tick checked={isStored} onChange={setStored}>
        {done}
      </Tick>
      <div className={dialogFoot}>
        <ActButton error={null} isBusy={false} reason={isStored ? null : first} onAct={onClose}>
          Close
        </ActButton>
      </div>
    </Dialog>
  );
}
