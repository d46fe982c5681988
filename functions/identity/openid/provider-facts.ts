import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';

const address = lazy(() => z.url().max(2_000));
/** The document of a provider about itself. @see OpenID Connect Discovery 1.0, section 3 */
export const discovered = lazy(() =>
  z.object({
    issuer: z.string(),
    authorization_endpoint: address(),
    token_endpoint: address(),
    jwks_uri: address(),
    userinfo_endpoint: address().optional(),
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
