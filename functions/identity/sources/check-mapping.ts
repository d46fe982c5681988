import { compileMapping } from '../domain/directory/map-user.ts';
import { ScimPathError } from '../domain/directory/scim-path.ts';
import type { StrategyConfig } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';

/** @throws Problem `MAPPING_INVALID` (400) naming the field */
export function checkMapping({ mapping, roles }: Pick<StrategyConfig, 'mapping' | 'roles'>): void {
  try {
    compileMapping(mapping, roles);
  } catch (error) {
    if (!(error instanceof ScimPathError)) throw error;
    throw problems.mappingInvalid({ field: error.field, detail: error.message });
  }
}
