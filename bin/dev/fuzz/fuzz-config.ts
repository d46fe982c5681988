import type { OpenApiDocument, OperationObject } from '../../../shared/openapi/document.ts';
import { type FuzzException, fuzzExceptions } from './exceptions.ts';

/** Name of the variable that hands the token to the fuzzer. */
export const TOKEN_VARIABLE = 'SVC_FUZZ_TOKEN';

/** Answers to a request that keeps to the document: also refusals that depend on what is stored. */
const ACCEPTABLE = ['2xx', '3xx', '401', '403', '404', '409', '412', '422', '429'];

/** Settings of the fuzzer (TOML) for the operations that a platform has. */
export function fuzzConfig(
  document: OpenApiDocument,
  exceptions: readonly FuzzException[] = fuzzExceptions,
): string {
  const present = operationsOf(document);
  const withCursor = present.filter(hasCursor).map(({ operationId }) => operationId);
  const ids = new Set(present.map(({ operationId }) => operationId));
  return [
    section('auth.openapi.bearerAuth', `bearer = "\${${TOKEN_VARIABLE}}"`),
    section('checks.positive_data_acceptance', `expected-statuses = ${JSON.stringify(ACCEPTABLE)}`),
    // No schema can say which texts are cursors of a list: one that is none is refused.
    operations(
      withCursor,
      `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(['400', ...ACCEPTABLE])}`,
    ),
    ...exceptions.map(({ operationIds, check }) =>
      operations(
        operationIds.filter((id) => ids.has(id)),
        `checks.${check}.enabled = false`,
      ),
    ),
  ].join('');
}

const section = (name: string, ...lines: string[]): string => `[${name}]\n${lines.join('\n')}\n\n`;

function operations(operationIds: readonly string[], line: string): string {
  if (operationIds.length === 0) return '';
  return `[[operations]]\ninclude-operation-id = ${JSON.stringify(operationIds)}\n${line}\n\n`;
}

const operationsOf = ({ paths }: OpenApiDocument): OperationObject[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

const hasCursor = ({ parameters = [] }: OperationObject): boolean =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === 'cursor');
