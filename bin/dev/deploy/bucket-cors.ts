import type { CORSRule } from '@aws-sdk/client-s3';

/** CORS rules of a bucket in the form of the S3 service. */
export type CorsRules = readonly CORSRule[];

interface TemplateRule {
  readonly Id?: string;
  readonly AllowedOrigins?: string[];
  readonly AllowedMethods?: string[];
  readonly AllowedHeaders?: string[];
  readonly ExposedHeaders?: string[];
  readonly MaxAge?: number;
}

/** Translates the CORS rules of a template into the service's own form. */
export function bucketCors(configuration: unknown): CorsRules {
  const { CorsRules = [] } = (configuration ?? {}) as { CorsRules?: readonly TemplateRule[] };
  return CorsRules.map((rule) => ({
    ID: rule.Id,
    AllowedOrigins: rule.AllowedOrigins,
    AllowedMethods: rule.AllowedMethods,
    AllowedHeaders: rule.AllowedHeaders,
    ExposeHeaders: rule.ExposedHeaders,
    MaxAgeSeconds: rule.MaxAge,
  }));
}
