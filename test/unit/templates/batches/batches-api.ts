import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import type { ApiAnswer, ApiRequest } from '../../../helpers/world/a-context.ts';
import { aGenerationsApi, textOf } from '../generations/generations-api.ts';

type Body = Readonly<Record<string, unknown>>;

export const REQUIRED = [{ name: 'ho_ten', sourceType: 'ENTITY', required: true }];

/** What a number of records says. */
export const records = (...names: (string | undefined)[]) =>
  names.map((name) => (name === undefined ? {} : { entityData: { ho_ten: name } }));

/** A template with a file, and what generates batches from it. */
export async function aBatchesApi(options: Parameters<typeof aGenerationsApi>[0] = {}) {
  const world = await aGenerationsApi({ text: '{{documentNumber}} {{ho_ten}}', ...options });
  const path = `${world.path}/batches`;
  return {
    ...world,
    startBatch: (body: Body, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
      world.api.post(path, { outputFormat: 'DOCX', ...body }, more),
    batch: (id: unknown, more: Partial<ApiRequest> = {}) => world.api.get(`${path}/${id}`, more),
    cancelBatch: (id: unknown) => world.api.put(`${path}/${id}/cancel`, undefined),
    results: async (id: unknown, query = '?size=200') =>
      (await world.api.get(`${path}/${id}/results${query}`)).body.content as Body[],
    /** Files of batches, with their parts. */
    batchFiles: () =>
      [...world.storage.files.keys()].filter((name) => name.startsWith('documents/batches/')),
    /** Names and texts of the documents in an archive. */
    archived: async (file: string): Promise<[string, string][]> => {
      const entries = await readZip(world.storage.files.get(file) ?? Buffer.alloc(0));
      return entries.map(([name, content]) => [name, textOf(content)]);
    },
  };
}

/** The entries of an archive, in their order. */
async function readZip(bytes: Uint8Array): Promise<[string, Buffer][]> {
  const zip = await fromBufferPromise(Buffer.from(bytes));
  const entries: [string, Buffer][] = [];
  for await (const entry of zip.eachEntry()) {
    entries.push([entry.fileName, await buffer(await zip.openReadStreamPromise(entry))]);
  }
  return entries;
}
