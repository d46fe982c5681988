import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  Reference,
  ResponseObject,
} from '../../../shared/openapi/document.ts';

/** An answer of the API, with the request that it answers. */
export interface Answer {
  readonly method: string;
  /** Path of the request, without the query. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, else the text; `undefined` when there is none. */
  readonly body?: unknown;
}

/** Says what an answer does otherwise than the document says; nothing when it keeps to it. */
export type CheckAnswer = (answer: Answer) => string[];

const DOCUMENT = 'openapi.json';

/** Prepares the check of answers against an OpenAPI document: status, content type, body and headers. */
export function createAnswerCheck(document: OpenApiDocument): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(document as unknown as AnySchemaObject, DOCUMENT);
  const validators = new Map<string, ValidateFunction>();
  const validate = (pointer: string, value: unknown): string[] => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
    validators.set(pointer, validator);
    if (validator(value)) return [];
    return (validator.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`,
    );
  };

  return (answer) => {
    const found = findOperation(document, answer.method, answer.path);
    if (!found) return checkUnknownPath(answer, validate);
    const { operation, pointer } = found;
    const entry = operation.responses[String(answer.status)];
    if (!entry) return [`${operation.operationId} does not document the status ${answer.status}`];
    const at = isReference(entry)
      ? entry.$ref.slice(1)
      : `${pointer}/responses/${String(answer.status)}`;
    const response = resolve<ResponseObject>(document, entry);
    const findings = [
      ...checkHeaders(document, response, answer.headers),
      ...checkBody(response, at, answer, validate),
    ];
    return findings.map((finding) => `${operation.operationId} ${answer.status}: ${finding}`);
  };
}

type Validate = (pointer: string, value: unknown) => string[];

/** The operation that a request belongs to; a literal path wins over one with parameters. */
function findOperation(
  document: OpenApiDocument,
  method: string,
  path: string,
): { operation: OperationObject; pointer: string } | undefined {
  // HEAD is answered as GET, without the body.
  const key = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  const templates = Object.keys(document.paths)
    .filter((template) => pathPattern(template).test(path))
    .sort((a, b) => countParameters(a) - countParameters(b));
  for (const template of templates) {
    const operation = document.paths[template]?.[key];
    if (operation) return { operation, pointer: `/paths/${escapePointer(template)}/${key}` };
  }
  return undefined;
}

function checkUnknownPath(answer: Answer, validate: Validate): string[] {
  const what = `${answer.method} ${answer.path}`;
  if (answer.status !== 404 && answer.status !== 405) {
    return [`${what} is not documented, yet it answers ${answer.status}`];
  }
  return validate('/components/schemas/Problem', answer.body).map(
    (finding) => `${what} ${answer.status}: the body ${finding}`,
  );
}

function checkHeaders(
  document: OpenApiDocument,
  { headers = {} }: ResponseObject,
  given: Answer['headers'],
): string[] {
  return Object.entries(headers).flatMap(([name, entry]) => {
    const { required, schema } = resolve<HeaderObject>(document, entry);
    const value = given[name.toLowerCase()];
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : /^/;
    return pattern.test(value) ? [] : [`the header ${name} is ${value}, against ${pattern}`];
  });
}

function checkBody(
  { content = {} }: ResponseObject,
  pointer: string,
  { method, body, headers }: Answer,
  validate: Validate,
): string[] {
  const types = Object.keys(content);
  if (types.length === 0) return body === undefined ? [] : ['it has a body, which none documents'];
  const type = headers['content-type']?.split(';')[0]?.trim() ?? 'none';
  const media = content[type];
  if (!media) return [`the content type is ${type}, not ${types.join(' or ')}`];
  if (method.toUpperCase() === 'HEAD' || media.schema === undefined) return [];
  return validate(`${pointer}/content/${escapePointer(type)}/schema`, body).map(
    (finding) => `the body ${finding}`,
  );
}

function resolve<T>(document: OpenApiDocument, entry: T | Reference): T {
  if (!isReference(entry)) return entry;
  const [kind = '', name = ''] = entry.$ref.slice('#/components/'.length).split('/');
  return document.components[kind]?.[name] as T;
}

const isReference = (entry: unknown): entry is Reference =>
  typeof entry === 'object' && entry !== null && '$ref' in entry;

function pathPattern(template: string): RegExp {
  const source = template
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)))
    .join('');
  return new RegExp(`^${source}/?$`);
}

const countParameters = (template: string): number => template.split('{').length;

/** As part of a URI fragment: JSON Pointer, then percent-encoding. */
const escapePointer = (part: string): string =>
  encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
