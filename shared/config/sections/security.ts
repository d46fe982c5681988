import * as z from 'zod';
import { defineSection, error, warning } from '../section.ts';
import { flag, httpUrl, jsonText, seconds, wholeNumber } from '../values.ts';

/** Signatures of tokens by keys that only their issuer has (RFC 7518, section 3.1; RFC 8037). */
export const SIGNATURE_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

const issuer = () =>
  z.strictObject({
    issuer: z.string().min(1),
    audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    jwksUri: httpUrl().optional(),
    algorithms: z
      .array(z.enum(SIGNATURE_ALGORITHMS))
      .min(1)
      .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
    jwks: z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }).optional(),
  });

const schema = () =>
  z.strictObject({
    issuers: z
      .preprocess(jsonText, z.array(issuer()))
      .default([])
      .describe(
        'Token issuers: [{issuer, audience, jwksUri?, algorithms?}]; none: no token is accepted.',
      ),
    'clock-tolerance': seconds(30, 0, 300, 'Allowed clock difference to an issuer (seconds).'),
    'roles-claim': z
      .string()
      .min(1)
      .default('roles')
      .describe('Claim with the roles; a dotted path is allowed.'),
    'groups-claim': z
      .string()
      .min(1)
      .default('groups')
      .describe('Claim with the groups of the user; a dotted path is allowed.'),
    'permissions-claim': z
      .string()
      .min(1)
      .default('permissions')
      .describe('Claim with permissions such as setting:view; words of scope count too.'),
    'tenant-claim': z.string().min(1).default('tenant').describe('Claim with the tenant.'),
    'username-claim': z
      .string()
      .min(1)
      .default('preferred_username')
      .describe('Claim with the user name.'),
    'required-typ': z
      .string()
      .min(1)
      .optional()
      .describe('Demanded typ header of a token, such as at+jwt.'),
    'kms-key': z
      .union([
        z.literal('create'),
        z
          .string()
          .regex(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/[\w-]+$/, 'must be create or the ARN of a key'),
      ])
      .optional()
      .describe(
        'Customer-managed key of table, bucket, queues, bus, alarm topic and logs: create for one of the stack, or the ARN of one whose policy lets these services in; none: the keys of the services.',
      ),
    waf: z
      .preprocess(
        (value) => (value === 'true' ? true : value === 'false' ? false : value),
        z.union([
          z.boolean(),
          z
            .string()
            .regex(
              /^arn:[^:]+:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/,
              'must be true, false or the ARN of a web ACL for CloudFront (us-east-1)',
            ),
        ]),
      )
      .default(false)
      .describe(
        'Puts CloudFront with a web ACL before the API: true for a web ACL of the stack, which must be in us-east-1, or the ARN of one. Functions then refuse requests that go past it.',
      ),
    'waf-rate-limit': wholeNumber(
      2_000,
      10,
      2_000_000_000,
      'Requests of one address in 5 minutes that the web ACL of the stack lets pass.',
    ),
    'gateway-authorizer': flag(
      false,
      'Lets the gateway refuse requests without a valid token before a function starts, below paths that are never public; one issuer with RSA keys and discovery. Its 401 has no problem document.',
    ),
    'test-clock': flag(
      false,
      'Lets tests advance the time of their tenant by POST /api/v1/clock; refused outside the stage local.',
    ),
    dev: flag(false, 'Allows issuers with inline keys; refused outside the stage local.'),
  });

/** `svc.security`: accepted token issuers and the claims that describe a caller. */
export const securitySection = defineSection({
  name: 'security',
  schema,
  rules: [
    (security, { stage }) =>
      stage !== 'local' &&
      security.issuers.length === 0 &&
      warning(
        'SECURITY_NO_ISSUER',
        'svc.security.issuers',
        'is empty: unless the host brings its own authenticate, every token is refused with 401',
      ),
    (security, { stage }) =>
      security.dev &&
      stage !== 'local' &&
      error(
        'SECURITY_DEV_NOT_LOCAL',
        'svc.security.dev',
        `is allowed for the stage local only; the stage is ${stage}`,
      ),
    (security, { stage }) =>
      security.testClock &&
      stage !== 'local' &&
      error(
        'SECURITY_TEST_CLOCK_NOT_LOCAL',
        'svc.security.test-clock',
        `is allowed for the stage local only; the stage is ${stage}`,
      ),
    (security, { stage }) =>
      security.gatewayAuthorizer &&
      stage !== 'local' &&
      !isKnownToGateways(security.issuers) &&
      error(
        'SECURITY_GATEWAY_AUTHORIZER',
        'svc.security.gateway-authorizer',
        'needs exactly one issuer, found by discovery (no jwksUri, no jwks), with algorithms of RS256, RS384 and RS512 only',
      ),
    (security) =>
      !security.dev &&
      security.issuers.some(({ jwks }) => jwks) &&
      error(
        'SECURITY_INLINE_KEYS',
        'svc.security.issuers',
        'inline jwks need svc.security.dev=true; name a jwksUri',
      ),
    (security, { stage }) =>
      stage !== 'local' &&
      security.issuers.some(
        ({ issuer, jwksUri }) => !`${jwksUri ?? issuer}`.startsWith('https://'),
      ) &&
      error(
        'SECURITY_ISSUER_NOT_HTTPS',
        'svc.security.issuers',
        'keys are fetched over https only',
      ),
    (security) =>
      new Set(security.issuers.map(({ issuer }) => issuer)).size < security.issuers.length &&
      error('SECURITY_ISSUER_TWICE', 'svc.security.issuers', 'an issuer is listed twice'),
  ],
});

type Issuer = z.output<ReturnType<typeof issuer>>;

/** Whether the JWT authorizer of an HTTP API accepts the same tokens as the functions. */
function isKnownToGateways(issuers: readonly Issuer[]): boolean {
  const [only, ...others] = issuers;
  return (
    only !== undefined &&
    others.length === 0 &&
    only.jwksUri === undefined &&
    only.jwks === undefined &&
    only.algorithms.every((algorithm) => algorithm.startsWith('RS'))
  );
}
