import { problemReply } from '../http/respond.ts';
import {
  Problem,
  type ProblemFacts,
  type ProblemItem,
  type ProblemType,
} from '../problems/problem.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Sample facts of the examples, by fact name. */
const SAMPLE_FACTS: Readonly<Record<string, unknown>> = {
  accepted: ['application/json'],
  actual: 4,
  allowed: ['GET'],
  error: undefined,
  expected: '3',
  id: '01981f2e-7c1a-7a52-9d0b-3f6f1f0a2c11',
  kid: '5f2b9c01',
  max: 100,
  maxBytes: 1_048_576,
  method: 'GET',
  name: 'mail.from',
  path: '/api/v1/unknown',
  permission: undefined,
  remedy: 'Name the fields that are needed in the query parameter fields.',
  retryAfterSeconds: 30,
  sizeBytes: 7_340_032,
  version: 3,
};

/** A sample violation, for problems that list violations. */
const SAMPLE_ITEMS: Readonly<Record<string, ProblemItem>> = {
  INVALID_PARAMETER: {
    parameter: 'size',
    code: 'TOO_BIG',
    detail: 'must be at most 200',
  },
  UNKNOWN_FIELD: {
    pointer: '/colour',
    code: 'UNKNOWN_FIELD',
    detail: 'is unknown; did you mean "color"?',
  },
  VALIDATION_FAILED: {
    pointer: '/name',
    code: 'REQUIRED',
    detail: 'is required',
  },
};
const OTHER_ITEM: ProblemItem = {
  pointer: '/value',
  code: 'NOT_ALLOWED',
  detail: 'The value is not allowed.',
};

/** The body of a problem as the pipeline sends it, with sample facts. */
export function problemExample(type: ProblemType): unknown {
  const { body } = problemReply(sampleProblem(type), {
    instance: '/api/v1/...',
    traceId: TRACE_ID,
  });
  return JSON.parse(String(body));
}

/** A problem with sample facts. */
export const sampleProblem = (type: ProblemType): Problem => new Problem(type, sampleFacts(type));

function sampleFacts(type: ProblemType): ProblemFacts {
  const items = [SAMPLE_ITEMS[type.code] ?? OTHER_ITEM];
  for (const facts of [sampleRecord(type), items]) {
    try {
      const described = type.describe?.(facts) ?? {};
      return typeof described === 'string' ? { detail: described } : described;
    } catch {
      // The problem needs facts of another shape.
    }
  }
  return {};
}

/** Returns a known sample, else the name in brackets. */
function sampleRecord({ title }: ProblemType): unknown {
  return new Proxy(Object.create(null) as object, {
    get: (_, name) => {
      if (typeof name === 'symbol' || name === 'length') throw new TypeError('Not a list');
      if (name === 'detail') return `${title}.`;
      return name in SAMPLE_FACTS ? SAMPLE_FACTS[name] : `<${name}>`;
    },
  });
}
