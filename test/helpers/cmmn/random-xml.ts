// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import * as fc from 'fast-check';

const TAGS = [
  'case',
  'casePlanModel',
  'caseFileModel',
  'caseFileItem',
  'caseRoles',
  'role',
  'stage',
  'planFragment',
  'planItem',
  'discretionaryItem',
  'planningTable',
  'applicabilityRule',
  'humanTask',
  'task',
  'caseTask',
  'processTask',
  'decisionTask',
  'milestone',
  'eventListener',
  'userEventListener',
  'timerEventListener',
  'timerExpression',
  'planItemStartTrigger',
  'sentry',
  'planItemOnPart',
  'caseFileItemOnPart',
  'standardEvent',
  'ifPart',
  'condition',
  'entryCriterion',
  'exitCriterion',
  'itemControl',
  'defaultControl',
  'repetitionRule',
  'requiredRule',
  'manualActivationRule',
  'extensionElements',
  'documentation',
  'flowable:in',
  'flowable:variableAggregation',
  'flowable:reactivationRule',
  'flowable:field',
  'flowable:string',
  'constructor',
  'hasOwnProperty',
];
const ATTRIBUTES = [
  'id',
  'name',
  'definitionRef',
  'sentryRef',
  'sourceRef',
  'exitCriterionRef',
  'caseRef',
  'authorizedRoleRefs',
  'applicabilityRuleRefs',
  'performerRef',
  'autoComplete',
  'isBlocking',
  'language',
  'flowable:type',
  'flowable:eventType',
  'flowable:candidateUsers',
  'flowable:assignee',
  'flowable:dueDate',
  'flowable:priority',
  'flowable:collectionVariable',
  'flowable:maxInstanceCount',
  'flowable:exitType',
  'flowable:triggerMode',
  'flowable:availableCondition',
  'source',
  'target',
  'constructor',
  '__proto__',
  'xmlns:x',
];
const VALUES = [
  'a',
  'b',
  'c',
  'a b c',
  'true',
  'complete',
  'occur',
  'R/PT1S',
  '${a}',
  '${',
  '=for x in a return x',
  '#{b.c(1)}',
  'constructor',
  '__proto__',
  'external-worker',
  'signal',
  '&amp;&#65;',
  '',
];

interface Element {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly text: string;
  readonly children: readonly Element[];
}

const anElement: fc.Arbitrary<Element> = fc.letrec<{ element: Element }>((tie) => ({
  element: fc.record({
    tag: fc.constantFrom(...TAGS),
    attributes: fc.uniqueArray(
      fc.tuple(fc.constantFrom(...ATTRIBUTES), fc.constantFrom(...VALUES)),
      { maxLength: 4, selector: ([name]) => name },
    ),
    text: fc.constantFrom('', '', '', ...VALUES),
    children: fc.oneof(
      { maxDepth: 5 },
      fc.constant<Element[]>([]),
      fc.array(tie('element'), { maxLength: 4 }),
    ),
  }),
})).element;

function show({ tag, attributes, text, children }: Element): string {
  const shown = attributes.map(([name, value]) => ` ${name}="${value}"`).join('');
  return `<${tag}${shown}>${text}${children.map(show).join('')}</${tag}>`;
}

/** XML of the words of CMMN, in any order. */
export const aRandomXml: fc.Arbitrary<string> = fc
  .tuple(fc.array(anElement, { maxLength: 3 }), fc.array(anElement, { maxLength: 6 }))
  .map(
    ([around, inside]) =>
      `<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL" xmlns:flowable="http://flowable.org/cmmn">${around.map(show).join('')}<case id="case"><casePlanModel id="plan">${inside.map(show).join('')}</casePlanModel></case></definitions>`,
  );

const PIECES = ['"', '<', '>', '/>', '&', ' ', '<!--', ']]>', '\u0000', '${', ...VALUES];

/** The text with pieces of it cut out, repeated, moved or put in. */
export const mutationsOf = (text: string): fc.Arbitrary<string> =>
  fc
    .array(
      fc.record({
        from: fc.nat(text.length),
        length: fc.nat(60),
        to: fc.nat(text.length),
        piece: fc.constantFrom(...PIECES),
        kind: fc.constantFrom('cut', 'repeat', 'move', 'put'),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((mutations) =>
      mutations.reduce((mutated, { kind, from, length, to, piece }) => {
        const part = mutated.slice(from, from + length);
        const without = mutated.slice(0, from) + mutated.slice(from + length);
        if (kind === 'cut') return without;
        const inserted = kind === 'put' ? piece : part;
        const base = kind === 'move' ? without : mutated;
        return base.slice(0, to) + inserted + base.slice(to);
      }, text),
    );

/** Values of JSON that are not what somebody expects. */
const aWrongValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'bogus',
    -1,
    0,
    1e308,
    true,
    [],
    {},
    [null],
    'active',
    'completed',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The value of JSON with members taken out, put elsewhere or exchanged for something else. */
export const wrongFormsOf = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.array(fc.nat(40), { maxLength: 6 }), aWrongValue, fc.nat(2)), {
      minLength: 1,
      maxLength: 3,
    })
    .map((changes) => {
      const wrong = changes.reduce(
        (changed, [path, wrong, kind]) => changeAt(changed, path, wrong, kind),
        structuredClone(value),
      );
      return JSON.parse(JSON.stringify(wrong));
    });

function changeAt(
  value: unknown,
  [first, ...path]: readonly number[],
  wrong: unknown,
  kind: number,
): unknown {
  if (first === undefined || value === null || typeof value !== 'object') return wrong;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(keys.length, 1)];
  if (key === undefined) return wrong;
  const members = value as Record<string, unknown>;
  if (path.length === 0 && kind === 0) delete members[key];
  else members[key] = changeAt(members[key], path, wrong, kind);
  return value;
}
