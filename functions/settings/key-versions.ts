import type { SecretReader } from '../../shared/lambda/module-context.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { readKeyMaterial } from './domain/key-material.ts';
import type { Setting } from './domain/setting.ts';
import type { FormerKey } from './store/setting-repository.ts';
import { isUsable } from './value-check.ts';

export interface KeyVersionsDependencies {
  readonly readSecret: SecretReader;
  readonly log: Log;
}

/** Versions of the secret that the AES setting points to. */
export class KeyVersions {
  readonly #deps: KeyVersionsDependencies;

  constructor(dependencies: KeyVersionsDependencies) {
    this.#deps = dependencies;
  }

  /** The version that a text points to now; `undefined` when it points to no secret. */
  async current(text: string): Promise<string | undefined> {
    return this.#versionOf(text, 'AWSCURRENT');
  }

  /** The version to go over to; `undefined` when there is none, or none with a usable key. */
  async rotated({ value, keyVersion }: Setting): Promise<string | undefined> {
    const { readSecret, log } = this.#deps;
    const material = readKeyMaterial(value);
    const found = await this.current(value);
    if (material.kind !== 'reference' || found === undefined || found === keyVersion) {
      return undefined;
    }
    if (isUsable(await readSecret(material.reference, found))) return found;
    log.error(
      'The secret of the AES key was rotated to a text that is not a valid key; the former key stays in use',
      {
        keyVersion: found,
      },
    );
    return undefined;
  }

  /** Entries of the ring for a replaced key; for a secret without known version its newest two. */
  async formerKeys(
    { value, keyVersion, deletionsListed }: Setting,
    replacedAt: string,
  ): Promise<FormerKey[]> {
    const versions =
      keyVersion === undefined
        ? await Promise.all([
            this.#versionOf(value, 'AWSPREVIOUS'),
            this.#versionOf(value, 'AWSCURRENT'),
          ])
        : [keyVersion];
    const known = versions.filter((version) => version !== undefined);
    const entry = { value, replacedAt, ...(deletionsListed && { deletionsListed }) };
    if (known.length === 0) return [entry];
    return known.map((version) => ({ ...entry, keyVersion: version }));
  }

  async #versionOf(text: string, stage: 'AWSCURRENT' | 'AWSPREVIOUS'): Promise<string | undefined> {
    const material = readKeyMaterial(text);
    if (material.kind !== 'reference') return undefined;
    return this.#deps.readSecret.versionOf?.(material.reference, stage);
  }
}
