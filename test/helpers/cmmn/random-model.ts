// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import * as fc from 'fast-check';
import { aModel } from './cmmn.ts';

/** A plan item as fast-check draws it; numbers choose among what there is. */
interface DrawnItem {
  readonly type: keyof typeof EVENTS;
  readonly parent: number;
  readonly entries: readonly DrawnCriterion[];
  readonly exits: readonly DrawnCriterion[];
  readonly control: readonly string[];
  readonly attributes: readonly string[];
}

interface DrawnCriterion {
  readonly sources: readonly number[];
  readonly event: number;
  readonly condition: string | undefined;
  readonly onEvent: boolean;
  readonly exitType: string | undefined;
  readonly exitEventType: string | undefined;
}

const EVENTS = {
  humanTask: ['create', 'start', 'complete', 'terminate', 'exit', 'enable', 'disable', 'suspend'],
  task: ['create', 'start', 'complete', 'terminate', 'exit'],
  stage: ['create', 'start', 'complete', 'terminate', 'exit'],
  milestone: ['create', 'occur', 'terminate'],
  userEventListener: ['create', 'occur', 'terminate'],
  timer: ['create', 'occur', 'terminate'],
  caseTask: ['create', 'start', 'complete', 'terminate', 'exit'],
  externalWork: ['create', 'start', 'complete', 'fault', 'terminate', 'exit'],
  processTask: ['create', 'start', 'complete', 'fault', 'terminate', 'exit'],
  signal: ['create', 'occur', 'terminate'],
  variable: ['create', 'occur', 'terminate'],
} as const;
const LISTENERS: readonly string[] = ['userEventListener', 'timer', 'signal', 'variable'];

function aggregation(target: string, attributes: string): string {
  return `<extensionElements><flowable:variableAggregation target="${target}" ${attributes}><variable source="number" target="n"/></flowable:variableAggregation></extensionElements>`;
}

const CONTROLS = [
  '<requiredRule/>',
  '<requiredRule><condition>${flag}</condition></requiredRule>',
  '<manualActivationRule/>',
  '<repetitionRule flowable:maxInstanceCount="2"><condition>${repetitionCounter &lt; 3}</condition></repetitionRule>',
  '<repetitionRule flowable:maxInstanceCount="1"/>',
  '<repetitionRule flowable:collectionVariable="list" flowable:elementVariable="element"/>',
  `<repetitionRule flowable:collectionVariable="list" flowable:elementVariable="element">${aggregation('votes', 'createOverviewVariable="true"')}</repetitionRule>`,
  `<repetitionRule>${aggregation('numbers', '')}<condition>\${repetitionCounter &lt; 3}</condition></repetitionRule>`,
];
const EXTENSIONS = [
  '<flowable:completionNeutralRule/>',
  '<flowable:parentCompletionRule type="ignore"/>',
  '<flowable:parentCompletionRule type="ignoreAfterFirstCompletion"/>',
  '<flowable:parentCompletionRule type="ignoreIfAvailableOrEnabled"/>',
  '<flowable:reactivationRule ignoreCondition="true"/>',
  '<flowable:reactivationRule activateCondition="${flag}"/>',
  '<flowable:reactivationRule defaultCondition="${!flag}"/>',
];

const aCriterion = fc.record<DrawnCriterion>({
  sources: fc.array(fc.nat(50), { minLength: 1, maxLength: 2 }),
  event: fc.nat(20),
  condition: fc.option(fc.constantFrom('${flag}', '${!flag}', '${number > 2}'), { nil: undefined }),
  onEvent: fc.boolean(),
  exitType: fc.option(fc.constantFrom('activeInstances', 'activeAndEnabledInstances'), {
    nil: undefined,
  }),
  exitEventType: fc.option(fc.constantFrom('forceComplete', 'exit'), { nil: undefined }),
});

const anItem = fc.record<DrawnItem>({
  type: fc.constantFrom(
    'humanTask',
    'humanTask',
    'task',
    'stage',
    'stage',
    'milestone',
    'userEventListener',
    'timer',
    'caseTask',
    'externalWork',
    'processTask',
    'signal',
    'variable',
  ),
  parent: fc.nat(50),
  entries: fc.array(aCriterion, { maxLength: 2 }),
  exits: fc.array(aCriterion, { maxLength: 1 }),
  control: fc.uniqueArray(fc.constantFrom(...CONTROLS, ...EXTENSIONS), {
    maxLength: 3,
    selector: (text) => /^<[\w:]+/.exec(text)?.[0],
  }),
  attributes: fc.uniqueArray(fc.constantFrom('autoComplete="true"', 'isBlocking="false"'), {
    maxLength: 2,
  }),
});

/** The case that the case tasks of random models start. */
export const CHILD_MODEL = aModel(
  '<planItem id="cpi" name="Child task" definitionRef="ct"/><humanTask id="ct" name="Child task"/><planItem id="cpm" name="Child milestone" definitionRef="cm"><entryCriterion id="ce" sentryRef="cs"/></planItem><milestone id="cm"/><sentry id="cs"><ifPart><condition>${number > 2}</condition></ifPart></sentry>',
  { key: 'child', attributes: 'autoComplete="true"' },
);

/**
 * A valid model over the variables `flag`, `number` and `list`, of up to so many plan items. Its case tasks start
 * `CHILD_MODEL`; some models can be reactivated.
 */
export const aRandomModel = (maxItems: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(anItem, { minLength: 1, maxLength: maxItems }), fc.boolean())
    .map(([items, comesBack]) => toXml(items, comesBack));

const REACTIVATION =
  '<planItem id="piBack" definitionRef="back"/><eventListener id="back" flowable:eventType="reactivate"/>';

function toXml(items: readonly DrawnItem[], comesBack: boolean): string {
  const parents = items.map((item, index) => parentOf(items, item, index));
  const inside = (parent: number): string =>
    items
      .map((item, index) => (parents[index] === parent ? itemXml(items, item, index, inside) : ''))
      .join('\n');
  return aModel(inside(-1) + (comesBack ? REACTIVATION : ''), {
    attributes: 'autoComplete="false"',
  });
}

/** A stage before the item, or -1 for the plan model. */
function parentOf(items: readonly DrawnItem[], item: DrawnItem, index: number): number {
  const stages = items.flatMap(({ type }, at) => (type === 'stage' && at < index ? [at] : []));
  return [-1, ...stages][item.parent % (stages.length + 1)] ?? -1;
}

function itemXml(
  items: readonly DrawnItem[],
  item: DrawnItem,
  index: number,
  inside: (parent: number) => string,
): string {
  const { type } = item;
  const isListener = LISTENERS.includes(type);
  const entries = isListener ? [] : item.entries;
  const exits = isListener || type === 'milestone' ? [] : item.exits;
  const criteria = [
    ...entries.map((entry, n) => criterionXml('entry', entry, `${index}n${n}`)),
    ...exits.map((exit, n) => criterionXml('exit', exit, `${index}x${n}`)),
  ];
  const sentries = [
    ...entries.map((entry, n) => sentryXml(items, entry, `${index}n${n}`)),
    ...exits.map((exit, n) => sentryXml(items, exit, `${index}x${n}`)),
  ];
  return `<planItem id="pi${index}" name="Item ${index}" definitionRef="d${index}">${controlXml(item)}${criteria.join('')}</planItem>${sentries.join('')}${definitionXml(item, index, inside)}`;
}

function controlXml({ type, control }: DrawnItem): string {
  if (LISTENERS.includes(type)) return '';
  const extensions = control.filter((text) => text.startsWith('<flowable'));
  const rules = control.filter((text) => !text.startsWith('<flowable'));
  return `<itemControl><extensionElements>${extensions.join('')}</extensionElements>${rules.join('')}</itemControl>`;
}

function criterionXml(kind: 'entry' | 'exit', drawn: DrawnCriterion, id: string): string {
  const exitType =
    kind === 'exit' && drawn.exitType ? ` flowable:exitType="${drawn.exitType}"` : '';
  const eventType =
    kind === 'exit' && drawn.exitEventType
      ? ` flowable:exitEventType="${drawn.exitEventType}"`
      : '';
  return `<${kind}Criterion id="c${id}" sentryRef="s${id}"${exitType}${eventType}/>`;
}

function sentryXml(items: readonly DrawnItem[], drawn: DrawnCriterion, id: string): string {
  const { sources, event, condition, onEvent } = drawn;
  const onParts = sources.map((source, n) => {
    const at = source % items.length;
    const events = EVENTS[items[at]?.type ?? 'task'];
    return `<planItemOnPart id="o${id}n${n}" sourceRef="pi${at}"><standardEvent>${events[event % events.length]}</standardEvent></planItemOnPart>`;
  });
  const ifPart = condition
    ? `<ifPart><condition><![CDATA[${condition}]]></condition></ifPart>`
    : '';
  const mode = onEvent ? ' flowable:triggerMode="onEvent"' : '';
  return `<sentry id="s${id}"${mode}>${onParts.join('')}${ifPart}</sentry>`;
}

function definitionXml(
  { type, attributes }: DrawnItem,
  index: number,
  inside: (parent: number) => string,
): string {
  const name = `id="d${index}" name="Definition ${index}"`;
  const own = (prefix: string): string => attributes.find((text) => text.startsWith(prefix)) ?? '';
  switch (type) {
    case 'stage':
      return `<stage ${name} ${own('auto')}>${inside(index)}</stage>`;
    case 'timer':
      return `<timerEventListener ${name}><timerExpression>R2/PT1H</timerExpression></timerEventListener>`;
    case 'caseTask':
      return `<caseTask ${name} ${own('isBlocking')} caseRef="child"><extensionElements><flowable:in source="number" target="number"/><flowable:out source="number" target="fromChild"/></extensionElements></caseTask>`;
    case 'processTask':
      return `<processTask ${name} ${own('isBlocking')} processRef="process"/>`;
    case 'externalWork':
      return `<task ${name} flowable:type="external-worker" flowable:topic="work"/>`;
    case 'signal':
      return `<eventListener ${name} flowable:eventType="signal" flowable:signalRef="signal"/>`;
    case 'variable':
      return `<eventListener ${name} flowable:eventType="variable" flowable:variableName="number"/>`;
    case 'humanTask':
    case 'task':
      return `<${type} ${name} ${own('isBlocking')}/>`;
    default:
      return `<${type} ${name}/>`;
  }
}
