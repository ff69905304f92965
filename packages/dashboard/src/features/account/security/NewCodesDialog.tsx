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
      title="Create new recovery codes"
      act="Create codes"
      send={() => api.regenerateRecoveryCodes()}
      onDone={() => client.invalidateQueries({ queryKey: mfaStatusQuery.queryKey })}
      onError={noticeSignedOut}
      answered={({ recovery_codes: codes }) => <CodesDialog codes={codes} onClose={onClose} />}
      undone="No codes were created."
      onClose={onClose}
    >
      <p>Your current recovery codes stop working.</p>
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
      staysBecause={isStored ? null : "Save the codes first. They can't be shown again."}
    >
      <p className="t2">These codes are shown only once. Your previous codes no longer work.</p>
      <RecoveryCodes codes={codes} email={email} onStored={setStored} onDone={onClose} />
    </Dialog>
  );
}
