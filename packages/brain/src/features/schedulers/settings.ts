import { Type } from "typebox";

export const schedulersSettings = Type.Object({
  SVC_SCHEDULER_INFO_URLS: Type.Array(Type.String({ format: "svc-url", maxLength: 2000 }), {
    default: [],
    maxItems: 32,
    description:
      "addresses of scheduler processes for the list of schedulers, such as http://scheduler-1:7800; /info is added to one without a path",
  }),
});
