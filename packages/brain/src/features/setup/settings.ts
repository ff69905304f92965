import { type Static, Type } from "typebox";

export const setupSettings = Type.Object({
  SVC_FIRST_BOOT_TOKEN_TTL_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description: "seconds until a setup link expires",
  }),
  SVC_FIRST_BOOT_ATTEMPTS_PER_IP: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 1000,
    description:
      "failed setup attempts per IPv4 address or IPv6 /64 in 15 minutes; eight times that from all addresses together",
  }),
  SVC_BOOTSTRAP_ADMIN_EMAIL: Type.Optional(
    Type.String({ description: "email of an administrator to create at the first start, instead of the setup page" }),
  ),
  SVC_BOOTSTRAP_ADMIN_PASSWORD: Type.Optional(
    Type.String({ secret: true, description: "password of that administrator, under the same rules as any other" }),
  ),
});
export type SetupValues = Static<typeof setupSettings>;
