import { decodeJwt } from 'jose';
import { createEditorModule, type EditorConfigResponse } from '../../../functions/editor/index.ts';
import {
  claimsEditorAuthorization,
  claimsPermissionEvaluator,
} from '../../../shared/host/claims-policies.ts';
import type { Host } from '../../../shared/host/host.ts';
import { type DocumentStorage, documentStorage } from '../../helpers/editor/document-storage.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  aContext,
  type ContextOptions,
  connect,
} from '../../helpers/world/a-context.ts';

export const SECRET = 'a-secret-of-the-tests-that-nobody-knows';
const SERVER = 'https://docs.example.com';
export const LETTER = 'documents/letter.docx';

export interface EditorOptions extends ContextOptions {
  /** Raw `svc.docs` besides what is required. */
  readonly docs?: Readonly<Record<string, unknown>>;
  /** Fields of the host besides storage and policies. */
  readonly also?: Partial<Host>;
  readonly storage?: DocumentStorage;
  /** How a call waits for another one; default: the clock goes on by itself. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Which ports of other modules are on; default: all. */
  readonly ports?: Readonly<Record<string, boolean>>;
  /** How much of a download is in memory. */
  readonly memory?: { readonly mostInMemory: number; readonly partBytes: number };
}

/** The document editor behind its pipeline, over a table and files in memory. */
export function anEditorApi({
  docs,
  also,
  svc,
  storage = documentStorage(),
  pause,
  ports,
  memory,
  ...options
}: EditorOptions = {}) {
  storage.files.set(LETTER, storage.files.get(LETTER) ?? Buffer.from('letter'));
  const usual = aContext({
    module: 'editor',
    host: {
      permissionEvaluator: claimsPermissionEvaluator,
      docsEditorAuthorizationServices: [claimsEditorAuthorization],
      storage,
      ...also,
    },
    svc: {
      docs: { enabled: true, 'document-server-url': SERVER, secret: SECRET, ...docs },
      mq: { transport: 'broker', 'app-code': 'shop' },
      ...svc,
    },
    ...options,
  });
  const environment = { ...usual.environment, ...(ports && { ports }) };
  const context = { ...usual, environment, ...(pause && { pause }), ...(memory && { memory }) };
  const module = connect(createEditorModule, context);
  const get = (path: string, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
    module.call({ method: 'GET', path, ...more });
  const open = (query: object = {}, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> => {
    const asked = { fileId: LETTER, fileName: 'Letter.docx', documentId: 'doc-1', ...query };
    const given = Object.entries(asked).filter(([, value]) => value !== undefined);
    return get(`/api/v1/docs/editor?${new URLSearchParams(given)}`, more);
  };
  return {
    ...{ ...module, context, storage, get, open },
    /** The configuration of a document that can be opened. */
    async opened(query: object = {}, more: Partial<ApiRequest> = {}) {
      const answer = await open(query, more);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body as unknown as EditorConfigResponse;
    },
  };
}

/** The path and query of an address. */
export const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** The claims of the token in an address. */
export const claimsOf = (address = '') =>
  decodeJwt([...new URL(address).searchParams.values()][0] ?? '');
