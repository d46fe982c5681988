import { requestContext } from './request-context.ts';

/** The configuration that absolute links depend on. */
export interface PublicUrlConfig {
  readonly publicUrl: string;
}

/**
 * Base of absolute links of the API, without a slash at the end: `svc.web.public-url`, else the name of the
 * gateway that took the request. What a caller writes into `Host` or `X-Forwarded-Host` never counts: a link with a
 * token would point to a host of the caller's choice.
 * @returns empty text outside of a request, when the property is empty: links are relative then.
 */
export function publicUrl({ publicUrl: configured }: PublicUrlConfig): string {
  return configured || (requestContext().gatewayUrl ?? '');
}
