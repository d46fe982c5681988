import { ExpressionSyntaxError } from '../expression/expression-error.ts';
import { parseFeel, parseUnaryTest } from '../expression/feel.ts';
import { childrenNamed, parseXmlTree, textIn, type XmlElement, XmlError } from '../xml/xml-tree.ts';
import {
  AGGREGATORS,
  type DecisionOutput,
  type DecisionRule,
  type DecisionTable,
  HIT_POLICIES,
  type HitPolicy,
} from './decision-table.ts';

/** A DMN document that has been looked at. */
export interface DecisionCompilation {
  readonly decisions: readonly DecisionTable[];
  readonly problems: readonly DecisionProblem[];
}

/** What is wrong with a DMN document; every problem is an error. */
export interface DecisionProblem {
  readonly code:
    | 'DMN_MALFORMED'
    | 'DMN_TOO_LARGE'
    | 'DMN_DTD_FORBIDDEN'
    | 'DMN_NO_DECISION'
    | 'DECISION_UNSUPPORTED'
    | 'HIT_POLICY_UNSUPPORTED'
    | 'EXPRESSION_SYNTAX';
  readonly message: string;
  readonly decisionKey?: string;
}

const MAX_LENGTH = 1024 * 1024;

/** Reads the decision tables of a DMN document (DMN 1.1 to 1.3, clause 8). Never throws for what is in it. */
export function compileDecisions(xml: string): DecisionCompilation {
  const problems: DecisionProblem[] = [];
  const root = readRoot(xml, problems);
  const elements = root ? childrenNamed(root, 'decision') : [];
  if (root && elements.length === 0) {
    problems.push({ code: 'DMN_NO_DECISION', message: 'The document holds no decision.' });
  }
  const decisions = elements.flatMap((element) => readDecision(element, problems) ?? []);
  return { decisions: problems.length > 0 ? [] : decisions, problems };
}

function readRoot(xml: string, problems: DecisionProblem[]): XmlElement | undefined {
  if (xml.length > MAX_LENGTH) {
    const message = `The document is longer than ${MAX_LENGTH} characters.`;
    problems.push({ code: 'DMN_TOO_LARGE', message });
    return undefined;
  }
  try {
    return parseXmlTree(xml);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const code = error.kind === 'doctype' ? 'DMN_DTD_FORBIDDEN' : 'DMN_MALFORMED';
    problems.push({ code, message: error.message });
    return undefined;
  }
}

function readDecision(element: XmlElement, problems: DecisionProblem[]): DecisionTable | undefined {
  const decisionKey = element.attributes.id ?? '';
  const [table] = childrenNamed(element, 'decisionTable');
  const isAlone = childrenNamed(element, 'informationRequirement').every(
    (requirement) => childrenNamed(requirement, 'requiredDecision').length === 0,
  );
  if (!table || decisionKey === '' || !isAlone) {
    const message =
      'Only decisions with an id and a decision table, which need no other decision, are supported.';
    problems.push({ code: 'DECISION_UNSUPPORTED', message, decisionKey });
    return undefined;
  }
  const hitPolicy = readHitPolicy(table, decisionKey, problems);
  const decision: DecisionTable = {
    key: decisionKey,
    name: element.attributes.name,
    hitPolicy,
    aggregation: readAggregation(table, decisionKey, problems),
    inputs: childrenNamed(table, 'input').map(
      (input) => textIn(input, 'inputExpression', 'text') ?? 'null',
    ),
    outputs: childrenNamed(table, 'output').map(readOutput),
    rules: childrenNamed(table, 'rule').map(readRule),
  };
  checkExpressions(decision, problems);
  return decision;
}

function readHitPolicy(
  table: XmlElement,
  decisionKey: string,
  problems: DecisionProblem[],
): HitPolicy {
  const text = table.attributes.hitPolicy ?? 'UNIQUE';
  const known = HIT_POLICIES.find((policy) => policy === text);
  if (!known) {
    const message = `The hit policy "${text}" is not known.`;
    problems.push({ code: 'HIT_POLICY_UNSUPPORTED', message, decisionKey });
  }
  return known ?? 'UNIQUE';
}

function readAggregation(
  table: XmlElement,
  decisionKey: string,
  problems: DecisionProblem[],
): DecisionTable['aggregation'] {
  const text = table.attributes.aggregation;
  const known = AGGREGATORS.find((aggregator) => aggregator === text);
  if (text !== undefined && !known) {
    const message = `The aggregation "${text}" is not known.`;
    problems.push({ code: 'HIT_POLICY_UNSUPPORTED', message, decisionKey });
  }
  return known;
}

function readOutput(output: XmlElement, index: number): DecisionOutput {
  const values = textIn(output, 'outputValues', 'text');
  return {
    name: output.attributes.name ?? output.attributes.label ?? `output${index + 1}`,
    defaultOutput: textIn(output, 'defaultOutputEntry', 'text'),
    values: values?.split(',').map((value) => value.trim().replace(/^"(.*)"$/, '$1')),
  };
}

const readRule = (rule: XmlElement): DecisionRule => ({
  inputEntries: childrenNamed(rule, 'inputEntry').map((entry) => textIn(entry, 'text') ?? '-'),
  outputEntries: childrenNamed(rule, 'outputEntry').map((entry) => textIn(entry, 'text') ?? 'null'),
});

function checkExpressions(decision: DecisionTable, problems: DecisionProblem[]): void {
  const { inputs, outputs, rules } = decision;
  const expressions = [
    ...inputs,
    ...outputs.flatMap(({ defaultOutput }) => defaultOutput ?? []),
    ...rules.flatMap(({ outputEntries }) => outputEntries),
  ];
  const tests = rules.flatMap(({ inputEntries }) => inputEntries);
  for (const text of expressions) checkText(decision, text, parseFeel, problems);
  for (const text of tests) checkText(decision, text, parseUnaryTest, problems);
}

function checkText(
  { key: decisionKey }: DecisionTable,
  text: string,
  parse: (text: string) => unknown,
  problems: DecisionProblem[],
): void {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    const message = `${error.message}: "${text.slice(0, 80)}".`;
    problems.push({ code: 'EXPRESSION_SYNTAX', message, decisionKey });
  }
}
