import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SecretReader } from './module-context.ts';

/** Reads secrets by `<id>` or `<id>#<jsonKey>`; the client is loaded with the first one. */
export function createSecretReader(): SecretReader {
  let client: SecretsManagerClient | undefined;
  return async (reference) => {
    const { GetSecretValueCommand, SecretsManagerClient } = await import(
      '@aws-sdk/client-secrets-manager'
    );
    client ??= new SecretsManagerClient({});
    const [id, jsonKey] = reference.split('#');
    const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: id }));
    if (text === undefined) throw new Error('The secret holds no text');
    if (jsonKey === undefined) return text;
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[jsonKey];
    if (typeof value !== 'string') throw new Error(`The secret has no text under ${jsonKey}`);
    return value;
  };
}
