import type { TrustedDevice } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { faultsByField } from "../../../api/field-faults.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { trustedDevicesQuery } from "../../mfa/index.ts";

export function RenameDeviceDialog({ device, onClose }: { device: TrustedDevice; onClose: () => void }) {
  const client = useQueryClient();
  const [label, setLabel] = useState(device.label);
  const rename = useMutation({
    mutationFn: () => api.renameTrustedDevice(device.id, { label: label.trim() }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: trustedDevicesQuery.queryKey });
      onClose();
    },
    onError: noticeSignedOut,
  });
  const { label: fault } = faultsByField(rename.error);
  return (
    <Dialog title="Rename the device" onClose={onClose}>
      <ActForm error={rename.error} className={controls.rows} onSubmit={() => rename.mutate()}>
        <Field
          label="Name"
          required
          maxLength={200}
          autoFocus
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={fault === undefined ? (rename.isError ? causeOf(rename.error) : null) : `This ${fault}.`}
        />
        <DialogFoot leave="Cancel" onLeave={onClose}>
          <ActButton error={rename.error} isBusy={rename.isPending}>
            Rename
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}
