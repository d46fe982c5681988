import { CmmnError } from '../basics/cmmn-error.ts';
import { type CaseDefinition, MODEL_FORMAT_VERSION } from './case-definition.ts';
import {
  type CaseModel,
  type CriterionNode,
  type OnPartNode,
  type PlanItemNode,
  type StageNode,
  sourcesOf,
} from './case-model.ts';
import type { PlanItem } from './plan-item.ts';
import { isEventListener, type PlanItemDefinition, type Stage } from './plan-item-definition.ts';
import type { Criterion, Sentry } from './sentry.ts';

const models = new WeakMap<CaseDefinition, CaseModel>();

/**
 * Resolves the references of a case definition that the validator has found no error in.
 * @throws CmmnError `MODEL_VERSION_UNKNOWN` when a later version has compiled it
 */
export function caseModelOf(definition: CaseDefinition): CaseModel {
  const known = models.get(definition);
  if (known) return known;
  const version: number = definition.formatVersion;
  if (version !== MODEL_FORMAT_VERSION) {
    const message = `A model of version ${version} cannot be read: this is version ${MODEL_FORMAT_VERSION}.`;
    throw new CmmnError('MODEL_VERSION_UNKNOWN', message, { reference: definition.key });
  }
  const model = link(definition);
  models.set(definition, model);
  return model;
}

interface Linking {
  readonly planItems: Map<string, PlanItemNode>;
  readonly stages: Map<string, StageNode>;
  readonly sentries: Map<string, Sentry>;
  readonly onParts: Map<Sentry, readonly OnPartNode[]>;
  readonly definitions: Map<string, PlanItemDefinition>;
  readonly heardVariables: Map<string, Set<PlanItemNode>>;
  /** Definitions that some plan item has placed: their planning tables are linked. */
  readonly placed: Set<PlanItemDefinition>;
}

function link(definition: CaseDefinition): CaseModel {
  const linking: Linking = {
    planItems: new Map(),
    stages: new Map(),
    sentries: new Map(),
    onParts: new Map(),
    definitions: new Map(),
    heardVariables: new Map(),
    placed: new Set(),
  };
  collect(definition.planModel, linking);
  const planModel = linkStage(definition.planModel, linking);
  for (const node of linking.planItems.values()) linkCriteria(node, linking);
  return {
    definition,
    planModel,
    exitCriteria: definition.planModel.exitCriteria.map((c) => linkCriterion(c, linking)),
    planItems: linking.planItems,
    heardVariables: linking.heardVariables,
    hasVariableListeners: [...linking.definitions.values()].some(
      (candidate) => candidate.type === 'variableEventListener',
    ),
  };
}

function collect(stage: Stage, linking: Linking): void {
  for (const sentry of stage.sentries) linking.sentries.set(sentry.id, sentry);
  for (const definition of stage.definitions) {
    linking.definitions.set(definition.id, definition);
    if (definition.type === 'stage') collect(definition, linking);
  }
}

function linkStage(definition: Stage, linking: Linking): StageNode {
  const known = linking.stages.get(definition.id);
  if (known) return known;
  const stage: StageNode = { definition, plannedBy: [], children: [], plannable: [] };
  linking.stages.set(definition.id, stage);
  for (const item of definition.planItems) stage.children.push(linkItem(item, stage, linking));
  for (const item of definition.planningTable?.items ?? []) {
    stage.plannable.push(linkItem(item, stage, linking));
  }
  return stage;
}

function linkItem(item: PlanItem, parent: StageNode, linking: Linking): PlanItemNode {
  const definition = required(linking.definitions.get(item.definitionRef), item.definitionRef);
  const isFirst = !linking.placed.has(definition);
  linking.placed.add(definition);
  const stage = definition.type === 'stage' ? linkStage(definition, linking) : undefined;
  const node: PlanItemNode = {
    id: item.id,
    item,
    definition,
    isEventListener: isEventListener(definition),
    isStage: stage !== undefined,
    itemControl: item.itemControl ?? definition.defaultControl ?? {},
    parent,
    stage,
    entryCriteria: [],
    exitCriteria: [],
    isConditional:
      'availableCondition' in definition && definition.availableCondition !== undefined,
    hearsEvents: false,
    heard: new Map(),
    entryDependents: new Set(),
    exitDependents: new Set(),
  };
  stage?.plannedBy.push(node);
  linking.planItems.set(item.id, node);
  if (definition.type === 'humanTask' && isFirst) {
    for (const planned of definition.planningTable?.items ?? []) {
      parent.plannable.push(linkItem(planned, parent, linking));
    }
  }
  return node;
}

function linkCriteria(node: PlanItemNode, linking: Linking): void {
  for (const criterion of node.item.entryCriteria) {
    const linked = linkCriterion(criterion, linking);
    node.entryCriteria.push(linked);
    noteHearing(node, linked, linking);
    for (const source of sourcesOf(linked)) source.entryDependents.add(node);
  }
  for (const criterion of node.item.exitCriteria) {
    const linked = linkCriterion(criterion, linking);
    node.exitCriteria.push(linked);
    noteHearing(node, linked, linking);
    for (const source of sourcesOf(linked)) source.exitDependents.add(node);
  }
  const { definition } = node;
  if (definition.type === 'timerEventListener' && definition.startTrigger) {
    const { id, sourceRef, standardEvent } = definition.startTrigger;
    const source = required(linking.planItems.get(sourceRef), sourceRef);
    hearersOf(source.heard, standardEvent).add(node);
    node.hearsEvents = true;
    node.startTrigger = { kind: 'planItem', id, source, standardEvent };
  }
}

function noteHearing(node: PlanItemNode, { onParts }: CriterionNode, linking: Linking): void {
  for (const part of onParts) {
    node.hearsEvents = true;
    if (part.kind === 'caseFileItem')
      hearersOf(linking.heardVariables, part.variableName).add(node);
    else hearersOf(part.source.heard, part.standardEvent).add(node);
  }
}

function hearersOf<Heard>(heard: Map<Heard, Set<PlanItemNode>>, what: Heard): Set<PlanItemNode> {
  const hearers = heard.get(what) ?? new Set();
  heard.set(what, hearers);
  return hearers;
}

function linkCriterion(criterion: Criterion, linking: Linking): CriterionNode {
  const sentry = required(linking.sentries.get(criterion.sentryRef), criterion.sentryRef);
  return {
    id: criterion.id,
    onParts: linkOnParts(sentry, linking),
    ifPart: sentry.ifPart,
    triggerMode: sentry.triggerMode,
    exitType: criterion.exitType,
    exitEventType: criterion.exitEventType,
  };
}

/** Criteria that share a sentry share its on-parts. */
function linkOnParts(sentry: Sentry, linking: Linking): readonly OnPartNode[] {
  const known = linking.onParts.get(sentry);
  if (known) return known;
  const onParts = sentry.onParts.map((part): OnPartNode => {
    if (part.kind === 'caseFileItem') {
      hearersOf(linking.heardVariables, part.variableName);
      return part;
    }
    const source = required(linking.planItems.get(part.sourceRef), part.sourceRef);
    hearersOf(source.heard, part.standardEvent);
    return { ...part, source };
  });
  linking.onParts.set(sentry, onParts);
  return onParts;
}

function required<Found>(found: Found | undefined, reference: string): Found {
  if (found === undefined) throw new TypeError(`the model has no ${reference}: validate it first`);
  return found;
}
