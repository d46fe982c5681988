import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { problems } from '../../errors.ts';
import { isJsonObject, type JsonObject, nesting, own } from '../entity/json.ts';

/** A form document: the data schema and, for some form libraries, a layout beside it. */
export interface FormDocument {
  readonly schema: JsonObject;
  /** `uiSchema` of rjsf. */
  readonly uiSchema?: JsonObject;
  /** `uischema` of JSON Forms. */
  readonly uischema?: JsonObject;
  readonly dialect: '2020-12' | 'draft-07';
}

/** Largest form schema, in bytes of its text. */
export const MAX_SCHEMA_BYTES = 262_144;
const MAX_NESTING = 64;

const invalid = (code: string, detail: string, pointer = ''): Error =>
  problems.invalidSchema([{ pointer, code, detail }] satisfies ProblemItem[]);

/** The text under which a schema is stored. @throws Problem `INVALID_SCHEMA` (400) */
export function schemaTextOf(given: unknown): string {
  if (typeof given !== 'string' && nesting(given, MAX_NESTING) > MAX_NESTING) throw tooDeep();
  const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) {
    throw invalid('TOO_BIG', `must have at most ${MAX_SCHEMA_BYTES} bytes`);
  }
  return text;
}

/**
 * Reads a form schema: a JSON Schema object (also Formily's), `{schema, uiSchema}` of rjsf or `{schema, uischema}`
 * of JSON Forms.
 * @throws Problem `INVALID_SCHEMA` (400)
 */
export function readDocument(text: string): FormDocument {
  const root = parse(text);
  if (!isJsonObject(root)) throw invalid('INVALID_TYPE', 'must be a JSON object');
  if (nesting(root, MAX_NESTING) > MAX_NESTING) throw tooDeep();
  const inner = own(root, 'schema');
  const isWrapped = isJsonObject(inner) && !isJsonObject(own(root, 'properties'));
  const schema = isWrapped ? inner : root;
  const type = own(schema, 'type');
  if (type !== undefined && type !== 'object') {
    throw invalid('INVALID_TYPE', 'must have the type object', '/type');
  }
  if (!isJsonObject(own(schema, 'properties'))) {
    throw invalid('REQUIRED', 'must have properties', '/properties');
  }
  const layouts = isWrapped ? root : {};
  const uiSchema = own(layouts, 'uiSchema');
  const uischema = own(layouts, 'uischema');
  return {
    schema,
    dialect: dialectOf(own(schema, '$schema')),
    ...(isJsonObject(uiSchema) && { uiSchema }),
    ...(isJsonObject(uischema) && { uischema }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('INVALID_JSON', 'must be JSON');
  }
}

function dialectOf(uri: unknown): FormDocument['dialect'] {
  if (uri === undefined) return '2020-12';
  if (typeof uri === 'string' && /json-schema\.org\/draft-07\/schema#?$/.test(uri)) {
    return 'draft-07';
  }
  if (typeof uri === 'string' && /json-schema\.org\/draft\/2020-12\/schema#?$/.test(uri)) {
    return '2020-12';
  }
  throw invalid('UNSUPPORTED_DIALECT', 'must be JSON Schema 2020-12 or draft-07', '/$schema');
}

const tooDeep = (): Error => invalid('TOO_DEEP', `must have at most ${MAX_NESTING} levels`);
