import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { clientLimits } from '../primitives/request-limits.ts';
import type { SecretStage } from './module-context.ts';

/** One version of a secret. */
export interface SecretVersion {
  readonly text: string | undefined;
  readonly versionId: string | undefined;
  /** Epoch ms. */
  readonly createdAt: number | undefined;
}

/** Which version of which secret; without id or stage the current one. */
export interface SecretQuery {
  readonly id: string | undefined;
  readonly versionId?: string | undefined;
  readonly stage?: SecretStage;
}

/** Secrets by id; a separate file, so that the client is loaded on first use. */
export class SecretClient {
  readonly #client = new SecretsManagerClient(clientLimits);

  async read({ id, versionId, stage }: SecretQuery): Promise<SecretVersion> {
    const answer = await this.#client.send(
      new GetSecretValueCommand({ SecretId: id, VersionId: versionId, VersionStage: stage }),
    );
    return {
      ...{ text: answer.SecretString, versionId: answer.VersionId },
      createdAt: answer.CreatedDate?.getTime(),
    };
  }

  /** `undefined` when the secret has no such version. */
  async find(query: SecretQuery): Promise<SecretVersion | undefined> {
    try {
      return await this.read(query);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }
}
