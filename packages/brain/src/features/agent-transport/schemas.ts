import { type Static, Type } from "typebox";

const maxFrameCharacters = 1_048_576;

export const UploadBody = Type.Object(
  {
    frames: Type.Array(Type.String({ maxLength: maxFrameCharacters, description: "one signed, serialized frame" }), {
      minItems: 1,
      maxItems: 500,
    }),
  },
  { title: "FrameUpload", description: "Signed frames of an agent." },
);

export const UploadReply = Type.Object(
  {
    accepted: Type.Integer({
      description: "frames that were stored, dropped permanently, unparseable, or unsigned handshakes",
    }),
    rejected: Type.Integer({ description: "frames to send again" }),
    errors: Type.Array(Type.String(), { maxItems: 10, description: "why frames were rejected or dropped, at most 10" }),
    error_code: Type.Union([Type.Null(), Type.Literal("scheduler_upgrade_required")], {
      description: "scheduler_upgrade_required: a scheduler adapter is too old; null otherwise",
    }),
  },
  { title: "FrameReceipt", description: "How many frames were stored and how many to send again." },
);

/** The four headers of every upload answer. */
export type UploadAnswer = Static<typeof UploadReply>;

export const PollQuery = Type.Object({
  wait: Type.Integer({ minimum: 0, maximum: 60, default: 30, description: "seconds to wait for a command" }),
  max_frames: Type.Integer({
    minimum: 0,
    maximum: 500,
    default: 50,
    description: "0 with wait=0 is the connect probe",
  }),
});

export const PollReply = Type.Object(
  { frames: Type.Array(Type.String({ description: "one signed command frame" })) },
  { title: "CommandFrames", description: "Commands for the agent; empty when there are none." },
);
