import type { HttpRequest } from '../../../shared/http-client/contract.ts';
import type { OpenIdConfig } from '../domain/providers/provider.ts';
import type { ProviderFacts } from './provider-facts.ts';

/** The request that exchanges a code; the client proves itself as the provider wants it. */
export function tokenRequest(
  { clientId, clientSecret }: Pick<OpenIdConfig, 'clientId' | 'clientSecret'>,
  facts: Pick<ProviderFacts, 'token_endpoint_auth_methods_supported'>,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): HttpRequest {
  const methods = facts.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const isBasic = clientSecret !== undefined && methods.includes('client_secret_basic');
  const form = new URLSearchParams({
    ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
    code_verifier: verifier,
    ...(!isBasic && { client_id: clientId }),
    ...(!isBasic && clientSecret !== undefined && { client_secret: clientSecret }),
  });
  const encoded = [clientId, clientSecret ?? ''].map(encodeURIComponent).join(':');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(isBasic && { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` }),
  };
  return { method: 'POST', headers, body: form.toString() };
}
