import { SignJWT } from 'jose';
import type { EditorConfigResponse } from '../../../../functions/editor/index.ts';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import { downloadServer } from '../../../helpers/editor/download-server.ts';
import { anEditorApi, type EditorOptions, LETTER, pathOf, SECRET } from '../editor-api.ts';

const letters = new Map<string, Buffer>();

/** A Word file with one paragraph; the same bytes for the same text: an archive holds the time of its making. */
export function letter(text: string): Buffer {
  const made = letters.get(text) ?? makeDocx({ body: `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>` });
  letters.set(text, made);
  return made;
}

type Claims = Readonly<Record<string, unknown>>;

/** How a callback is sent. */
export interface Sending {
  readonly secret?: string;
  readonly algorithm?: string;
  /** Where the token is; `none`: an unsigned body. */
  readonly as?: 'body' | 'header' | 'both' | 'none';
  /** What stands in the body beside the token. */
  readonly beside?: Claims;
  readonly config?: EditorConfigResponse;
}

/** A document that is opened, and an editing server that saves it. */
export async function anOpenDocument(options: EditorOptions = {}, opening: object = {}) {
  const server = await downloadServer(letter('edited'));
  const { docs } = options;
  const api = anEditorApi({ ...options, docs: { 'document-server-url': server.url, ...docs } });
  const opened = await api.opened(opening);
  const sign = (claims: Claims, { secret = SECRET, algorithm = 'HS256' }: Sending = {}) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setExpirationTime(Math.floor(api.context.machineClock.now() / 1_000) + 300)
      .sign(Buffer.from(secret));
  const send = async (claims: Claims, sending: Sending = {}) => {
    const { as = 'both', beside = claims, config = opened } = sending;
    const inBody = as === 'body' || as === 'both';
    const token = inBody ? { token: await sign(claims, sending) } : {};
    const header = as === 'header' || as === 'both' ? await sign({ payload: claims }, sending) : '';
    return api.call({
      method: 'POST',
      path: pathOf(config.editorConfig.callbackUrl ?? ''),
      caller: null,
      headers: header ? { authorization: `Bearer ${header}` } : {},
      body: { ...beside, ...token },
    });
  };
  let saves = 0;
  return {
    ...{ ...api, server, opened, sign, send },
    key: opened.document.key,
    reopen: () => api.opened(opening),
    openAs: (other: object) => api.opened(other),
    /** Reports a save; each is another download unless its path is given. */
    async save(status = 2, more: Claims = {}, sending: Sending = {}) {
      saves += 1;
      const { config = opened } = sending;
      const url = `${server.url}/cache/files/data/${saves}/output.docx?md5=x&expires=1`;
      const claims = { key: config.document.key, status, url, filetype: 'docx', users: ['lan'] };
      return send({ ...claims, ...more }, sending);
    },
    stored: (path = LETTER) => api.storage.files.get(path),
    writes: (path = LETTER) => api.storage.writes.get(path) ?? 0,
    events: () =>
      api.context.bus.events
        .filter(({ type }) => type?.startsWith('docs.'))
        .map(({ type, envelope }) => ({ type, ...(envelope.data as Claims) })),
    conflicts: () => [...api.storage.files.keys()].filter((path) => path.includes('.conflict-')),
  };
}
