import { renewed } from '../../../shared/ports/renewed.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import { keyIdOf } from '../../../shared/security/aes-gcm-text.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { CipherTextRepository, StoredText } from '../store/cipher-text-repository.ts';

/** Where a walk over the settings is; without members: at its beginning. */
export interface PassPosition {
  /** Names that are being walked over, the first one after `after`. */
  readonly names?: readonly string[];
  /** Key of the last version that was looked at. */
  readonly after?: string | undefined;
  /** Continues the list of names; absent with `names`: there are no more. */
  readonly cursor?: string | undefined;
  /** Whether the names of deleted settings follow, or are being listed. */
  readonly list?: 'live' | 'deleted';
}

/** Result of one part of a walk. */
export interface PassPart {
  /** `undefined`: the walk is done. */
  readonly next: PassPosition | undefined;
  readonly processed: number;
  readonly moved: number;
  readonly unreadable: number;
  /** Ids of the keys of texts that cannot be decrypted. */
  readonly kids: readonly string[];
}

export interface SettingsPassDependencies {
  readonly cipherTexts: CipherTextRepository;
  readonly encryptService: EncryptService;
  readonly unitOfWork: RunUnitOfWork;
}

/** Names that are read at once, and texts of one setting. */
const NAMES = 25;
const TEXTS = 50;

/** Walks over the cipher texts of all settings and their histories, deleted settings included. */
export class SettingsPass {
  readonly #deps: SettingsPassDependencies;

  constructor(dependencies: SettingsPassDependencies) {
    this.#deps = dependencies;
  }

  /** The next part: some names, or some texts of one setting. */
  async part(position: PassPosition): Promise<PassPart> {
    const { names = [] } = position;
    const [name, ...others] = names;
    if (name === undefined) return { ...NOTHING, next: await this.#nextNames(position) };
    const { texts, after } = await this.#deps.cipherTexts.texts(name, position.after, TEXTS);
    const counts = await this.#moveAll(texts);
    const next =
      after === undefined
        ? { ...position, names: others, after: undefined }
        : { ...position, after };
    return { ...counts, next };
  }

  async #nextNames({
    list = 'live',
    cursor,
    names,
  }: PassPosition): Promise<PassPosition | undefined> {
    const isListed = names !== undefined && cursor === undefined;
    if (isListed && list === 'deleted') return undefined;
    const wanted = isListed ? 'deleted' : list;
    const found = await this.#deps.cipherTexts.names(wanted, cursor, NAMES);
    return { list: wanted, names: found.names, cursor: found.cursor };
  }

  async #moveAll(texts: readonly StoredText[]): Promise<Omit<PassPart, 'next'>> {
    const kids = new Set<string>();
    let moved = 0;
    let unreadable = 0;
    for (const text of texts) {
      const outcome = await this.#move(text);
      if (outcome === 'moved') moved += 1;
      if (outcome === 'unreadable') {
        unreadable += 1;
        kids.add(keyIdOf(text.value) ?? '');
      }
    }
    return { processed: texts.length, moved, unreadable, kids: [...kids] };
  }

  /** A text that changes meanwhile is read and moved again. */
  async #move({ key, value }: StoredText): Promise<'moved' | 'kept' | 'unreadable'> {
    const { cipherTexts, encryptService, unitOfWork } = this.#deps;
    let isFirst = true;
    return unitOfWork(async (unit) => {
      const text = isFirst ? value : (await cipherTexts.text(key))?.value;
      isFirst = false;
      if (text === undefined) return 'kept';
      const newest = await renewed(text, encryptService);
      if (newest === undefined) return 'unreadable';
      if (newest === text) return 'kept';
      cipherTexts.stageText(unit, key, { from: text, to: newest });
      return 'moved';
    });
  }
}

const NOTHING = { processed: 0, moved: 0, unreadable: 0, kids: [] } as const;
