// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  type Command,
  compile,
  compileDecisions,
  type Variables,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, problemsOf, startCase } from '../../../../helpers/cmmn/cmmn.ts';

const HEAD = '<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL">';
const ENTITY_BOMB = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>${HEAD}<case id="c" name="&c;"/></definitions>`;

describe('XML that is no model', () => {
  it.each([
    ['nothing', '', 'XML_MALFORMED'],
    ['text', 'hello', 'XML_MALFORMED'],
    ['HTML', '<html><body/></html>', 'NOT_CMMN'],
    ['BPMN', '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>', 'NOT_CMMN'],
    ['no namespace', '<definitions/>', 'NOT_CMMN'],
    [
      'CMMN 1.0',
      '<definitions xmlns="http://www.omg.org/spec/CMMN/20131201/MODEL"/>',
      'UNSUPPORTED_NAMESPACE',
    ],
    ['an open element', `${HEAD}<case id="c"><casePlanModel id="p">`, 'XML_MALFORMED'],
    [
      'crossed elements',
      `${HEAD}<case id="c"><casePlanModel id="p"></case></definitions>`,
      'XML_MALFORMED',
    ],
    ['an open attribute', `${HEAD}<case id="c></definitions>`, 'XML_MALFORMED'],
    ['text around the root', `x${HEAD}</definitions>`, 'XML_MALFORMED'],
    ['a document type', `<!DOCTYPE definitions>${HEAD}</definitions>`, 'XML_DTD_FORBIDDEN'],
    ['an entity bomb', ENTITY_BOMB, 'XML_DTD_FORBIDDEN'],
    [
      'an external entity',
      `<!DOCTYPE x SYSTEM "file:///etc/passwd">${HEAD}</definitions>`,
      'XML_DTD_FORBIDDEN',
    ],
    ['10 MB', `${HEAD}${'<!-- x -->'.repeat(1024 * 1024)}</definitions>`, 'XML_TOO_LARGE'],
    ['100,000 nested elements', `${HEAD}${'<stage>'.repeat(100_000)}`, 'XML_TOO_LARGE'],
    ['open comments', `${HEAD}${'<!--'.repeat(200_000)}`, 'XML_MALFORMED'],
    ['open tags', `${HEAD}${'<a '.repeat(300_000)}`, 'XML_MALFORMED'],
    ['open quotes', `${HEAD}${'<a "'.repeat(200_000)}`, 'XML_MALFORMED'],
    ['60,000 unknown elements', `${HEAD}${'<b/>'.repeat(60_000)}</definitions>`, 'NOT_CMMN'],
    [
      '100,000 broken attributes',
      `${HEAD}<case ${'1 '.repeat(100_000)}/></definitions>`,
      'NOT_CMMN',
    ],
  ])('%s is refused', async (_, xml, code) => {
    const result = await compile(xml);

    expect(result.isValid).toBe(false);
    expect(result.cases).toEqual([]);
    expect(result.problems.map((problem) => problem.code)).toContain(code);
  });

  it('says where a text stops being XML', async () => {
    const result = await compile(`${HEAD}\n<case id="c"></plan></definitions>`);

    expect(problemsOf(result, 'XML_MALFORMED')[0]).toMatchObject({ line: 2 });
  });

  it('is not confused by names of the language below', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const result = await compile(
        aModel(
          aTask(name, `<entryCriterion id="e" sentryRef="${name}S"/>`) + aSentry(`${name}S`, 'no'),
        ),
      );

      expect(problemsOf(result, 'ON_PART_SOURCE_UNRESOLVED')).toHaveLength(1);
    }
  });
});

describe('models that ask for too much', () => {
  it('ends a case that would never come to rest', async () => {
    const endless = aTask(
      'A',
      '<itemControl><repetitionRule/></itemControl>',
      'isBlocking="false"',
    );

    await expect(startCase(aModel(endless))).rejects.toMatchObject({ code: 'ENGINE_LOOP' });
  });

  it('ends a case whose conditions chase each other', async () => {
    const repeating = (name: string): string =>
      aTask(
        name,
        `<itemControl><repetitionRule/></itemControl><entryCriterion id="e${name}" sentryRef="s"/>`,
      );
    const model = aModel(repeating('A') + aSentry('s', undefined, '', '${true}'));

    await expect(startCase(model)).rejects.toMatchObject({ code: 'ENGINE_LOOP' });
  });

  it('ends cases that start each other for ever', async () => {
    const calling = (key: string, other: string): string =>
      aModel(
        `<planItem id="pi${key}" definitionRef="C${key}"/><caseTask id="C${key}" caseRef="${other}"/>`,
        { key },
      );

    const start = startCase([calling('first', 'second'), calling('second', 'first')]);

    await expect(start).rejects.toMatchObject({ code: 'CASE_TASK_RECURSION' });
  });

  it('refuses collections beyond the limit', async () => {
    const model = aModel(
      aTask(
        'A',
        '<itemControl><repetitionRule flowable:collectionVariable="all" flowable:elementVariable="one"/></itemControl>',
      ),
    );
    const all = Array.from({ length: 201 }, (_, index) => index);

    await expect(startCase(model, { variables: { all } })).rejects.toMatchObject({
      code: 'COLLECTION_TOO_LARGE',
    });
  });
});

describe('variables', () => {
  const model = aModel(
    aTask('A') +
      aTask('B', '<entryCriterion id="e" sentryRef="s"/>') +
      aSentry('s', 'piA', 'complete', '${amount > 5}'),
  );

  it('of 1 MB pass', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const limits = { maxCommandVariables: 2 * 1024 * 1024 };
    const running = await startCase(model, { variables: { text, amount: 6 }, limits });

    running.complete('A');

    expect(running.variables.text).toBe(text);
    expect(running.states.B).toEqual(['active']);
  });

  it('of endless nesting are refused, those of JSON from people are not', async () => {
    const nested = (depth: number): Variables =>
      JSON.parse(`{"deep":${'['.repeat(depth)}${']'.repeat(depth)},"amount":1}`) as Variables;

    await expect(startCase(model, { variables: nested(50_000) })).rejects.toMatchObject({
      code: 'VARIABLE_TOO_DEEP',
      details: { reference: 'deep' },
    });
    expect((await startCase(model, { variables: nested(90) })).state).toBe('active');
  });

  it.each(['__proto__', 'constructor', 'caseInstance'])(
    'called %s are not set by expressions',
    async (name) => {
      const expression = `\${caseInstance.setVariable('${name}', 1)}`;
      const task = `<planItem id="pi" name="E" definitionRef="E"/><task id="E" flowable:type="java" flowable:expression="${expression}"/>`;

      await expect(startCase(aModel(task))).rejects.toMatchObject({
        code: 'VARIABLE_NAME_RESERVED',
      });
    },
  );

  it('of a command that does not exist change nothing', async () => {
    const running = await startCase(model, { variables: { amount: 1 } });

    for (const type of ['toString', '__proto__', 'bogus']) {
      expect(running.refusal({ type } as unknown as Command).code).toBe('COMMAND_UNKNOWN');
    }
  });

  it('that are unknown to a condition refuse the command and change nothing', async () => {
    const running = await startCase(model, { variables: { amount: 1 } });
    running.give({ type: 'removeVariables', names: ['amount'] });
    const before = JSON.stringify(running.world.state);

    const refusal = running.refusal({ type: 'completeTask', planItemInstanceId: running.id('A') });

    expect(refusal.code).toBe('EXPRESSION_ERROR');
    expect(refusal.details).toMatchObject({ elementId: 'piB', expression: '${amount > 5}' });
    expect(JSON.stringify(running.world.state)).toBe(before);
  });

  it.each([
    'caseInstance',
    'planItemInstance',
    'planItemInstances',
    'task',
    '__proto__',
    'constructor',
    '',
  ])('cannot be called %j', async (name) => {
    const running = await startCase(model, { variables: { amount: 1 } });

    const refusal = running.refusal({
      type: 'setVariables',
      variables: JSON.parse(`{"${name}":{"polluted":true}}`),
    });

    expect(refusal.code).toBe('VARIABLE_NAME_RESERVED');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('DMN that is no decision', () => {
  it.each([
    ['text', 'hello', 'DMN_MALFORMED'],
    ['an open element', '<definitions><decision>', 'DMN_MALFORMED'],
    ['an unknown entity', '<definitions>&foo;</definitions>', 'DMN_MALFORMED'],
    ['crossed elements', '<definitions><decision></definitions></decision>', 'DMN_MALFORMED'],
    ['an attribute without quotes', '<definitions id=a/>', 'DMN_MALFORMED'],
    ['two outermost elements', '<definitions/><definitions/>', 'DMN_MALFORMED'],
    ['a document type', '<!DOCTYPE x><definitions/>', 'DMN_DTD_FORBIDDEN'],
    [
      'an entity bomb',
      '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><definitions>&b;</definitions>',
      'DMN_DTD_FORBIDDEN',
    ],
    ['open comments', `<definitions>${'<!--'.repeat(200_000)}`, 'DMN_MALFORMED'],
    ['open tags', `<definitions>${'<a '.repeat(300_000)}`, 'DMN_MALFORMED'],
    ['2 MB', `<definitions>${' '.repeat(2 * 1024 * 1024)}</definitions>`, 'DMN_TOO_LARGE'],
    ['no decision', '<definitions/>', 'DMN_NO_DECISION'],
    [
      'a literal expression',
      '<definitions><decision id="d"><literalExpression/></decision></definitions>',
      'DECISION_UNSUPPORTED',
    ],
    [
      'an unknown hit policy',
      '<definitions><decision id="d"><decisionTable hitPolicy="BEST"/></decision></definitions>',
      'HIT_POLICY_UNSUPPORTED',
    ],
    [
      'an unknown aggregation',
      '<definitions><decision id="d"><decisionTable hitPolicy="COLLECT" aggregation="AVG"/></decision></definitions>',
      'HIT_POLICY_UNSUPPORTED',
    ],
    [
      'a decision that needs another one',
      '<definitions><decision id="d"><informationRequirement><requiredDecision href="#e"/></informationRequirement><decisionTable/></decision></definitions>',
      'DECISION_UNSUPPORTED',
    ],
    ['deep nesting', '<a>'.repeat(100_000), 'DMN_MALFORMED'],
  ])('%s is refused', (_, xml, code) => {
    const { decisions, problems } = compileDecisions(xml);

    expect(decisions).toEqual([]);
    expect(problems.map((problem) => problem.code)).toContain(code);
  });
});
