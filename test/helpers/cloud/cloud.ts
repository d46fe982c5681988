import { inject } from 'vitest';
import { ensureDevIssuer, signDevToken, type TokenClaims } from '../../../bin/dev/dev-issuer.ts';
import {
  type LocalClientConfig,
  localClientConfig,
} from '../../../bin/dev/local-cloud/aws-client.ts';
import type { PlatformOutputs } from '../../../bin/dev/outputs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The platform that the journeys run against; see cloud-setup.ts. */
    platform: PlatformOutputs;
    /** Restarts the local cloud; see cloud-control.ts. */
    cloudControl: string;
    /** Addresses of a directory of people (SCIM) and of an OpenID provider, which the platform may call. */
    identityPeers: { readonly directory: string; readonly openid: string };
  }
}

/** The platform under test: deployed once per run on a local cloud of its own that enforces IAM. */
export const cloud = {
  /** Address of the HTTP API, without a slash at the end. */
  get baseUrl(): string {
    return inject('platform').baseUrl;
  },
  /** Address of the local cloud. */
  get endpoint(): string {
    return inject('platform').endpoint;
  },
  /** Names and ids of what is deployed. */
  get outputs(): PlatformOutputs {
    return inject('platform');
  },
  /** Stops the local cloud and starts it again with what it has saved. */
  async restart(): Promise<void> {
    const answer = await fetch(inject('cloudControl'), { method: 'POST' });
    if (!answer.ok) throw new Error(`The local cloud was not restarted: ${await answer.text()}`);
  },
  /** Signs an access token that the platform accepts. */
  async token(claims: TokenClaims): Promise<string> {
    return await signDevToken(await ensureDevIssuer(), claims);
  },
  /** Settings for an AWS client that looks behind the API. */
  awsClientConfig(): LocalClientConfig {
    return localClientConfig(inject('platform').endpoint);
  },
};
