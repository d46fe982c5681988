import type { LifecycleRule } from '@aws-sdk/client-s3';

/** Lifecycle rules in the form of the S3 service. */
export type LifecycleRules = readonly LifecycleRule[];

interface TemplateRule {
  readonly Id?: string;
  readonly Status?: 'Enabled' | 'Disabled';
  readonly Prefix?: string;
  readonly ExpirationInDays?: number;
  readonly ExpiredObjectDeleteMarker?: boolean;
  readonly NoncurrentVersionExpiration?: {
    readonly NoncurrentDays?: number;
    readonly NewerNoncurrentVersions?: number;
  };
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation?: number };
}

/** Translates the lifecycle of a template into the service's own form; other kinds of rules are skipped. */
export function bucketLifecycle(configuration: unknown): LifecycleRules {
  const { Rules = [] } = (configuration ?? {}) as { Rules?: readonly TemplateRule[] };
  return Rules.map(serviceRule);
}

function serviceRule(rule: TemplateRule): LifecycleRule {
  const expiration = {
    ...(rule.ExpirationInDays !== undefined && { Days: rule.ExpirationInDays }),
    ...(rule.ExpiredObjectDeleteMarker !== undefined && {
      ExpiredObjectDeleteMarker: rule.ExpiredObjectDeleteMarker,
    }),
  };
  return {
    ID: rule.Id,
    Status: rule.Status ?? 'Enabled',
    Filter: { Prefix: rule.Prefix ?? '' },
    ...(Object.keys(expiration).length > 0 && { Expiration: expiration }),
    NoncurrentVersionExpiration: rule.NoncurrentVersionExpiration,
    AbortIncompleteMultipartUpload: rule.AbortIncompleteMultipartUpload,
  };
}
