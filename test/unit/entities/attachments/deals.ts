import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer, ApiRequest } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, type EntitiesApi, RECORDS } from '../entities-api.ts';

export const DEALS = `${RECORDS}/deal`;
export const file = (more: object = {}) => ({
  ...{ type: 'string', format: 'file' },
  'x-file': { types: ['application/pdf', 'image/*'], maxBytes: 1_000 },
  ...more,
});
export const deal = {
  ...{ code: 'deal', name: 'Deal', apiPath: 'deals', requirePermission: true },
  options: { trashRetentionDays: 30 },
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      contract: file(),
      photo: file(),
      free: { type: 'string', format: 'file' },
    },
  },
};
export type Decide = (action: string) => boolean | PermissionDecision;

export const factsOf = (text: string) => ({
  sizeBytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

export interface World extends EntitiesApi {
  readonly files: Map<string, Uint8Array>;
  announce(text: string, more?: object, by?: Partial<ApiRequest>): Promise<ApiAnswer>;
  /** Announces and uploads. @returns its id */
  uploaded(text: string, more?: object): Promise<string>;
  send(announced: ApiAnswer, text: string): Promise<ApiAnswer>;
  stored(): readonly string[];
}

export async function deals(
  decide: Decide = () => true,
  definition: object = deal,
): Promise<World> {
  const storage = memoryStorage();
  const hasPermission = (_who: unknown, target: string, action: string) =>
    target === 'deals' ? decide(action) : true;
  const api = anEntitiesApi({ host: { permissionEvaluator: { hasPermission }, storage } });
  const defined = await api.define(definition as Readonly<Record<string, unknown>>);
  expect(defined.status, defined.text).toBe(201);
  const announce: World['announce'] = (text, more = {}, by = {}) =>
    api.post(
      `${DEALS}/files/uploads`,
      {
        field: 'contract',
        fileName: 'hợp đồng.pdf',
        contentType: 'application/pdf',
        ...factsOf(text),
        ...more,
      },
      by,
    );
  const send: World['send'] = (announced, text) => {
    const { method, url, headers } = announced.body.upload as {
      method: string;
      url: string;
      headers: Readonly<Record<string, string>>;
    };
    const path = url.replace('http://api.example.com', '');
    return api.call({ method, path, headers, caller: null, body: Buffer.from(text) });
  };
  return {
    ...api,
    files: storage.files,
    announce,
    send,
    async uploaded(text, more) {
      const announced = await announce(text, more);
      expect(announced.status, announced.text).toBe(201);
      const sent = await send(announced, text);
      expect(sent.status, sent.text).toBeLessThan(300);
      return String(announced.body.id);
    },
    stored: () => [...storage.files.values()].map((body) => Buffer.from(body).toString()),
  };
}

export const sweep = async (api: EntitiesApi, ms = 400_000): Promise<void> => {
  api.context.clock.advance(ms);
  await api.runTask(SWEEP_TASK);
  await api.runJobs();
};
