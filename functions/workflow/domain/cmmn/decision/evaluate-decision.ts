import { type JsonValue, sameJson, type Variables } from '../basics/json.ts';
import { ExpressionError } from '../expression/expression-error.ts';
import { evaluateFeel, type FeelContext, satisfiesUnaryTest } from '../expression/feel.ts';
import type { DecisionTable } from './decision-table.ts';

/** The outputs of one rule, by name. */
type Hit = Readonly<Record<string, JsonValue>>;

/** The outcome of a decision: one result, or several, which are variables under the decision's key. */
export interface DecisionResult {
  readonly variables: Variables;
  readonly hits: number;
}

/**
 * Evaluates a decision table (DMN 1.3, 8.2.10) over what the plan item sees. One hit: each output is a variable; several
 * hits: a list of the hits under the key of the decision.
 * @throws ExpressionError
 */
export function evaluateDecision(table: DecisionTable, context: FeelContext): DecisionResult {
  const hits = matchingRules(table, context);
  const results = hits.length > 0 ? hits : defaultHits(table, context);
  return { variables: applyHitPolicy(table, results), hits: hits.length };
}

function matchingRules(table: DecisionTable, context: FeelContext): Hit[] {
  const inputs = table.inputs.map((input) => evaluateFeel(input, context));
  const hits: Hit[] = [];
  for (const rule of table.rules) {
    const isHit = rule.inputEntries.every(
      (entry, column) =>
        isAnything(entry) || satisfiesUnaryTest(entry, inputs[column] ?? null, context),
    );
    if (!isHit) continue;
    hits.push(
      Object.fromEntries(
        table.outputs.map(({ name }, column) => [
          name,
          evaluateFeel(rule.outputEntries[column] || 'null', context),
        ]),
      ),
    );
    if (table.hitPolicy === 'FIRST') break;
  }
  return hits;
}

const isAnything = (entry: string): boolean => entry.trim() === '' || entry.trim() === '-';

function defaultHits(table: DecisionTable, context: FeelContext): Hit[] {
  if (!table.outputs.some(({ defaultOutput }) => defaultOutput)) return [];
  const entries = table.outputs.map(({ name, defaultOutput }) => [
    name,
    defaultOutput ? evaluateFeel(defaultOutput, context) : null,
  ]);
  return [Object.fromEntries(entries)];
}

function applyHitPolicy(table: DecisionTable, hits: readonly Hit[]): Variables {
  const { key, hitPolicy } = table;
  switch (hitPolicy) {
    case 'UNIQUE':
      if (hits.length > 1) throw violated(table, `${hits.length} rules match`);
      return hits[0] ?? {};
    case 'ANY':
      if (hits.some((hit) => !sameJson(hit, hits[0]))) throw violated(table, 'the matches differ');
      return hits[0] ?? {};
    case 'FIRST':
      return hits[0] ?? {};
    case 'PRIORITY':
      return byPriority(table, hits)[0] ?? {};
    case 'OUTPUT ORDER':
      return { [key]: byPriority(table, hits) };
    case 'RULE ORDER':
      return { [key]: hits };
    case 'COLLECT':
      return table.aggregation ? aggregate(table, hits) : { [key]: hits };
  }
}

/** Hits in the order of the allowed output values, first output first. */
function byPriority(table: DecisionTable, hits: readonly Hit[]): Hit[] {
  const rank = (hit: Hit, column: number): number => {
    const output = table.outputs[column];
    const position = output?.values?.indexOf(String(hit[output.name])) ?? -1;
    return position < 0 ? Number.MAX_SAFE_INTEGER : position;
  };
  return [...hits].sort((left, right) => {
    for (const column of table.outputs.keys()) {
      const order = rank(left, column) - rank(right, column);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function aggregate(table: DecisionTable, hits: readonly Hit[]): Variables {
  return Object.fromEntries(
    table.outputs.map(({ name }) => {
      const values = hits.map((hit) => hit[name]).filter((value) => typeof value === 'number');
      return [name, aggregateValues(table, values, hits.length)];
    }),
  );
}

function aggregateValues(
  { aggregation }: DecisionTable,
  values: readonly number[],
  hits: number,
): number | null {
  if (aggregation === 'COUNT') return hits;
  if (aggregation === 'SUM') return values.reduce((sum, value) => sum + value, 0);
  if (values.length === 0) return null;
  const pick = aggregation === 'MIN' ? Math.min : Math.max;
  return values.reduce((best, value) => pick(best, value));
}

const violated = ({ hitPolicy }: DecisionTable, why: string): ExpressionError =>
  new ExpressionError(`${hitPolicy}, but ${why}`);
