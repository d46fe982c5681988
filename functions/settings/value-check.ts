import type { Host } from '../../shared/host/host.ts';
import type { SecretReader } from '../../shared/lambda/module-context.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { ProblemItem } from '../../shared/problems/problem.ts';
import { isWeak, readKeyMaterial } from './domain/key-material.ts';
import { AES_SECRET, MAX_KEY_TEXT_BYTES } from './domain/setting.ts';
import { problems } from './errors.ts';

/**
 * Checks a value before it is saved.
 * @throws Problem `SETTING_INVALID` (422) with what the host's validators or the rules of the AES key say.
 */
export type ValueCheck = (name: string, value: string) => Promise<void>;

export interface ValueCheckDependencies {
  readonly host: Host;
  readonly readSecret: SecretReader;
  readonly log: Log;
}

/** Makes the check of values: the host's `settingValidators`, and what can be an AES key. */
export function createValueCheck(dependencies: ValueCheckDependencies): ValueCheck {
  const validators = dependencies.host.settingValidators ?? [];
  return async (name, value) => {
    const errors: ProblemItem[] = validators
      .filter((validator) => appliesTo(validator.name, name))
      .flatMap((validator) => validator.validate(value) ?? [])
      .map((detail) => ({ pointer: '/value', code: 'SETTING_INVALID', detail }));
    const unusable = name === AES_SECRET ? await whyUnusable(value, dependencies) : undefined;
    if (unusable) errors.push({ pointer: '/value', code: 'AES_SECRET_INVALID', detail: unusable });
    if (errors.length > 0) throw problems.settingInvalid(errors);
  };
}

/** Reason why a text is not a valid AES key; a Secrets Manager name must resolve to one. */
async function whyUnusable(
  value: string,
  { readSecret, log }: ValueCheckDependencies,
): Promise<string | undefined> {
  if (Buffer.byteLength(value) > MAX_KEY_TEXT_BYTES) {
    return `The AES secret must have at most ${MAX_KEY_TEXT_BYTES} bytes.`;
  }
  const material = readKeyMaterial(value);
  const about = { setting: AES_SECRET };
  if (isWeak(material)) {
    log.warn('The AES secret is shorter than 16 characters; choose a longer one', about);
  }
  if (material.kind === 'invalid') return material.reason;
  if (material.kind !== 'reference') return undefined;
  try {
    return isUsable(await readSecret(material.reference))
      ? undefined
      : 'The secret holds no usable key.';
  } catch (cause) {
    log.warn('The secret of the AES key cannot be read', { ...about, cause });
    return 'The secret cannot be read; its name must begin with svc-cloud/ and it must exist.';
  }
}

/** Whether the text of a secret is a key; it must not point to another secret. */
export function isUsable(text: string): boolean {
  const { kind } = readKeyMaterial(text);
  return kind === 'bytes' || kind === 'passphrase';
}

/** A name that ends in `.` or `*` is a prefix. */
function appliesTo(pattern: string, name: string): boolean {
  if (!/[.*]$/.test(pattern)) return pattern === name;
  return name.startsWith(pattern.replace(/\*$/, ''));
}
