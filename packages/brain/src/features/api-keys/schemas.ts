import { type Static, Type } from "typebox";
import { Described, IdOf, Instant, Line, Nullable, Uuid } from "../../platform/http/schemas.ts";

export const maxCidrs = 32;
const Cidrs = Nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: maxCidrs,
    description: "IPv4 and IPv6 CIDRs, a bare address is one host; null or none: every address",
  }),
);

export const MintBody = Type.Object(
  {
    name: Described(Line(200), "label, for the owner to recognize the key"),
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
  id: Described(Uuid, "id of the key"),
  name: Type.String({ description: "label, for the owner to recognize the key" }),
  prefix: Type.String({ description: "first characters of the token" }),
  scopes: Type.Array(Type.String(), { description: "what it may be used for; see GET /api-keys/scopes" }),
  project_id: Nullable(Uuid, "the only project that it works in; null: all of its owner"),
  project_slug: Nullable(Type.String(), "slug of that project; null without one"),
  last_used_at: Nullable(Instant, "its last request, noted once a minute at most; null when never used"),
  last_used_ip: Nullable(Type.String(), "client address of that request; null when never used"),
  expires_at: Nullable(Instant, "when it stops working; null: never"),
  revoked_at: Nullable(Instant, "when it was revoked; null while it works"),
  revoked_reason: Nullable(Type.String(), "why it was revoked; null while it works"),
  created_at: Described(Instant, "when it was created"),
  allowed_cidrs: Nullable(Type.Array(Type.String()), "addresses that it works from, as CIDRs; null: every address"),
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
    scopes: Type.Array(Type.String(), { description: "all scopes" }),
    admin_only: Type.Array(Type.String({ description: "only a global admin mints keys with these" })),
  },
  { title: "ScopeCatalogue", description: "The scopes that API keys can have." },
);

export const RevokedKeys = Type.Object(
  { revoked: Type.Integer({ description: "how many sessions or keys this request ended" }) },
  { title: "RevokedCount", description: "How many were ended." },
);
export const KeyParams = Type.Object({ key_id: IdOf("API key") });
