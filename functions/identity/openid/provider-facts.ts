import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';

/** The document of a provider about itself. @see OpenID Connect Discovery 1.0, section 3 */
export const discovered = lazy(() =>
  z.object({
    issuer: z.string(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    jwks_uri: z.url(),
    userinfo_endpoint: z.url().optional(),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
    code_challenge_methods_supported: z.array(z.string()).optional(),
    scopes_supported: z.array(z.string()).optional(),
  }),
);
/** What a provider says of itself. */
export type ProviderFacts = z.output<ReturnType<typeof discovered>>;

/** Where that is read. */
export const discoveryAddress = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
