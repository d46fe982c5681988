import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clientLimits } from '../primitives/request-limits.ts';

/** Secrets by id; a separate file, so that the client is loaded on first use. */
export class SecretClient {
  readonly #client = new SecretsManagerClient(clientLimits);

  async read(id: string | undefined): Promise<string | undefined> {
    return (await this.#client.send(new GetSecretValueCommand({ SecretId: id }))).SecretString;
  }
}
