import {
  type Attributes,
  type AttributeValue,
  depthOf,
  elementsOf,
  isSame,
  sizeOfItem,
  typeOf,
} from './attribute-value.ts';
import { isDecimal } from './decimal.ts';
import { invalid, notReadable } from './errors.ts';
import { INDEX_NAMES, keyNames } from './storage.ts';

const MAX_ITEM_BYTES = 400 * 1_024;
const MAX_DEPTH = 32;
const MAX_KEY_BYTES = { pk: 2_048, sk: 1_024 } as const;

/** Checks a key of the table: both attributes, nothing else, filled strings. */
export function checkKey(key: Attributes | undefined): Attributes {
  if (!key || Object.keys(key).length !== 2 || !key.pk || !key.sk) {
    throw invalid('The provided key element does not match the schema');
  }
  for (const name of ['pk', 'sk'] as const) {
    if (key[name]?.S === undefined) {
      throw invalid('The provided key element does not match the schema');
    }
    checkKeyText(name, key[name].S);
  }
  return key;
}

/** Checks an item that is to be put. */
export function checkItem(item: Attributes): void {
  for (const name of ['pk', 'sk'] as const) {
    const value = item[name];
    if (!value) {
      throw invalid(
        `One or more parameter values were invalid: Missing the key ${name} in the item`,
      );
    }
    if (value.S === undefined) {
      throw invalid(
        `One or more parameter values were invalid: Type mismatch for key ${name} expected: S actual: ${typeOf(value)}`,
      );
    }
    checkKeyText(name, value.S);
  }
  checkStored(item);
}

/** Checks what every stored item must keep to: values, index keys, size. */
export function checkStored(item: Attributes, { isUpdate = false } = {}): void {
  for (const value of Object.values(item)) checkValue(value);
  checkIndexKeys(item);
  if (Math.max(0, ...Object.values(item).map(depthOf)) > MAX_DEPTH) {
    throw invalid('Nesting Levels have exceeded supported limits');
  }
  if (sizeOfItem(item) > MAX_ITEM_BYTES) {
    throw invalid(
      isUpdate
        ? 'Item size to update has exceeded the maximum allowed size'
        : 'Item size has exceeded the maximum allowed size',
    );
  }
}

/** Checks a value as it comes in a request. */
export function checkValue(value: AttributeValue): void {
  const { S, N, NS, L, M } = value;
  if (S !== undefined && !S.isWellFormed()) throw notReadable();
  for (const number of N === undefined ? (NS ?? []) : [N]) {
    if (!isDecimal(number)) {
      throw invalid(`The parameter cannot be converted to a numeric value: ${number}`);
    }
  }
  const members = L ? undefined : elementsOf(value);
  if (members?.length === 0) {
    throw invalid('One or more parameter values were invalid: An number set  may not be empty');
  }
  if (members?.some((one, i) => members.slice(i + 1).some((two) => isSame(one, two)))) {
    throw invalid(
      'One or more parameter values were invalid: Input collection contains duplicates.',
    );
  }
  for (const child of L ?? Object.values(M ?? {})) checkValue(child);
}

function checkIndexKeys(item: Attributes): void {
  for (const index of INDEX_NAMES) {
    for (const name of Object.values(keyNames(index))) {
      const value = item[name];
      if (!value) continue;
      if (value.S === undefined) {
        throw invalid(
          `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: S Actual: ${typeOf(value)} IndexName: ${index}`,
        );
      }
      if (value.S === '') {
        throw invalid(
          `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${index}, IndexKey: ${name}`,
        );
      }
      checkKeySize(name.endsWith('pk') ? 'pk' : 'sk', value.S);
    }
  }
}

function checkKeyText(name: 'pk' | 'sk', text: string): void {
  if (text === '') {
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  checkKeySize(name, text);
}

function checkKeySize(name: 'pk' | 'sk', text: string): void {
  if (Buffer.byteLength(text) > MAX_KEY_BYTES[name]) {
    throw invalid(
      `One or more parameter values were invalid: Size of ${name === 'pk' ? 'hashkey' : 'rangekey'} has exceeded the maximum size limit of ${MAX_KEY_BYTES[name]} bytes`,
    );
  }
}
