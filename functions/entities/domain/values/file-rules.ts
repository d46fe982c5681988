import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import type { FileRules } from '../entity/field.ts';
import { isJsonObject, type JsonObject } from '../entity/json.ts';
import { itemAt } from '../entity/pointer.ts';

/** A file as its uploader describes it. */
export interface FileAnnouncement {
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

const DEFAULT_MAX_BYTES = 10 * 1_024 * 1_024;
const MAX_BYTES = 5 * 1_024 ** 3;
const MAX_TYPES = 50;
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** The rules that a valid `x-file` states. */
export function readFileRules(given: JsonObject): FileRules {
  const { types, maxBytes } = given;
  return {
    ...(Array.isArray(types) && { types: types.map(String) }),
    maxBytes: typeof maxBytes === 'number' ? maxBytes : DEFAULT_MAX_BYTES,
  };
}

/** What is wrong with an `x-file`. */
export function fileRulesErrors(given: unknown, pointer: string): ProblemItem[] {
  const item = (member: string, code: string, detail: string): ProblemItem =>
    itemAt(pointer + member, code, detail);
  if (!isJsonObject(given)) {
    return [item('', 'INVALID_TYPE', 'must be an object: {types, maxBytes}')];
  }
  const { types, maxBytes, ...others } = given;
  const [unknown] = Object.keys(others);
  const areTypes =
    types === undefined ||
    (Array.isArray(types) &&
      types.length > 0 &&
      types.length <= MAX_TYPES &&
      types.every((type) => typeof type === 'string' && TYPE.test(type)));
  const isSize =
    maxBytes === undefined ||
    (Number.isInteger(maxBytes) && Number(maxBytes) > 0 && Number(maxBytes) <= MAX_BYTES);
  const errors = [
    unknown !== undefined && item(`/${unknown}`, 'UNKNOWN_FIELD', 'is neither types nor maxBytes'),
    !areTypes &&
      item('/types', 'INVALID_VALUE', 'must list media types such as application/pdf or image/*'),
    !isSize && item('/maxBytes', 'INVALID_VALUE', `must be a whole number up to ${MAX_BYTES}`),
  ];
  return errors.filter((error) => error !== false);
}

/** Why a file may not be uploaded to a field. @param most largest file that a link takes */
export function announcementErrors(
  rules: FileRules | undefined,
  { contentType, sizeBytes }: FileAnnouncement,
  most: number,
): ProblemItem[] {
  const maxBytes = Math.min(rules?.maxBytes ?? most, most);
  const type = contentType.toLowerCase();
  const isAllowed =
    rules?.types?.some((each) =>
      each.endsWith('/*') ? type.startsWith(each.slice(0, -1)) : type === each,
    ) ?? true;
  const errors: (ProblemItem | false)[] = [
    !isAllowed && itemAt('/contentType', 'FILE_TYPE', `must be one of ${rules?.types?.join(', ')}`),
    sizeBytes > maxBytes && itemAt('/sizeBytes', 'TOO_BIG', `must be at most ${maxBytes}`),
  ];
  return errors.filter((error) => error !== false);
}
