import { once } from '../primitives/once.ts';
import type { SecretReader } from './module-context.ts';

/** Reads secrets by `<id>` or `<id>#<jsonKey>`; the client is loaded on first use. */
export function createSecretReader(): SecretReader {
  const client = once(async () => new (await import('./secret-client.ts')).SecretClient());
  const read = async (reference: string, versionId?: string): Promise<string> => {
    const [id, jsonKey] = reference.split('#');
    const { text } = await (await client()).read({ id, versionId });
    if (text === undefined) throw new Error('The secret holds no text');
    if (jsonKey === undefined) return text;
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[jsonKey];
    if (typeof value !== 'string') throw new Error(`The secret has no text under ${jsonKey}`);
    return value;
  };
  return Object.assign(read, {
    versionOf: async (reference, stage) => {
      const [id] = reference.split('#');
      return (await (await client()).find({ id, stage }))?.versionId;
    },
    madeAt: async (reference) => {
      const [id] = reference.split('#');
      return (await (await client()).find({ id }))?.createdAt;
    },
  } satisfies Pick<SecretReader, 'versionOf' | 'madeAt'>);
}
