import { randomBytes, randomUUID } from 'node:crypto';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ApiClient } from './api-client.ts';
import { cloud } from './cloud.ts';

/** Makes a key in Secrets Manager the one that encrypts; what former keys encrypted stays readable. */
export async function saveAesKey(api: ApiClient): Promise<void> {
  const SecretId = `svc-cloud/test-${randomUUID()}`;
  const secrets = new SecretsManagerClient(cloud.awsClientConfig());
  const SecretString = JSON.stringify({ aes: `hex:${randomBytes(32).toString('hex')}` });
  await secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString }));
  const key = { name: 'security.aes_secret', value: `secretsmanager:${SecretId}#aes` };
  const { status, text } = await api.post('/api/v1/setting/save', { body: key });
  if (status >= 300) throw new Error(`The key was not saved: ${text}`);
}
