import { Type } from "typebox";

export const projectSettings = Type.Object({
  SVC_ADMIN_PROJECT_LIST_CAP: Type.Integer({
    default: 500,
    minimum: 10,
    maximum: 100_000,
    description: "maximum projects in the project list and on the home page",
  }),
});
