import type { JWTPayload } from 'jose';
import type { SecretHistoryRepository } from '../../../functions/editor/store/secret-history-repository.ts';
import { DocsSecrets } from '../../../functions/editor/tokens/docs-secrets.ts';
import { EditorTokens } from '../../../functions/editor/tokens/editor-tokens.ts';
import { downloadServer } from '../../helpers/editor/download-server.ts';
import { anEditorApi } from '../../unit/editor/editor-api.ts';
import { recordConnections } from './connections.ts';
import { findings, type Seen } from './findings.ts';
import { expectationOf, type Vector, type VectorFile } from './vectors.ts';

type Claims = Readonly<Record<string, unknown>>;

const DUMMY = 'dummy bytes';
const OTHER_KEY = 'another-key-than-that-of-the-claims';
const LIFE_S = 3_600;

/**
 * Sends a recorded request through the real handlers, at the time of its recording.
 * @returns what is wrong; `undefined` when all is as expected
 */
export async function replay(vector: Vector, file: VectorFile): Promise<string | undefined> {
  const expected = expectationOf(vector);
  if (typeof expected === 'string') return expected;
  const seen = await send(vector, file, expected.contextMismatch ?? false);
  if (typeof seen === 'string') return seen;
  return findings(expected, seen, vector)[0];
}

async function send(
  { now, request }: Vector,
  file: VectorFile,
  isMismatch: boolean,
): Promise<Seen | string> {
  const server = await downloadServer(DUMMY);
  const connections = recordConnections(Number(new URL(server.url).port));
  try {
    const api = anEditorApi({ docs: docsOf(file, server.url) });
    api.context.machineClock.advance(now * 1_000 - api.context.machineClock.now());
    const tokens = tokensOf(api.context);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const sent = bearer(headers[file.headerName.toLowerCase()], file);
    const key = isMismatch ? OTHER_KEY : claimedKey(request.body, sent);
    const path = await pathOf(request, { tokens, storage: api.storage, key });
    if (path === undefined) return `nobody knows the path ${request.path}`;
    const header = await tokens.ofServer(sent);
    const answer = await api.call({
      ...{ method: request.method, path, caller: null, headers },
      ...(request.body !== null && { body: request.body }),
    });
    return {
      ...{ status: answer.status, body: answer.body, headerPayload: header?.payload },
      claims: await claimsOf(request, tokens, header),
      connections: connections.tried,
      stored: [...api.storage.writes.keys()],
    };
  } finally {
    connections.stop();
    await server.close();
  }
}

const docsOf = ({ secret, documentServerUrl, headerName }: VectorFile, downloads: string) => ({
  ...{ secret, 'document-server-url': documentServerUrl, 'token-header': headerName },
  // Every download of the document server comes here, by the path that it was asked for.
  'document-server-internal-url': downloads,
});

function tokensOf(context: ReturnType<typeof anEditorApi>['context']): EditorTokens {
  const { machineClock: clock, ids, readSecret, config } = context;
  const history: SecretHistoryRepository['update'] = async (change) => change(undefined);
  const docs = config.docs;
  const secrets = new DocsSecrets({ docs, readSecret, history: { update: history }, clock });
  return new EditorTokens({ secrets, clock, ids });
}

const bearer = (value: string | undefined, { headerPrefix }: VectorFile): string =>
  value?.startsWith(headerPrefix) ? value.slice(headerPrefix.length) : '';

interface Sending {
  readonly tokens: EditorTokens;
  readonly storage: ReturnType<typeof anEditorApi>['storage'];
  /** What a context is for. */
  readonly key: string;
}

/** The path of the handler, with a token of our own: what the recorded query says means nothing to us. */
async function pathOf(
  { path }: Vector['request'],
  { tokens, storage, key }: Sending,
): Promise<string | undefined> {
  const facts = { did: 'd', sub: 'user' };
  if (path.startsWith('/callback')) {
    const fid = 'documents/vector.docx';
    storage.files.set(fid, Buffer.from('before'));
    const claims = { ...facts, fid, fn: 'vector.docx', mode: 'edit' as const, key, rev: 1 };
    return `/api/v1/docs/callback?contextToken=${await tokens.issueContext(claims, LIFE_S)}`;
  }
  const name = /^\/file\/([^?]+)/.exec(path)?.[1];
  if (name === undefined) return undefined;
  const fid = `documents/${decodeURIComponent(name)}`;
  storage.files.set(fid, Buffer.from(DUMMY));
  const token = await tokens.issueFile({ ...facts, fid, key: 'key', dl: true }, LIFE_S);
  const encoded = fid.split('/').map(encodeURIComponent).join('/');
  return `/api/v1/docs/file/${encoded}?accessToken=${token}`;
}

/** The key in the claims of a request, signed or not: of the token in its body, else of that in its header. */
function claimedKey(body: string | null, header: string): string {
  const sent = objectOf(body);
  const ofBody = typeof sent.token === 'string' ? payloadOf(sent.token).key : undefined;
  const { payload } = payloadOf(header);
  const ofHeader = objectOf(JSON.stringify(payload ?? null)).key;
  return String(ofBody ?? ofHeader ?? sent.key ?? 'key');
}

const payloadOf = (token: string): Claims =>
  objectOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

function objectOf(text: string | null): Claims {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Claims) : {};
  } catch {
    return {};
  }
}

/** A token in the body counts; that of the header where it has none. */
async function claimsOf(
  { body }: Vector['request'],
  tokens: EditorTokens,
  header: JWTPayload | undefined,
): Promise<JWTPayload | undefined> {
  const { token } = objectOf(body);
  if (token !== undefined) return tokens.ofServer(String(token));
  const payload = header?.payload;
  return typeof payload === 'object' && payload !== null ? (payload as JWTPayload) : undefined;
}
