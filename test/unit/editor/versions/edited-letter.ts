import { onTestFinished } from 'vitest';
import type { DocumentStorage } from '../../../helpers/editor/document-storage.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import type { EditorOptions } from '../editor-api.ts';
import { anOpenDocument, letter } from '../saving/saves.ts';

interface LetterOptions extends EditorOptions {
  readonly storage?: DocumentStorage;
}

/** What a version has in the list of an editor. */
interface Listed {
  readonly version: number;
  readonly key: string;
}

/** A letter that is edited, and the calls for its versions. */
export async function anEditedLetter(options: LetterOptions = {}) {
  const storage = options.storage ?? versionedStorage();
  const world = await anOpenDocument({ ...options, storage });
  onTestFinished(() => world.server.close());
  const { answer: download } = world.server;
  let text = 'edited';
  /** What the editing server answers commands with. */
  let command: object = { error: 1 };
  world.server.answer = (request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/command')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(command));
    } else if (url.includes('changes.zip')) response.end('PK-changes');
    else if (text === '') download(request, response);
    else response.end(letter(text));
  };
  const base = (id: string) => `/api/v1/docs/documents/${id}/versions`;
  return {
    ...world,
    /** Saves another text under the key that the letter has now. */
    async edit(next: string, status = 2, more: Readonly<Record<string, unknown>> = {}) {
      text = next;
      const config = await world.reopen();
      return world.save(status, more, { config });
    },
    answerCommands(answer: object): void {
      command = answer;
    },
    list: (id = 'doc-1', more: object = {}) => world.get(base(id), more),
    open: (version: number, query = '', more: object = {}) =>
      world.get(`${base('doc-1')}/${version}${query}`, more),
    restore: (version: number, more: object = {}) =>
      world.call({ method: 'POST', path: `${base('doc-1')}/${version}:restore`, ...more }),
    async listed(): Promise<readonly Listed[]> {
      return (await world.get(base('doc-1'))).body.history as readonly Listed[];
    },
  };
}

const user = { id: 'lan', name: 'Lan Nguyễn' };

/** What the editing server tells of changes. */
export const history = {
  serverVersion: '9.0.4',
  changes: [{ created: '2026-03-01 09:44:10', user }],
};

/** A letter whose second version has changes of the editing server. */
export async function aLetterWithChanges(options: LetterOptions = {}) {
  const world = await anEditedLetter(options);
  const changesurl = `${world.server.url}/cache/files/data/1/changes.zip`;
  await world.edit('second', 2, { history, changesurl });
  return world;
}
