import type { MemoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import type { ApiAnswer, ApiRequest, ContextOptions } from '../../../helpers/world/a-context.ts';
import { aTemplatesApi, TEMPLATES } from '../templates-api.ts';

type Body = Readonly<Record<string, unknown>>;

/** A Word file with one paragraph. */
export const letter = (text: string) =>
  makeDocx({ body: `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>` });

interface GenerationsOptions extends ContextOptions {
  readonly text?: string;
  readonly fields?: readonly Body[];
  readonly template?: object;
  /** How a call waits for another one; default: the clock goes on by itself. */
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly hasEditor?: boolean;
  readonly storage?: MemoryStorage;
  readonly linkSeconds?: number;
  readonly ports?: Readonly<Record<string, boolean>>;
}

/** A template with a file, and what generates from it. */
export async function aGenerationsApi({
  text = 'Dear {{ho_ten}}',
  fields = [],
  template,
  ...options
}: GenerationsOptions = {}) {
  const api = aTemplatesApi(options);
  const templateId = await api.aTemplate({ code: 'HDLD', ...template });
  const path = `${TEMPLATES}/${templateId}`;
  await api.upload(templateId, letter(text));
  if (fields.length > 0) await api.put(`${path}/merge-fields`, { fields });
  const outputs = () =>
    [...api.storage.files.keys()].filter((name) => name.startsWith('documents/generations/'));
  return {
    ...{ ...api, api, templateId, path, outputs },
    generate: (body: object = {}, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
      api.post(`${path}/generate`, { outputFormat: 'DOCX', ...body }, more),
    get: (id: unknown) => api.get(`${path}/generations/${id}`),
    list: (query = '') => api.get(`${path}/generations${query}`),
    finalize: (id: unknown, more: Partial<ApiRequest> = {}) =>
      api.put(`${path}/generations/${id}/finalize`, undefined, more),
    cancel: (id: unknown, more: Partial<ApiRequest> = {}) =>
      api.put(`${path}/generations/${id}/cancel`, undefined, more),
    /** The text of the only output. */
    textOfOutput: (): string => textOf(api.storage.files.get(outputs()[0] ?? '')),
    events: () => api.context.bus.events.map(({ type, envelope }) => [type, envelope.data]),
  };
}

/** The text of the body of a Word file. */
export const textOf = (file: Uint8Array = Buffer.alloc(0)): string =>
  (readParagraphs(file).get('word/document.xml') ?? [])
    .map((stretches) => stretches.map(({ text }) => text).join(''))
    .join('\n');
