import type { Variables } from '../../basics/json.ts';
import type { DeployedCase } from '../../contract/environment.ts';
import { type CaseInstance, STATE_FORMAT_VERSION } from '../../contract/state.ts';
import { caseModelOf } from '../../model/link-case-model.ts';
import type { LiveCase } from '../run/live-case.ts';
import { touchCase } from '../run/live-tree.ts';
import { caseFactsOf, emit, plan, type Run } from '../run/run.ts';
import { loadCase } from '../run/stored-case.ts';
import { setCaseVariables } from '../variables/variables.ts';

/** What a new case is given. */
export interface CaseFacts
  extends Pick<
    CaseInstance,
    'name' | 'businessKey' | 'businessStatus' | 'tenantId' | 'parent' | 'depth'
  > {
  readonly id?: string;
  /** Absent: the case is the root of a family of its own. */
  readonly familyId?: string;
  readonly variables?: Variables;
}

/** Opens a case (CMMN 1.1, 8.4 `create`): its plan items are created by the operation that is planned here. */
export function openCase(run: Run, deployed: DeployedCase, facts: CaseFacts): LiveCase {
  const { definition, id: definitionId } = deployed;
  const { id = run.environment.newId(), familyId = id, variables, ...rest } = facts;
  const caseInstance = loadCase(
    {
      formatVersion: STATE_FORMAT_VERSION,
      id,
      familyId,
      definitionId,
      definitionKey: definition.key,
      ...rest,
      name: facts.name ?? definition.name,
      state: 'active',
      completable: false,
      variables: {},
      planItems: [],
      satisfiedParts: [],
      completedBefore: {},
      endedCounts: {},
      startedBy: run.environment.user,
      startedAt: run.at,
    },
    caseModelOf(definition),
  );
  touchCase(caseInstance);
  run.cases.push(caseInstance);
  run.hasNewTexts = true;
  run.root ??= caseInstance;
  emit(run, caseInstance, {
    type: 'caseStarted',
    ...caseFactsOf(caseInstance),
    name: caseInstance.name,
    tenantId: facts.tenantId,
    businessStatus: facts.businessStatus,
  });
  const { initiatorVariableName } = definition;
  if (initiatorVariableName) {
    setCaseVariables(run, caseInstance, { [initiatorVariableName]: run.environment.user ?? null });
  }
  setCaseVariables(run, caseInstance, variables);
  plan(run, { kind: 'initPlanModel', caseInstance });
  return caseInstance;
}
