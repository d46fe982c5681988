import type { Documents } from './documents.ts';
import { verify } from './jwt.ts';
import type { OpenDocument } from './open-document.ts';
import type { ServedFiles } from './served-files.ts';

const OK = 0;
const NO_SUCH_KEY = 1;
const NOT_CHANGED = 4;
const UNKNOWN_COMMAND = 5;
const BAD_TOKEN = 6;
const VERSION = '9.0.4';

type Answer = Readonly<Record<string, unknown>> & { readonly error: number };

interface Command {
  readonly c?: unknown;
  readonly key?: unknown;
  readonly users?: unknown;
  readonly userdata?: unknown;
}

/** Answers a command. It comes in a token, of the body or of the header. */
export async function answerCommand(
  sent: {
    readonly body: unknown;
    readonly authorization: string | undefined;
    readonly base: string;
  },
  server: { readonly documents: Documents; readonly files: ServedFiles; readonly secret: string },
): Promise<Answer> {
  let command: Command;
  try {
    command = commandOf(sent, server.secret);
  } catch {
    return { error: BAD_TOKEN };
  }
  const { c, key } = command;
  if (c === 'version') return { error: OK, version: VERSION };
  if (c === 'getForgottenList') return { error: OK, keys: [...server.documents.forgotten.keys()] };
  if (typeof key !== 'string') return { error: NO_SUCH_KEY };
  if (c === 'getForgotten' || c === 'deleteForgotten')
    return ofForgotten(c, key, sent.base, server);
  return await ofOpenDocument(command, key, server.documents);
}

function ofForgotten(
  c: 'getForgotten' | 'deleteForgotten',
  key: string,
  base: string,
  { documents, files }: { readonly documents: Documents; readonly files: ServedFiles },
): Answer {
  const bytes = documents.forgotten.get(key);
  if (!bytes) return { error: NO_SUCH_KEY, key };
  if (c === 'deleteForgotten') {
    documents.forgotten.delete(key);
    return { error: OK, key };
  }
  const path = files.keep(`forgotten_${key}`, 'output.docx', bytes);
  return { error: OK, key, url: files.addressOf(path, base) };
}

async function ofOpenDocument(
  command: Command,
  key: string,
  documents: Documents,
): Promise<Answer> {
  const { c, users, userdata } = command;
  const more = typeof userdata === 'string' ? userdata : undefined;
  const document = documents.find(key);
  if (c !== 'info' && c !== 'forcesave' && c !== 'drop') return { error: UNKNOWN_COMMAND };
  if (!document || document.editors.size === 0) return { error: NO_SUCH_KEY, key };
  if (c === 'info') {
    await documents.inform(document, more);
    return { error: OK, key };
  }
  if (c === 'forcesave') {
    if (!document.hasChanges || document.forcedRevision === document.revision) {
      return { error: NOT_CHANGED, key };
    }
    void documents.forceSave(document, { type: 0, ...(more !== undefined && { userdata: more }) });
    return { error: OK, key };
  }
  drop(document, users, documents);
  return { error: OK, key };
}

function drop(document: OpenDocument, users: unknown, documents: Documents): void {
  const dropped = Array.isArray(users) ? new Set(users.map(String)) : undefined;
  for (const { session, userId } of [...document.editors.values()]) {
    if (!dropped || dropped.has(userId)) documents.leave(document, session);
  }
}

function commandOf(
  { body, authorization }: { readonly body: unknown; readonly authorization: string | undefined },
  secret: string,
): Command {
  const { token } = (body ?? {}) as { readonly token?: unknown };
  if (typeof token === 'string') return verify(token, secret);
  const { payload } = verify(authorization?.replace(/^Bearer /, '') ?? '', secret);
  return (payload ?? {}) as Command;
}
