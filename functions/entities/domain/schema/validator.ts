import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { RE2JS } from 're2js';
import { formatRule } from '../../../../shared/primitives/format-rule.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import type { JsonObject } from '../entity/json.ts';
import { DECIMAL } from '../values/numbers.ts';
import { multipleOf, uniqueItems } from './keywords.ts';

/** Checks a record; the list is empty when it is valid. Fills in defaults of missing fields. */
export type RecordValidator = (record: Record<string, unknown>) => readonly ProblemItem[];

// The package is CommonJS; its function is the default member of the module or the module itself.
const addFormats = addFormatsModule as unknown as (ajv: Ajv) => Ajv;

/** Patterns come from users, so they run on a linear-time engine. */
const linearTimeEngine = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // The text of a pattern is its name inside the compiled validator.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearTimeEngine' },
);

/** Formats that describe a form rather than a text; they accept everything. */
const FORM_FORMATS = [
  'textarea',
  'markdown',
  'html',
  'richtext',
  'phone',
  'password',
  'color',
  'reference',
  'file',
  'image',
  'data-url',
];

type Dialect = '2020-12' | 'draft-07';

/** Meta-schemas are compiled once: that takes ten times as long as a usual schema. */
const META_SCHEMAS: Readonly<Record<Dialect, () => Ajv>> = {
  '2020-12': lazy(() => createAjv('2020-12')),
  'draft-07': lazy(() => createAjv('draft-07')),
};

/** Validates a data schema against its dialect. */
export function metaSchemaErrors(schema: JsonObject, dialect: Dialect): ProblemItem[] {
  const ajv = META_SCHEMAS[dialect]();
  if (ajv.validateSchema(schema) === true) return [];
  const byPlace = new Map<string, ProblemItem>();
  for (const { instancePath, message = 'is not valid' } of ajv.errors ?? []) {
    const item = { pointer: instancePath, code: 'INVALID_KEYWORD', detail: message };
    if (!byPlace.has(instancePath)) byPlace.set(instancePath, item);
  }
  return [...byPlace.values()];
}

/** Compiles a data schema. @throws Error that says what is wrong with the schema */
export function compileValidator(schema: JsonObject, dialect: Dialect): RecordValidator {
  META_SCHEMAS[dialect]().validateSchema(schema, true);
  const validate = createAjv(dialect, { validateSchema: false }).compile(schema);
  return (record) => (validate(record) ? [] : (validate.errors ?? []).map(toItem));
}

function createAjv(dialect: Dialect, more: Options = {}): Ajv {
  const options: Options = {
    ...more,
    allErrors: true,
    useDefaults: true,
    strict: false,
    logger: false,
    code: { regExp: linearTimeEngine },
  };
  const ajv = dialect === 'draft-07' ? new Ajv(options) : (new Ajv2020(options) as unknown as Ajv);
  addFormats(ajv);
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf);
  ajv.addFormat('decimal', { type: 'string', validate: (text: string) => DECIMAL.test(text) });
  for (const format of FORM_FORMATS) ajv.addFormat(format, true);
  return ajv;
}

function toItem({ instancePath, keyword, message, params }: ErrorObject): ProblemItem {
  const missing: unknown = params.missingProperty ?? params.additionalProperty;
  const isNamed = typeof missing === 'string';
  return {
    pointer: isNamed ? `${instancePath}/${missing}` : instancePath,
    code: keyword === 'additionalProperties' ? 'UNKNOWN_FIELD' : upperSnake(keyword),
    detail: detailOf(keyword, message, params),
    ...(isNamed ? {} : { params }),
  };
}

/** Rules with a limit, in words. */
const LIMITS: Readonly<Record<string, string>> = {
  maximum: 'be at most',
  minimum: 'be at least',
  exclusiveMaximum: 'be less than',
  exclusiveMinimum: 'be greater than',
  maxLength: 'have at most',
  minLength: 'have at least',
  maxItems: 'have at most',
  minItems: 'have at least',
};
const UNITS: Readonly<Record<string, string>> = {
  maxLength: ' characters',
  minLength: ' characters',
  maxItems: ' items',
  minItems: ' items',
};

function detailOf(
  keyword: string,
  message = 'is not valid',
  params: ErrorObject['params'],
): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is unknown';
  if (keyword === 'format') return formatRule(String(params.format));
  const limit = LIMITS[keyword];
  if (limit) return `must ${limit} ${params.limit}${UNITS[keyword] ?? ''}`;
  if (keyword === 'enum')
    return `must be one of ${JSON.stringify(params.allowedValues).slice(0, 200)}`;
  return message;
}

const upperSnake = (keyword: string): string =>
  keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
