import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { mfaStatusQuery, RecoveryCodes } from "../../mfa/index.ts";
import { useMe } from "../../sessions/index.ts";

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
      <DialogFoot leave="Keep the old ones" onLeave={onClose}>
        <ActButton error={make.error} isBusy={make.isPending} onAct={() => make.mutate()}>
          Make new codes
        </ActButton>
      </DialogFoot>
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
