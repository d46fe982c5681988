/** Hit policies of DMN 1.3, 8.2.10. */
export const HIT_POLICIES = [
  'UNIQUE',
  'FIRST',
  'PRIORITY',
  'ANY',
  'COLLECT',
  'RULE ORDER',
  'OUTPUT ORDER',
] as const;
/** How a table deals with several rules that match. */
export type HitPolicy = (typeof HIT_POLICIES)[number];

/** Aggregators of the hit policy COLLECT (DMN 1.3, 8.2.10). */
export const AGGREGATORS = ['SUM', 'COUNT', 'MIN', 'MAX'] as const;
type Aggregator = (typeof AGGREGATORS)[number];

/** A decision table (DMN 1.3, 8.2), compiled: plain JSON. */
export interface DecisionTable {
  readonly key: string;
  readonly name?: string;
  readonly hitPolicy: HitPolicy;
  readonly aggregation?: Aggregator;
  /** FEEL expressions, one for each input column. */
  readonly inputs: readonly string[];
  readonly outputs: readonly DecisionOutput[];
  readonly rules: readonly DecisionRule[];
}

/** An output column (DMN 1.3, 8.2). */
export interface DecisionOutput {
  readonly name: string;
  /** FEEL expression for the case that no rule matches. */
  readonly defaultOutput?: string;
  /** Allowed values in order of priority (hit policies PRIORITY and OUTPUT ORDER). */
  readonly values?: readonly string[];
}

/** A row (DMN 1.3, 8.2). */
export interface DecisionRule {
  /** Unary tests, one for each input. */
  readonly inputEntries: readonly string[];
  /** FEEL expressions, one for each output. */
  readonly outputEntries: readonly string[];
}
