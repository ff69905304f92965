import { type ReactNode, useState } from "react";
import { ActButton } from "../buttons/ActButton.tsx";
import { Checkbox } from "../buttons/Checkbox.tsx";
import { Dialog, dialogFoot } from "../layers/Layers.tsx";

interface OnceDialogProps {
  title: string;
  /** What to do before closing, and why: `Save the token first. It can't be shown again`. */
  first: string;
  /** The label of the confirmation checkbox. */
  done: string;
  onClose: () => void;
  children: ReactNode;
}

/** Shows secrets once. It can be closed only after the user confirms that they are saved. */
export function OnceDialog({ title, first, done, onClose, children }: OnceDialogProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog title={title} onClose={onClose} staysBecause={isStored ? null : `${first}.`}>
      {children}
      <Checkbox checked={isStored} onChange={setStored}>
        {done}
      </Checkbox>
      <div className={dialogFoot}>
        <ActButton error={null} isBusy={false} reason={isStored ? null : first} onAct={onClose}>
          Close
        </ActButton>
      </div>
    </Dialog>
  );
}
