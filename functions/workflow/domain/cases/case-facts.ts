import type { CaseInstance, JsonValue } from '../cmmn/index.ts';

/** What is known of a case besides what the engine keeps; settled when it starts. */
export interface CaseFacts {
  /** '' when it belongs to no tenant. */
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly deploymentId: string;
  readonly entityType?: string;
  readonly entityId?: string;
  /** Variables that lists of its tasks show. */
  readonly taskVariables?: readonly string[];
  /** No other open case of its workflow has its business key. */
  readonly isBusinessKeyUnique?: boolean;
  /** How long its history is kept; absent: for ever. */
  readonly historyRetentionMs?: number;
  /** How many events have been announced of it. */
  readonly sequence: number;
}

/** What lists show of a case, without its plan items and variables. */
export interface CaseHead {
  readonly caseInstanceId: string;
  /** The family that it is stored with. */
  readonly familyId: string;
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly deploymentId: string;
  readonly caseDefinitionKey: string;
  readonly name?: string;
  readonly businessKey?: string;
  readonly businessStatus?: string;
  readonly isBusinessKeyUnique?: boolean;
  readonly entityType?: string;
  readonly entityId?: string;
  readonly state: CaseInstance['state'];
  readonly completable: boolean;
  readonly startedBy?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly parentCaseInstanceId?: string;
  /** Values of the variables that lists of its tasks show. */
  readonly taskVariables?: Readonly<Record<string, JsonValue>>;
}

/** Longest text of a variable that lists of tasks show, in characters. */
const MAX_SHOWN = 255;

/** The head of a case. @param familyId the family that it is stored with */
export function headOf(instance: CaseInstance, facts: CaseFacts, familyId: string): CaseHead {
  const shown = shownVariables(instance, facts);
  return {
    caseInstanceId: instance.id,
    familyId,
    tenantCode: facts.tenantCode,
    workflowCode: facts.workflowCode,
    definitionVersion: facts.definitionVersion,
    deploymentId: facts.deploymentId,
    caseDefinitionKey: instance.definitionKey,
    name: instance.name,
    businessKey: instance.businessKey,
    businessStatus: instance.businessStatus,
    isBusinessKeyUnique: facts.isBusinessKeyUnique || undefined,
    entityType: facts.entityType,
    entityId: facts.entityId,
    state: instance.state,
    completable: instance.completable,
    startedBy: instance.startedBy,
    startedAt: instance.startedAt,
    endedAt: instance.endedAt,
    parentCaseInstanceId: instance.parent?.caseInstanceId,
    taskVariables: Object.keys(shown).length > 0 ? shown : undefined,
  };
}

function shownVariables(
  { variables }: CaseInstance,
  { taskVariables = [] }: CaseFacts,
): Record<string, JsonValue> {
  const entries = taskVariables.flatMap((name): [string, JsonValue][] => {
    const value = variables[name];
    const isShown = value !== undefined && (value === null || typeof value !== 'object');
    return isShown && isStorable(value)
      ? [[name, typeof value === 'string' ? value.slice(0, MAX_SHOWN) : value]]
      : [];
  });
  return Object.fromEntries(entries);
}

/** Numbers of the table have fewer exponents than those of JSON; lists show no others. */
const isStorable = (value: JsonValue): boolean =>
  typeof value !== 'number' ||
  value === 0 ||
  (Math.abs(value) < 1e126 && Math.abs(value) >= 1e-130);

/** Whether the case has ended. */
export const hasEnded = ({ state }: Pick<CaseInstance, 'state'>): boolean =>
  state !== 'active' && state !== 'suspended';
