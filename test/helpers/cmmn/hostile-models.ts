// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { aModel, aSentry, aTask } from './cmmn.ts';

const NAMESPACE = 'xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL"';

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

const document = (content: string, attributes = ''): string =>
  `<definitions ${NAMESPACE} xmlns:flowable="http://flowable.org/cmmn" ${attributes}>${content}</definitions>`;

const aCase = (index: number, content: string): string =>
  `<case id="c${index}"><casePlanModel id="p${index}">${content}</casePlanModel></case>`;

const item = (id: string, definition: string, inner = ''): string =>
  `<planItem id="${id}" definitionRef="${definition}">${inner}</planItem>`;

/**
 * Documents that ask for more work than their length suggests, by what is wrong with them. Twice the size is
 * about twice the text.
 */
export const HOSTILE_MODELS: Readonly<Record<string, (size: number) => string>> = {
  'a long word without a value': (size) => `<definitions ${'b'.repeat(size * 10)}>`,
  'attributes without values': (size) => `<definitions ${'b '.repeat(size * 5)}>`,
  'expressions that are never closed': (size) =>
    aModel(aTask('A', '', `flowable:candidateUsers="${'${'.repeat(size * 5)}"`)),
  'plan items without ids': (size) =>
    aModel(`${'<planItem definitionRef="A"/>'.repeat(size)}<humanTask id="A"/>`),
  'tasks without ids and names': (size) => aModel('<humanTask/>'.repeat(size)),
  'many namespaces': (size) =>
    document(
      repeat(size, (n) => `<a${n}:x/>`),
      repeat(size, (n) => `xmlns:a${n}="u${n}" `),
    ),
  'namespaces declared all over': (size) =>
    document(
      repeat(size, (n) => `<x xmlns:b${n}="v"/>`),
      repeat(size, (n) => `xmlns:a${n}="u${n}" `),
    ),
  'plan fragments that place each other twice': (size) =>
    aModel(
      item('first', 'f0') +
        repeat(
          size / 10,
          (n) =>
            `<planFragment id="f${n}">${item(`a${n}`, `f${n + 1}`)}${item(`b${n}`, `f${n + 1}`)}</planFragment>`,
        ),
    ),
  'one plan fragment in many places': (size) =>
    aModel(
      `${repeat(size, (n) => item(`a${n}`, 'f'))}<planFragment id="f">${item('t', 'A')}</planFragment><humanTask id="A"/>`,
    ),
  'a plan fragment within the other': (size) =>
    aModel(
      item('first', 'f0') +
        repeat(
          size,
          (n) => `<planFragment id="f${n}">${item(`a${n}`, `f${n + 1}`)}</planFragment>`,
        ),
    ),
  'cases that start the next one': (size) =>
    document(
      repeat(size / 2, (n) =>
        aCase(n, `${item(`i${n}`, `t${n}`)}<caseTask id="t${n}" caseRef="c${n + 1}"/>`),
      ),
    ),
  'empty stages': (size) =>
    aModel(repeat(size, (n) => `${item(`i${n}`, `s${n}`)}<stage id="s${n}"/>`)),
  'stages that place the next one': (size) =>
    aModel(
      repeat(size, (n) => item(`i${n}`, `s${size - n}`)) +
        repeat(size, (n) => `<stage id="s${n}">${item(`j${n}`, `s${n + 1}`)}</stage>`),
    ),
  'required tasks that wait for the next one': (size) =>
    aModel(
      `${repeat(
        size / 4,
        (n) =>
          item(
            `i${n}`,
            'A',
            `<itemControl><requiredRule/></itemControl><entryCriterion id="e${n}" sentryRef="s${n}"/>`,
          ) + aSentry(`s${n}`, `i${n + 1}`),
      )}${item(`i${size / 4}`, 'A')}<humanTask id="A"/>`,
    ),
  'many criteria with one sentry of many on-parts': (size) =>
    aModel(
      `${aTask('A')}${item(
        'i',
        'A',
        repeat(size / 2, (n) => `<entryCriterion id="e${n}" sentryRef="s"/>`),
      )}<sentry id="s">${repeat(
        size / 2,
        (n) =>
          `<planItemOnPart id="o${n}" sourceRef="piA"><standardEvent>complete</standardEvent></planItemOnPart>`,
      )}</sentry>`,
    ),
  'repetitions with sentries without on-parts': (size) =>
    aModel(
      `${repeat(
        size / 4,
        (n) =>
          item(
            `i${n}`,
            'A',
            `<itemControl><repetitionRule/></itemControl><entryCriterion id="e${n}" sentryRef="s${n}"/>`,
          ) + aSentry(`s${n}`, undefined, '', '${go}'),
      )}<humanTask id="A"/>`,
    ),
  'references to one role': (size) =>
    aModel(
      `${item('i', 'u')}<userEventListener id="u" authorizedRoleRefs="${'u '.repeat(size * 5)}"/>`,
    ),
  'nested planning tables that hand down their rules': (size) =>
    aModel(
      `<planningTable id="t"><planningTable id="u" applicabilityRuleRefs="${repeat(size / 4, (n) => `r${n} `)}">${repeat(
        size / 4,
        (n) => `<discretionaryItem id="d${n}" definitionRef="A"/>`,
      )}</planningTable>${repeat(size / 4, (n) => `<applicabilityRule id="r${n}"/>`)}</planningTable><humanTask id="A"/>`,
    ),
};
