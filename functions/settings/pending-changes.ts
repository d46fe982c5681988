import { httpProblems } from '../../shared/problems/http-problems.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import type { Setting, SettingVersion } from './domain/setting.ts';
import { problems } from './errors.ts';
import { type FormerKey, MAX_RING, type SettingRepository } from './store/setting-repository.ts';

/** Changes of one setting in a unit of work. */
interface Draft {
  /** As it is stored. */
  readonly base: Setting | undefined;
  /** As it will be; `undefined`: deleted. */
  current: Setting | undefined;
  readonly entries: SettingVersion[];
  readonly formerKeys: FormerKey[];
}

/** One change of a setting. */
export interface SettingChange {
  readonly name: string;
  readonly from: Setting | undefined;
  /** `undefined`: it is deleted. */
  readonly to: Setting | undefined;
  readonly entry: SettingVersion;
  /** The AES key that the change replaces. */
  readonly formerKeys: readonly FormerKey[];
}

const units = new WeakMap<UnitOfWork, Map<string, Draft>>();

/**
 * Changes of a unit that are not stored yet: later ones of the unit build on them, and each setting is written once,
 * with all of its versions.
 */
export class PendingChanges {
  readonly #repository: SettingRepository;

  constructor(repository: SettingRepository) {
    this.#repository = repository;
  }

  /** The setting as the unit sees it. */
  async find(unit: UnitOfWork, name: string): Promise<Setting | undefined> {
    const draft = units.get(unit)?.get(name);
    return draft ? draft.current : this.#repository.find(name);
  }

  async newestVersion(unit: UnitOfWork, name: string): Promise<SettingVersion | undefined> {
    return units.get(unit)?.get(name)?.entries.at(-1) ?? this.#repository.newestVersion(name);
  }

  async findVersion(
    unit: UnitOfWork,
    name: string,
    version: number,
  ): Promise<SettingVersion | undefined> {
    const entries = units.get(unit)?.get(name)?.entries ?? [];
    const pending = entries.find((entry) => entry.version === version);
    return pending ?? this.#repository.findVersion(name, version);
  }

  /** @throws Problem `CONCURRENT_UPDATE` (409) when the unit has changed the setting since `from` was read. */
  add(unit: UnitOfWork, { name, from, to, entry, formerKeys }: SettingChange): void {
    const draft = this.#draft(unit, name, from);
    if (draft.current?.version !== from?.version) throw httpProblems.concurrentUpdate();
    draft.current = to;
    draft.entries.push(entry);
    draft.formerKeys.push(...formerKeys);
  }

  #draft(unit: UnitOfWork, name: string, base: Setting | undefined): Draft {
    const ofUnit = units.get(unit) ?? new Map<string, Draft>();
    units.set(unit, ofUnit);
    const known = ofUnit.get(name);
    if (known) return known;
    const draft: Draft = { base, current: base, entries: [], formerKeys: [] };
    ofUnit.set(name, draft);
    unit.atClose(async () => this.#stage(unit, name, draft));
    return draft;
  }

  #stage(unit: UnitOfWork, name: string, { base, current, entries, formerKeys }: Draft): void {
    this.#repository.stageCurrent(unit, name, { from: base, to: current });
    this.#repository.stageVersions(unit, name, entries);
    if (formerKeys.length > 0) this.#repository.stageKeyringEntries(unit, formerKeys, ringIsFull);
  }
}

const ringIsFull = (): Error =>
  problems.settingProtected({
    detail: `The ring holds ${MAX_RING} former AES keys, which is all it can. Remove those that no text uses: POST /api/v1/setting/re-encrypt.`,
  });
