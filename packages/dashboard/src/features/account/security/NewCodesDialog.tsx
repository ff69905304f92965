import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { Dialog, dialogFoot } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { mfaStatusQuery } from "../../mfa/queries.ts";
import { RecoveryCodes } from "../../mfa/RecoveryCodes.tsx";
import { useMe } from "../../sessions/queries.ts";

export function NewCodesDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () => api.regenerateRecoveryCodes(),
    onSuccess: () => client.invalidateQueries({ queryKey: mfaStatusQuery.queryKey }),
    onError: noticeSignedOut,
    gcTime: 0,
  });
  if (make.data) return <CodesDialog codes={make.data.recovery_codes} onClose={onClose} />;
  return (
    <Dialog title="New recovery codes" onClose={onClose}>
      <p>All codes that you have stored so far stop working, and you get as many new ones.</p>
      {make.isError ? <Refusal>No new codes were made. {causeOf(make.error)}</Refusal> : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Keep the old ones
        </button>
        <ActButton error={make.error} isBusy={make.isPending} onAct={() => make.mutate()}>
          Make new codes
        </ActButton>
      </div>
    </Dialog>
  );
}

function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { email } = useMe();
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title="Your recovery codes"
      onClose={onClose}
      staysBecause={isStored ? null : "Store the codes first; they cannot be shown again."}
    >
      <p className="t2">They are shown this once. The codes from before work no more.</p>
      <RecoveryCodes codes={codes} email={email} onStored={setStored} onDone={onClose} />
    </Dialog>
  );
}
