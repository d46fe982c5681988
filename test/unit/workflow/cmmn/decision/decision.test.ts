import { describe, expect, it } from 'vitest';
import { compileDecisions } from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, startCase } from '../../../../helpers/cmmn/cmmn.ts';

/** A table over `amount` with one output `rate`; rules are pairs of test and output. */
function aTable(
  attributes: string,
  rules: readonly (readonly [string, string])[],
  output = '',
): string {
  const rows = rules.map(
    ([test, rate]) =>
      `<rule><inputEntry><text><![CDATA[${test}]]></text></inputEntry><outputEntry><text>${rate}</text></outputEntry></rule>`,
  );
  return `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"><decision id="rates" name="Rates"><decisionTable ${attributes}><input><inputExpression typeRef="number"><text>amount</text></inputExpression></input><output name="rate">${output}</output>${rows.join('')}</decisionTable></decision></definitions>`;
}

const MODEL = aModel(
  `<planItem id="pd" name="Decide" definitionRef="D"/><decisionTask id="D" decisionRef="rates"/>${aTask('Work')}`,
);
const RULES = [
  ['< 10', '"low"'],
  ['[5..20]', '"middle"'],
  ['> 20', '"high"'],
] as const;

async function decide(dmn: string, amount: number) {
  const running = await startCase(MODEL, { dmn, variables: { amount } });
  expect(running.states.Decide).toEqual(['completed']);
  return running.variables;
}

describe('a decision task', () => {
  it.each([
    ['UNIQUE', 3, { rate: 'low' }],
    ['UNIQUE', 50, { rate: 'high' }],
    ['FIRST', 7, { rate: 'low' }],
    ['RULE ORDER', 7, { rates: [{ rate: 'low' }, { rate: 'middle' }] }],
    ['COLLECT', 7, { rates: [{ rate: 'low' }, { rate: 'middle' }] }],
  ])('with hit policy %s and %i gives %j', async (hitPolicy, amount, expected) => {
    expect(await decide(aTable(`hitPolicy="${hitPolicy}"`, RULES), amount)).toMatchObject(expected);
  });

  it.each([
    ['SUM', 30],
    ['MIN', 10],
    ['MAX', 20],
    ['COUNT', 2],
  ])('aggregates by %s', async (aggregation, rate) => {
    const table = aTable(`hitPolicy="COLLECT" aggregation="${aggregation}"`, [
      ['-', '10'],
      ['> 1', '20'],
    ]);

    expect(await decide(table, 5)).toMatchObject({ rate });
  });

  it('takes the output with the highest priority', async () => {
    const values = '<outputValues><text>"high","middle","low"</text></outputValues>';

    expect(await decide(aTable('hitPolicy="PRIORITY"', RULES, values), 7)).toMatchObject({
      rate: 'middle',
    });
    expect(await decide(aTable('hitPolicy="OUTPUT ORDER"', RULES, values), 7)).toMatchObject({
      rates: [{ rate: 'middle' }, { rate: 'low' }],
    });
  });

  it('allows several equal hits with ANY, and no others', async () => {
    const equal = aTable('hitPolicy="ANY"', [
      ['< 10', '"x"'],
      ['> 1', '"x"'],
    ]);

    expect(await decide(equal, 5)).toMatchObject({ rate: 'x' });
    await expect(decide(aTable('hitPolicy="ANY"', RULES), 7)).rejects.toMatchObject({
      code: 'DECISION_ERROR',
    });
  });

  it('refuses several hits with UNIQUE, the default', async () => {
    await expect(decide(aTable('', RULES), 7)).rejects.toMatchObject({
      code: 'DECISION_ERROR',
      details: { reference: 'rates', elementId: 'pd' },
    });
  });

  it('falls back to the default output', async () => {
    const table = aTable(
      '',
      [['> 100', '"big"']],
      '<defaultOutputEntry><text>"none"</text></defaultOutputEntry>',
    );

    expect(await decide(table, 1)).toMatchObject({ rate: 'none' });
  });

  it('leaves nothing behind when no rule matches, unless the model wants an error', async () => {
    const table = aTable('', [['> 100', '"big"']]);

    expect(await decide(table, 1)).not.toHaveProperty('rate');
    const strict = MODEL.replace(
      'decisionRef',
      'flowable:decisionTaskThrowErrorOnNoHits="true" decisionRef',
    );
    await expect(startCase(strict, { dmn: table, variables: { amount: 1 } })).rejects.toMatchObject(
      {
        code: 'DECISION_ERROR',
      },
    );
  });

  it('names the decision that is missing', async () => {
    await expect(startCase(MODEL)).rejects.toMatchObject({
      code: 'DECISION_NOT_FOUND',
      details: { reference: 'rates', elementId: 'pd' },
    });
  });

  it('names it whole, with the tenant, however long its key is', async () => {
    const reference = 'rates-'.repeat(100);
    const model = MODEL.replace('decisionRef="rates"', `decisionRef="\${key}"`);
    const variables = { key: reference };

    await expect(startCase(model, { tenantId: 'acme', variables })).rejects.toMatchObject({
      code: 'DECISION_NOT_FOUND',
      details: { reference, tenantId: 'acme', planItemInstanceId: expect.any(String) },
    });
  });

  it('reads text as XML means it', () => {
    const table = (text: string): string =>
      `<!-- <!DOCTYPE x> --><d:definitions xmlns:d="urn:dmn"><d:decision id="a" name="A &amp; B"><d:decisionTable><d:input><d:inputExpression><d:text>x</d:text></d:inputExpression></d:input><d:output name="y"/><d:rule><d:inputEntry><d:text><![CDATA[< 5]]></d:text></d:inputEntry><d:outputEntry><d:text>${text}</d:text></d:outputEntry></d:rule></d:decisionTable></d:decision></d:definitions>`;

    const { decisions, problems } = compileDecisions(table('"&#x1F600; &lt; &#65;"'));

    expect(problems).toEqual([]);
    expect(decisions[0]).toMatchObject({
      name: 'A & B',
      rules: [{ inputEntries: ['< 5'], outputEntries: ['"\u{1F600} < A"'] }],
    });
  });

  it('is refused when its table holds no FEEL', () => {
    const { decisions, problems } = compileDecisions(aTable('', [['-', '1 +']]));

    expect(decisions).toEqual([]);
    expect(problems[0]).toMatchObject({ code: 'EXPRESSION_SYNTAX', decisionKey: 'rates' });
  });
});
