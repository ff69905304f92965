import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { mfaStatusQuery, RecoveryCodes } from "../../mfa/index.ts";
import { useMe } from "../../sessions/index.ts";

export function NewCodesDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  return (
    <FormDialog
      title="New recovery codes"
      act="Make new codes"
      leave="Keep the old ones"
      send={() => api.regenerateRecoveryCodes()}
      onDone={() => client.invalidateQueries({ queryKey: mfaStatusQuery.queryKey })}
      onError={noticeSignedOut}
      answered={({ recovery_codes: codes }) => <CodesDialog codes={codes} onClose={onClose} />}
      undone="No new codes were made."
      onClose={onClose}
    >
      <p>All codes that you have stored so far stop working, and you get as many new ones.</p>
    </FormDialog>
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
