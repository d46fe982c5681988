import type { FuzzException, FuzzTarget } from '../../../shared/module/fuzz-hints.ts';
import type { OpenApiDocument, OperationObject } from '../../../shared/openapi/document.ts';

/** Name of the variable that hands the token to the fuzzer. */
export const TOKEN_VARIABLE = 'SVC_FUZZ_TOKEN';

/** Answers to a request that keeps to the document: also refusals that depend on what is stored, or on If-Match. */
const ACCEPTABLE = ['2xx', '3xx', '401', '403', '404', '409', '412', '422', '428', '429'];
/** Answers to a request that does not keep to it; 431 is the gateway's. */
const REFUSALS = [
  '400',
  '401',
  '403',
  '404',
  '405',
  '409',
  '412',
  '413',
  '415',
  '422',
  '428',
  '429',
  '431',
];

/** How often a path leads to what is there; the other requests find nothing. */
const HIT_RATE = 0.9;

/** Settings of the fuzzer (TOML) for the operations that a platform has. */
export function fuzzConfig(
  document: OpenApiDocument,
  exceptions: readonly FuzzException[] = [],
  given: readonly FuzzTarget[] = [],
): string {
  const targets = given.map((target, at) => ({ ...target, dictionary: dictionaryOf(given, at) }));
  return [
    section('auth.openapi.bearerAuth', [`bearer = "\${${TOKEN_VARIABLE}}"`]),
    section('checks.positive_data_acceptance', [statuses(ACCEPTABLE)]),
    section('checks.negative_data_rejection', [statuses(REFUSALS)]),
    ...targets.map(({ dictionary, values }) =>
      section(`dictionaries.${dictionary}`, [`values = ${JSON.stringify(values)}`]),
    ),
    ...operationsOf(document).map((operation) => operationSection(operation, exceptions, targets)),
  ].join('');
}

type NamedTarget = FuzzTarget & { readonly dictionary: string };

/** Modules may call parameters alike; each dictionary has a name of its own. */
function dictionaryOf(targets: readonly FuzzTarget[], at: number): string {
  const parameter = targets[at]?.parameter ?? '';
  const before = targets.slice(0, at).filter((target) => target.parameter === parameter).length;
  return before === 0 ? parameter : `${parameter}-${before + 1}`;
}

/** One section for each operation: of two that name it, the fuzzer would read the first only. */
function operationSection(
  operation: OperationObject,
  exceptions: readonly FuzzException[],
  targets: readonly NamedTarget[],
): string {
  const { operationId } = operation;
  const lines = [
    // No schema can say which texts are cursors of a list or who signed a body: others are refused.
    ...(hasCursor(operation) || operation['x-signed-body']
      ? [`checks.positive_data_acceptance.${statuses(['400', ...ACCEPTABLE])}`]
      : []),
    ...exceptions
      .filter(({ operationIds }) => operationIds.includes(operationId))
      .map(({ check }) => `checks.${check}.enabled = false`),
    ...targets
      .filter(({ operationIds }) => operationIds.includes(operationId))
      .map(
        ({ parameter, dictionary }) =>
          `parameters."path.${parameter}" = { dictionary = "${dictionary}", probability = ${HIT_RATE} }`,
      ),
  ];
  if (lines.length === 0) return '';
  return section('[operations]', [`include-operation-id = "${operationId}"`, ...lines]);
}

const section = (name: string, lines: readonly string[]): string =>
  `[${name}]\n${lines.join('\n')}\n\n`;

const statuses = (list: readonly string[]): string => `expected-statuses = ${JSON.stringify(list)}`;

const operationsOf = ({ paths }: OpenApiDocument): OperationObject[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

const hasCursor = ({ parameters = [] }: OperationObject): boolean =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === 'cursor');
