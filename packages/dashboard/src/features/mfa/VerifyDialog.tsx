import controls from "../../ui/controls.module.css";
import { Dialog, dialogFoot } from "../../ui/Layers.tsx";
import { VerifyForm } from "./VerifyForm.tsx";

/** Asks for a code over whatever was being done; `onEnd` with true lets it go on. */
export function VerifyDialog({ onEnd }: { onEnd: (isVerified: boolean) => void }) {
  return (
    <Dialog title="Confirm it is you" onClose={() => onEnd(false)}>
      <p className="t2">
        This needs a code that was confirmed not long ago. What you were about to do goes on by itself afterwards.
      </p>
      <VerifyForm
        className={controls.rows}
        onVerified={() => onEnd(true)}
        actions={(confirm) => (
          <div className={dialogFoot}>
            <button type="button" className={`${controls.btn} ${controls.big}`} onClick={() => onEnd(false)}>
              Cancel
            </button>
            {confirm}
          </div>
        )}
      />
    </Dialog>
  );
}
