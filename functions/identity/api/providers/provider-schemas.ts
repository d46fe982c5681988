import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { MAPPED_FIELDS, RESERVED_CODES } from '../../domain/providers/provider.ts';
import { MATCHINGS } from '../../domain/sources/source.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const word = lazy(() => z.string().min(1).max(255));
const claim = lazy(() => z.string().min(1).max(100));
const code = lazy(() =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{1,62}$/,
      'must begin with a letter or digit and have 2 to 63 of a-z, 0-9, _ and -',
    )
    .refine((text) => !RESERVED_CODES.some((each) => each === text), 'is a word of its own'),
);
const isSet = lazy(() => z.boolean().optional().meta({ readOnly: true }));

const configFacts = lazy(() => ({
  issuer: z
    .string()
    .max(1_000)
    .refine(isIssuer, 'must be an http(s) address without user, query and fragment'),
  clientId: word(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'must be a scope'))
    .max(20)
    .default(['openid', 'profile', 'email']),
  mapping: z
    .strictObject(
      Object.fromEntries(MAPPED_FIELDS.map((field) => [field, claim().optional()])) as {
        [K in (typeof MAPPED_FIELDS)[number]]: z.ZodOptional<z.ZodString>;
      },
    )
    .default({})
    .describe('Claims of the fields of an account; the standard ones when left out.'),
  externalIdClaim: claim()
    .default('sub')
    .describe('Claim with the id or user name of the person at the source.'),
}));

const config = lazy(() =>
  z.strictObject({
    ...configFacts(),
    clientSecret: z.string().min(1).max(1_024).nullish(),
    clientSecretSet: isSet(),
  }),
);

const facts = lazy(() => ({
  name: z.string().trim().min(1).max(64),
  identitySourceId: z.uuid().nullish().describe('Source whose people log in through it.'),
  autoCreate: z.boolean().default(false).describe('Whether logins make accounts.'),
  matching: z.enum(MATCHINGS).default('identifier'),
  allowedDomains: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i, 'must be a domain')
        .max(253),
    )
    .max(100)
    .default([]),
  displayed: z.boolean().default(true),
  remark: z.string().max(255).nullish(),
}));

export const createBody = lazy(() =>
  z.strictObject({
    ...facts(),
    code: code().optional(),
    type: z.literal('OIDC').default('OIDC'),
    config: config(),
  }),
);
export const updateBody = lazy(() =>
  z.strictObject({
    ...facts(),
    id: z.uuid(),
    config: config(),
    version: z.int().min(1).optional().describe('The version that was read.'),
  }),
);
export const validateBody = lazy(() =>
  z.strictObject({
    id: z.uuid().optional().describe('A provider whose stored secret is used.'),
    type: z.literal('OIDC').default('OIDC'),
    config: config(),
  }),
);
export const params = lazy(() => z.strictObject({ id: z.uuid() }));

export const created = lazy(() =>
  z
    .object({
      id: z.uuid(),
      code: code(),
      redirectUri: z.string().describe('The address to register at the provider.'),
    })
    .meta({ id: 'CreatedIdentityProvider' }),
);

const row = lazy(() => ({
  id: z.uuid(),
  code: z.string(),
  name: z.string(),
  type: z.literal('OIDC'),
  enabled: z.boolean(),
  displayed: z.boolean(),
  remark: z.string().nullable(),
  identitySourceId: z.string().nullable(),
  autoCreate: z.boolean(),
  matching: z.enum(MATCHINGS),
  allowedDomains: z.array(z.string()),
  version: z.int().min(1),
  createTime: instant(),
  updateTime: instant(),
}));

export const list = lazy(() =>
  z.object({ content: z.array(z.object(row())) }).meta({ id: 'IdentityProviderList' }),
);
export const provider = lazy(() =>
  z
    .object({
      ...row(),
      redirectUri: z.string(),
      config: z.object({ ...configFacts(), clientSecretSet: z.boolean() }),
    })
    .meta({ id: 'IdentityProvider' }),
);
export const validation = lazy(() =>
  z
    .object({
      valid: z.boolean().describe('Whether no check has failed.'),
      checks: z.array(
        z.object({
          name: z
            .string()
            .describe(
              'url, dns, connect, tls, discovery, issuer, authorization, pkce, scopes, keys, client.',
            ),
          status: z.enum(['PASS', 'FAIL', 'SKIP']),
          latencyMs: z.number(),
          message: z.string(),
        }),
      ),
    })
    .meta({ id: 'IdentityProviderValidation' }),
);

function isIssuer(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '';
}
