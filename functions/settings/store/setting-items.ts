import type { Key } from '../../../shared/store/table.ts';
import { AES_SECRET } from '../domain/setting.ts';

/*
 * Access patterns
 *   one setting                     get    setting#<name> / current
 *   its history, newest first       query  setting#<name> / v#<12 digits>, reverse
 *   settings by prefix              query  gsi1: setting / begins_with <prefix>
 *   names of deleted settings       query  gsi1: setting#deleted / <name>
 *   former AES keys                 get    setting#security.aes_secret / keyring
 */
export const settingPartition = (name: string): string => `setting#${name}`;
export const currentKey = (name: string): Key => ({ pk: settingPartition(name), sk: 'current' });
export const VERSION_PREFIX = 'v#';
export const versionKey = (name: string, version: number): Key => ({
  pk: settingPartition(name),
  sk: `${VERSION_PREFIX}${String(version).padStart(12, '0')}`,
});
export const keyringKey: Key = { pk: settingPartition(AES_SECRET), sk: 'keyring' };
/** Partitions of the index. */
export const LIVE_PARTITION = 'setting';
export const DELETED_PARTITION = 'setting#deleted';
