import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type {
  MediaType,
  ParameterObject,
  ResponseObject,
} from '../../../shared/openapi/document.ts';
import { follow, operations, responsesOf, whole } from './whole-document.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(whole, 'openapi.json');

/** What is wrong with an example, by the schema beside it. */
function mistakes({ schema }: MediaType, example: unknown): unknown {
  const absolute = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"openapi.json#/components/'),
  );
  const validate = ajv.compile(absolute);
  return validate(example) ? undefined : validate.errors;
}

/** What the gateway answers before a function sees the request. */
const GATEWAY = ['429', '431'];

/** Request line and headers of an HTTP API have 10,240 bytes together, of which headers take some. */
const LONGEST_ADDRESS = 8_192;

const jsonOf = ({ content = {} }: ResponseObject): MediaType[] =>
  Object.entries(content)
    .filter(([type]) => type.endsWith('json'))
    .map(([, media]) => media);

function examplesOf(media: MediaType): unknown[] {
  const named = Object.values(media.examples ?? {});
  const values = named.map((entry) => follow<{ value: unknown }>(entry as never).value);
  return 'example' in media ? [...values, media.example] : values;
}

const every = operations().map((each) => [each.operation.operationId, each] as const);

/** Their callers are programs of others, which expect another form of errors: it has no codes. */
const OF_ANOTHER_FORM: readonly string[] = ['saveDocument', 'receiveIdentityEvent'];

/** Takes whatever query it is sent, and no body. */
const REFUSES_NOTHING: readonly string[] = ['getReference', 'showSignedIn'];

const usualStatuses = (operationId: string): string[] => [
  ...(REFUSES_NOTHING.includes(operationId) ? [] : ['400']),
  ...(isOfProblems(operationId) ? ['500'] : []),
  '503',
];

const isOfProblems = (operationId: string): boolean => !OF_ANOTHER_FORM.includes(operationId);

function expectAnswer(
  operationId: string,
  status: string,
  content: NonNullable<ResponseObject['content']>,
): void {
  if (!isOfProblems(operationId)) {
    expect(content['application/json']?.schema, status).toBeDefined();
    return;
  }
  const problem = content['application/problem+json'];
  expect(problem, status).toBeDefined();
  const codes = Object.keys(problem?.examples ?? {});
  expect(codes.length).toBeGreaterThan(0);
  expect(problem?.schema?.properties).toEqual({ code: { enum: codes } });
}

describe('the OpenAPI document', () => {
  it('keeps to the schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(whole)));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('has operations, each with an id of its own', () => {
    expect(every.length).toBeGreaterThan(10);
    expect(new Set(every.map(([id]) => id)).size).toBe(every.length);
  });

  it('leads from answers only to operations and parameters that are there', () => {
    const parametersById = new Map(
      every.map(([id, { operation }]) => [
        id,
        (operation.parameters ?? []).map((entry) => follow<ParameterObject>(entry as never).name),
      ]),
    );
    for (const [, { operation }] of every) {
      for (const [, { links = {} }] of responsesOf(operation)) {
        for (const { operationId, parameters } of Object.values(links)) {
          expect(parametersById.get(operationId)).toEqual(
            expect.arrayContaining(Object.keys(parameters)),
          );
        }
      }
    }
  });
});

describe.each(every)('the operation %s', (_, { path, method, operation }) => {
  it('has no parameter that is longer than what the gateway takes of an address', () => {
    for (const entry of operation.parameters ?? []) {
      const { name, schema } = follow<ParameterObject>(entry as never);
      expect(Number(schema.maxLength ?? 0), name).toBeLessThanOrEqual(LONGEST_ADDRESS);
    }
  });

  it('says what it does, for whom, and to which module it belongs', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(whole.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    expect(operation['x-module']).toBeTruthy();
    expect(operation.security).toBeDefined();
  });

  it('describes each parameter of its path', () => {
    const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    const described = (operation.parameters ?? [])
      .map((entry) => follow<ParameterObject>(entry as never))
      .filter((parameter) => parameter.in === 'path');

    expect(described.map(({ name }) => name)).toEqual(named);
    for (const { schema } of described) expect(schema.type).toBeDefined();
  });

  it('gives a body with a schema and an example that keeps to it', () => {
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      expect(media.schema).toBeDefined();
      expect(media.example, 'bodyExample of the route').toBeDefined();
      expect(mistakes(media, media.example)).toBeUndefined();
    }
  });

  it('gives every JSON answer with a schema and examples that keep to it', () => {
    for (const [status, response] of responsesOf(operation)) {
      for (const media of jsonOf(response)) {
        const examples = examplesOf(media);
        expect(media.schema, status).toBeDefined();
        expect(examples.length, `example of the answer ${status}`).toBeGreaterThan(0);
        for (const example of examples) expect(mistakes(media, example), status).toBeUndefined();
      }
    }
  });

  it('names the codes of every problem it may answer', () => {
    const responses = new Map(responsesOf(operation));
    for (const [status, { content = {} }] of responses) {
      if (Number(status) < 400 || GATEWAY.includes(status)) continue;
      expectAnswer(operation.operationId, status, content);
    }
    expect([...responses.keys()]).toEqual(
      expect.arrayContaining(usualStatuses(operation.operationId)),
    );
    if (operation.security.length > 0) expect(responses.has('401')).toBe(true);
    if (operation.requestBody) {
      expect([...responses.keys()]).toEqual(expect.arrayContaining(['413', '415']));
    }
    if (method !== 'get' && isOfProblems(operation.operationId))
      expect(responses.has('409')).toBe(true);
  });
});
