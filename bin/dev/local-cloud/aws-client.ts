/** Region of everything local. */
export const localRegion = 'us-east-1';

/** Account number of the access key `test` in a local cloud. */
export const localAccount = '000000000000';

/**
 * Part of the names of what these commands prepare for a CDK stack. It differs from that of `cdk bootstrap`, whose own
 * stack could not be created in a cloud where a bucket of the same name exists.
 */
export const bootstrapQualifier = 'svcdev';

/** Settings of an AWS client for a local cloud only. */
export interface LocalClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Client settings for the local cloud at `endpoint`; a developer's real keys are never sent. */
export function localClientConfig(endpoint: string): LocalClientConfig {
  return {
    endpoint,
    region: localRegion,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
}
