import { STATE_FORMAT_VERSION } from '../cmmn/contract/state.ts';
import type { CaseInstance, Command, Effect, EngineState, Result } from '../cmmn/index.ts';
import { type CaseFacts, type CaseHead, hasEnded, headOf } from './case-facts.ts';
import type { Family, FamilyContent } from './family.ts';
import type { Announcement, EventFacts, FamilyChange, HeadChange } from './family-change.ts';
import { changesIn, type HistoryEntry, summaryOf } from './history.ts';
import { rowChanges } from './row-changes.ts';
import { taskChangesIn } from './task-changes.ts';
import type { TaskSaying } from './task-record.ts';

/** What of a deployment its cases keep. */
export interface Deployment {
  readonly deploymentId: string;
  readonly workflowCode: string;
  readonly version: number;
  readonly taskVariables: readonly string[];
  readonly historyRetentionMs?: number;
  readonly uniqueBusinessKey: boolean;
}

/** A command that the engine has carried out. */
export interface Execution {
  readonly before: Family | undefined;
  readonly command: Command;
  /** The case that it was for, as far as it is one of the state. */
  readonly caseInstanceId: string;
  readonly result: Result;
  readonly at: string;
  readonly by?: string;
  /** Facts of a case that the command has started by itself. */
  readonly started?: Pick<CaseFacts, 'tenantCode' | 'entityType' | 'entityId'>;
  readonly deploymentOf: (definitionId: string) => Deployment;
  readonly newId: () => string;
  /** What those who complete tasks say about them, by task. */
  readonly said?: Readonly<Record<string, TaskSaying>>;
  /** Why the command was given, for the history. */
  readonly reason?: string;
  /** The absent user for whom it was given. */
  readonly onBehalfOf?: string | undefined;
  /** How long before a task is due people are reminded (ms); absent: they are not. */
  readonly reminderLeadMs?: number | undefined;
  /** Events for others; none when absent. */
  readonly eventsOf?: (execution: ExecutionFacts) => readonly EventFacts[];
}

/** What events are made of. */
export interface ExecutionFacts {
  readonly effects: readonly Effect[];
  readonly headOf: (caseInstanceId: string) => CaseHead;
  /** What those who complete tasks say about them, by task. */
  readonly outcomes?: Readonly<Record<string, string>> | undefined;
}

/** What is to be stored after a command. Pure but for the ids that it takes. */
export function changesOf(execution: Execution): FamilyChange {
  const { before, result } = execution;
  const own = result.state.cases.filter((found) => isStoredWith(found, result.state));
  const alone = result.state.cases.filter((found) => !own.includes(found));
  const familyId = own[0]?.familyId ?? '';
  const places = new Map<string, string>([
    ...own.map(({ id }): [string, string] => [id, familyId]),
    ...alone.map(({ id }): [string, string] => [id, id]),
    ...result.parted.flatMap(({ cases }) =>
      cases.map(({ id, familyId: root }): [string, string] => [id, root]),
    ),
  ]);
  const cases = [...result.state.cases, ...result.parted.flatMap((part) => part.cases)];
  const quiet = factsOf(execution, cases);
  const heads = new Map(cases.map((found) => [found.id, headIn(found, quiet, places)]));
  const { facts, announcements } = announce(execution, quiet, heads);
  const rows = rowChanges(
    result.effects,
    facts,
    before?.topics ?? {},
    (id) => places.get(id) ?? familyId,
  );
  const content = (part: readonly CaseInstance[]): FamilyContent =>
    contentOf(part, facts, rows.topics);
  const apart = new Map([
    ...alone.map((found): [string, FamilyContent] => [found.id, content([found])]),
    ...result.parted.map((part): [string, FamilyContent] => [
      part.cases[0]?.familyId ?? '',
      content(part.cases),
    ]),
  ]);
  return {
    family: content(own),
    apart,
    heads: headChanges(before, heads),
    ...taskChangesIn(result.effects, { ...execution, heads, before, cases }),
    ...rows,
    history: historyOf(execution),
    announcements,
  };
}

/** The root and all that is open; a case that has ended before its parent is a family of its own. */
const isStoredWith = (found: CaseInstance, { cases }: EngineState): boolean =>
  !hasEnded(found) || found.id === cases[0]?.familyId;

function contentOf(
  cases: readonly CaseInstance[],
  facts: ReadonlyMap<string, CaseFacts>,
  topics: ReadonlyMap<string, string>,
): FamilyContent {
  const items = cases.flatMap(({ planItems }) => planItems);
  return {
    state: { formatVersion: STATE_FORMAT_VERSION, cases },
    facts: Object.fromEntries(cases.flatMap(({ id }) => entryOf(facts, id))),
    topics: Object.fromEntries(items.flatMap(({ id }) => entryOf(topics, id))),
  };
}

function entryOf<T>(map: ReadonlyMap<string, T>, key: string): [string, T][] {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
}

function factsOf(
  { before, started, deploymentOf }: Execution,
  cases: readonly CaseInstance[],
): ReadonlyMap<string, CaseFacts> {
  const facts = new Map<string, CaseFacts>(Object.entries(before?.facts ?? {}));
  for (const { id, definitionId, parent } of cases) {
    if (facts.has(id)) continue;
    const around = parent && facts.get(parent.caseInstanceId);
    const deployment = deploymentOf(definitionId);
    const { taskVariables, historyRetentionMs, uniqueBusinessKey } = deployment;
    facts.set(id, {
      tenantCode: around?.tenantCode ?? started?.tenantCode ?? '',
      workflowCode: deployment.workflowCode,
      definitionVersion: deployment.version,
      deploymentId: deployment.deploymentId,
      entityType: around ? around.entityType : started?.entityType,
      entityId: around ? around.entityId : started?.entityId,
      taskVariables: taskVariables.length > 0 ? taskVariables : undefined,
      historyRetentionMs,
      isBusinessKeyUnique: uniqueBusinessKey || undefined,
      sequence: 0,
    });
  }
  return facts;
}

function headIn(
  found: CaseInstance,
  facts: ReadonlyMap<string, CaseFacts>,
  places: ReadonlyMap<string, string>,
): CaseHead {
  const known = facts.get(found.id);
  if (!known) throw new Error(`Nothing is known of the case ${found.id}`);
  return headOf(found, known, places.get(found.id) ?? found.id);
}

function headChanges(
  before: Family | undefined,
  heads: ReadonlyMap<string, CaseHead>,
): readonly HeadChange[] {
  const old = new Map(
    before?.state.cases.flatMap((found): [string, CaseHead][] => {
      const facts = before.facts[found.id];
      return facts ? [[found.id, headOf(found, facts, before.familyId)]] : [];
    }),
  );
  return [...heads.values()].flatMap((after) => {
    const known = old.get(after.caseInstanceId);
    return JSON.stringify(known) === JSON.stringify(after) ? [] : [{ before: known, after }];
  });
}

/** One entry for each case that was changed; the case that the command was for always has one. */
function historyOf({
  command,
  caseInstanceId,
  result,
  at,
  by,
  newId,
  reason,
  onBehalfOf,
}: Execution): readonly HistoryEntry[] {
  const byCase = Map.groupBy(result.effects, (effect) => effect.caseInstanceId);
  if (!byCase.has(caseInstanceId)) byCase.set(caseInstanceId, []);
  const summary = {
    ...summaryOf(command),
    ...(reason !== undefined && { reason }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  };
  return [...byCase].flatMap(([id, effects]) => {
    const changes = changesIn(effects);
    if (changes.length === 0 && id !== caseInstanceId) return [];
    return [{ caseInstanceId: id, id: newId(), at, by, command: summary, changes }];
  });
}

/** Numbers the events of each case, so that whoever hears them can put them in order. */
function announce(
  { result, by, eventsOf, said = {} }: Execution,
  quiet: ReadonlyMap<string, CaseFacts>,
  heads: ReadonlyMap<string, CaseHead>,
): {
  readonly facts: ReadonlyMap<string, CaseFacts>;
  readonly announcements: readonly Announcement[];
} {
  const headOfCase = (id: string): CaseHead => {
    const head = heads.get(id);
    if (!head) throw new Error(`The command has not touched the case ${id}`);
    return head;
  };
  const outcomes = Object.fromEntries(
    Object.entries(said).flatMap(([id, { outcome }]) =>
      outcome === undefined ? [] : [[id, outcome]],
    ),
  );
  const events = eventsOf?.({ effects: result.effects, headOf: headOfCase, outcomes }) ?? [];
  if (events.length === 0) return { facts: quiet, announcements: [] };
  const facts = new Map(quiet);
  const announcements = events.map(({ topic, caseInstanceId, data }) => {
    const known = facts.get(caseInstanceId);
    const sequence = (known?.sequence ?? 0) + 1;
    if (known) facts.set(caseInstanceId, { ...known, sequence });
    const { tenantCode, workflowCode, definitionVersion, businessKey, entityType, entityId } =
      headOfCase(caseInstanceId);
    const about = { tenantCode, workflowCode, definitionVersion, caseInstanceId };
    const business = { businessKey, entityType, entityId };
    const payload = { ...about, ...business, actor: by, sequence, ...data };
    return { topic, key: caseInstanceId, payload };
  });
  return { facts, announcements };
}
