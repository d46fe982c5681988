import { contentTypeOf, type ErrorForm, statusOf } from '../http/error-form.ts';
import type { Route } from '../http/route.ts';
import type { ProblemType } from '../problems/problem.ts';
import type { MediaType, Reference, ResponseObject } from './document.ts';
import { problemsOf } from './problem-codes.ts';
import { problemExample, sampleProblem } from './problem-example.ts';
import type { SchemaRegistry } from './schemas.ts';

const TRACE_ID: Reference = { $ref: '#/components/headers/TraceId' };
const PROBLEM_TYPE = 'application/problem+json';

/** Errors of the gateway itself, by status. */
const GATEWAY_REFUSALS: Readonly<Record<string, ResponseObject>> = {
  429: {
    description: 'The gateway refuses: too many requests at once.',
    content: {
      'application/json': {
        schema: { type: 'object', properties: { message: { type: 'string' } } },
        example: { message: 'Too Many Requests' },
      },
    },
  },
  431: { description: 'The gateway refuses: address and headers are longer than it takes.' },
};

/** Additional headers of problems, by status. */
const STATUS_HEADERS: Readonly<Record<string, Readonly<Record<string, Reference>>>> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } },
  429: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  409: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  503: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
};

/** Builds the problem responses of operations as shared components: one for each set of codes. */
export class ProblemResponses {
  readonly #types = new Map<string, ProblemType>();
  readonly #responses = new Map<string, ResponseObject>();

  /** Codes that a route may answer, by status. */
  codesByStatus(route: Route): [string, string[]][] {
    const byStatus = new Map<string, string[]>();
    for (const type of problemsOf(route)) {
      const status = String(type.status);
      byStatus.set(status, [...(byStatus.get(status) ?? []), type.code]);
      this.#types.set(type.code, type);
    }
    return [...byStatus];
  }

  /** The shared answer of a status and its codes. */
  reference(status: string, codes: readonly string[]): Reference {
    const name = `${status}.${codes.join('.')}`;
    this.#responses.set(name, {
      description: codes.map((code) => `\`${code}\`: ${this.#types.get(code)?.title}.`).join(' '),
      headers: {
        'X-Trace-Id': TRACE_ID,
        ...STATUS_HEADERS[status],
      },
      content: { ...this.content(codes), ...GATEWAY_REFUSALS[status]?.content },
    });
    return { $ref: `#/components/responses/${name}` };
  }

  /** The answers of a route that reports problems in a form of its own, by status. */
  formResponses(
    route: Route,
    form: ErrorForm,
    schemas: SchemaRegistry,
  ): [string, ResponseObject][] {
    const byStatus = Map.groupBy(problemsOf(route), (type) => String(statusOf(form, type)));
    return [...byStatus].map(([status, types]) => [
      status,
      {
        description: types.map(({ title }) => `${title}.`).join(' '),
        headers: { 'X-Trace-Id': TRACE_ID, ...STATUS_HEADERS[status] },
        content: {
          [contentTypeOf(form)]: {
            schema: schemas.add(form.schema, 'output'),
            examples: Object.fromEntries(
              types.map((type) => [type.code, { value: form.bodyOf(sampleProblem(type)) }]),
            ),
          },
        },
      },
    ]);
  }

  /** Responses that the gateway may send instead of the operation. */
  gatewayReferences(): [string, Reference][] {
    return Object.entries(GATEWAY_REFUSALS).map(([status, response]) => {
      this.#responses.set(`${status}.Gateway`, response);
      return [status, { $ref: `#/components/responses/${status}.Gateway` }];
    });
  }

  /** The body of a problem with one of the codes. */
  content(codes: readonly string[]): Record<string, MediaType> {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Problem' }],
      properties: { code: { enum: codes } },
    };
    const examples = Object.fromEntries(
      codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    );
    return { [PROBLEM_TYPE]: { schema, examples } };
  }

  /** The shared answers, by name. */
  get responses(): Record<string, ResponseObject> {
    return Object.fromEntries([...this.#responses].sort(byName));
  }

  /** An example of every code, by code. */
  get examples(): Record<string, { summary: string; value: unknown }> {
    return Object.fromEntries(
      [...this.#types]
        .sort(byName)
        .map(([code, type]) => [code, { summary: type.title, value: problemExample(type) }]),
    );
  }
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
