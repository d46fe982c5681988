import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clientLimits } from '../primitives/request-limits.ts';

/** Secrets by id; a file of its own, so that it is loaded with the first secret only. */
export class SecretClient {
  readonly #client = new SecretsManagerClient(clientLimits);

  async read(id: string | undefined): Promise<string | undefined> {
    return (await this.#client.send(new GetSecretValueCommand({ SecretId: id }))).SecretString;
  }
}
