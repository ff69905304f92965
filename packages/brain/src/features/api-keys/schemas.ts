import { type Static, Type } from "typebox";
import { IdOf, Instant, Line, Nullable, Uuid } from "../../platform/http/schemas.ts";

export const maxCidrs = 32;
const Cidrs = Nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: maxCidrs,
    description: "IPv4 and IPv6 CIDRs, a bare address is one host; null or none: every address",
  }),
);

export const MintBody = Type.Object(
  {
    name: Line(200),
    scopes: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      minItems: 1,
      maxItems: 64,
      description: "names of GET /api-keys/scopes",
    }),
    project_id: Type.Optional(
      Nullable(
        Type.Unsafe<string>({
          ...Uuid,
          description: "the only project that the key works in; null or none: all of yours",
        }),
      ),
    ),
    expires_in_days: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 3650, description: "null or none: it does not expire" })),
    ),
    allowed_cidrs: Type.Optional(Cidrs),
  },
  { title: "ApiKeyMint" },
);
export type MintBody = Static<typeof MintBody>;

export const ChangeBody = Type.Object({ allowed_cidrs: Cidrs }, { title: "ApiKeyChanges" });

const keyFields = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: "first characters of the token" }),
  scopes: Type.Array(Type.String()),
  project_id: Nullable(Uuid),
  project_slug: Nullable(Type.String()),
  last_used_at: Nullable(Instant),
  last_used_ip: Nullable(Type.String()),
  expires_at: Nullable(Instant),
  revoked_at: Nullable(Instant),
  revoked_reason: Nullable(Type.String()),
  created_at: Instant,
  allowed_cidrs: Nullable(Type.Array(Type.String())),
};

export const ApiKey = Type.Object(keyFields, { title: "ApiKey", description: "An API key, without its token." });
export type ApiKey = Static<typeof ApiKey>;
export const ApiKeyList = Type.Array(ApiKey, { description: "API keys that work, newest first." });

export const MintedKey = Type.Object(
  {
    ...keyFields,
    token: Type.String({ description: "the bearer; shown only here" }),
  },
  { title: "MintedKey", description: "A new API key with its token." },
);
export type MintedKey = Static<typeof MintedKey>;

export const ScopeCatalogue = Type.Object(
  {
    scopes: Type.Array(Type.String()),
    admin_only: Type.Array(Type.String({ description: "only a global admin mints keys with these" })),
  },
  { title: "ScopeCatalogue", description: "The scopes that API keys can have." },
);

export const RevokedKeys = Type.Object(
  { revoked: Type.Integer() },
  { title: "RevokedCount", description: "How many were ended." },
);
export const KeyParams = Type.Object({ key_id: IdOf("API key") });
