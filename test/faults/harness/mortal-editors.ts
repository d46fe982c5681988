import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpectedFile } from '../../../shared/ports/documents.ts';
import type { VersionedStorage } from '../../helpers/editor/versioned-storage.ts';
import type { TestContext } from '../../helpers/world/a-context.ts';
import { anEditorApi, type EditorOptions } from '../../unit/editor/editor-api.ts';

/** What functions of one deployment share. */
export interface MortalWorld {
  readonly context: TestContext;
  readonly storage: VersionedStorage;
  readonly random: () => number;
  /** Whether the storage checks and writes in one step. */
  readonly putIf: boolean;
  /** Share of writes that fail, before or behind their effect. */
  share(): number;
}

const DEAD = 'the function has ended';

/** Functions of the editor that end at a step: whatever they do from then on fails, also what has taken effect. */
export function mortalEditor(world: MortalWorld, dieAt: number, options: EditorOptions) {
  const { context, storage, random, putIf, share } = world;
  let count = 0;
  const before = (): void => {
    count += 1;
    if (count > dieAt) throw new Error(DEAD);
  };
  const behind = (): void => {
    if (count >= dieAt) throw new Error(DEAD);
  };
  const fault = (): void => {
    if (random() < share()) throw new Error('The storage answers 500');
  };
  const wait = () => sleep(Math.floor(random() * 4));
  /** A step that takes its time, and may take effect without an answer. */
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    before();
    fault();
    await wait();
    const result = await work();
    await wait();
    fault();
    behind();
    return result;
  };
  const { put, head, open, get } = storage;
  const checked = async (path: string, body: Uint8Array, type: string, expected: ExpectedFile) => {
    // Nothing happens between the look and the write.
    const stored = storage.etagOf(path);
    if (stored !== (expected === 'absent' ? undefined : expected.etag)) return undefined;
    return put(path, body, type);
  };
  const own = {
    ...storage,
    get: (path: string) => {
      before();
      return get(path);
    },
    head: async (path: string) => {
      before();
      await wait();
      return head(path);
    },
    open: async (path: string, from: number) => {
      before();
      return open(path, from);
    },
    put: (...given: Parameters<typeof put>) => step(() => put(...given)),
    ...(putIf && {
      putIf: (...given: Parameters<typeof checked>) => step(() => checked(...given)),
    }),
  };
  const send = context.db.client.send.bind(context.db.client) as (
    command: unknown,
  ) => Promise<unknown>;
  const client = new Proxy(context.db.client, {
    get: (target, name, receiver) =>
      name === 'send'
        ? async (command: unknown) => {
            before();
            await wait();
            const answer = await send(command);
            behind();
            return answer;
          }
        : Reflect.get(target, name, receiver),
  });
  return anEditorApi({
    ...options,
    besides: { ...context, db: { ...context.db, client } },
    storage: own,
    pause: () => sleep(3),
  });
}
