import type { Host } from '../../../shared/host/host.ts';
import { isPermitted } from '../../../shared/ports/permissions.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { DefinitionReader } from '../definitions/definition-reader.ts';
import { type CaseHead, headOf } from '../domain/cases/case-facts.ts';
import type { CaseSnapshot, Diagram, PlanItemView } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';
import type { CaseRecords, EndedPlanItem } from '../store/cases/case-records.ts';
import type { ContentStore } from '../store/content-store.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import { caseWithDefinition, type FoundCase, planItemsOf } from './case-details.ts';
import { requireVisible } from './visibility.ts';

export interface CaseProgressDependencies {
  readonly families: FamilyStore;
  readonly records: CaseRecords;
  readonly definitions: DefinitionReader;
  readonly contents: ContentStore;
  readonly host: Pick<Host, 'permissionEvaluator'>;
}

/** What a case is drawn from: the model that it runs on, whatever has become of its version since. */
export interface CaseModelView {
  readonly definitionId: string;
  readonly planModelId: string;
  readonly snapshot: CaseSnapshot;
  readonly diagrams: readonly Diagram[];
}

/** An instance of a plan item, open or not. */
export interface ShownInstance {
  readonly id: string;
  readonly planItemId: string;
  readonly name: string;
  readonly state: string;
  readonly stageInstanceId?: string | undefined;
  readonly createdAt: string;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly dueAt?: string | undefined;
  readonly taskId?: string | undefined;
  readonly childCaseInstanceId?: string | undefined;
}

/** The instances of a case: the open ones in the order in which they were created, then those that have ended. */
export interface CaseInstances {
  readonly head: CaseHead;
  readonly deploymentId: string;
  readonly instances: readonly ShownInstance[];
  /** There are more that have ended. */
  readonly isTruncated: boolean;
  /** Another one whenever something has changed. */
  readonly revision: string;
}

/** Most ended instances that are read for one answer. */
const MOST_ENDED = 2_000;
const PAGE = 500;

/** Shows how far a case has come on its model; every method throws `CASE_NOT_FOUND` (404). */
export class CaseProgress {
  readonly #deps: CaseProgressDependencies;

  constructor(dependencies: CaseProgressDependencies) {
    this.#deps = dependencies;
  }

  async model(id: string, principal: Principal): Promise<CaseModelView> {
    const { found } = await this.#find(id, principal);
    const { deployment, definition, id: definitionId } = found.loaded;
    const content = await this.#deps.contents.read(deployment.deploymentId, 'SNAPSHOT');
    const snapshot = content?.cases.find(({ key }) => key === definition.key);
    if (!content || !snapshot) throw problems.caseNotInDefinition({ key: definition.key });
    const { diagrams } = content;
    return { definitionId, planModelId: definition.planModel.id, snapshot, diagrams };
  }

  /** @param known the revision that the caller has; when it still holds there is no answer */
  async instances(
    id: string,
    principal: Principal,
    known: (revision: string) => boolean = () => false,
  ): Promise<CaseInstances | { readonly revision: string; readonly instances?: undefined }> {
    const { found, revision } = await this.#find(id, principal);
    if (known(revision)) return { revision };
    const [open, ended] = await Promise.all([planItemsOf(found), this.#ended(id)]);
    return {
      head: headOf(found.instance, found.facts, id),
      deploymentId: found.loaded.deployment.deploymentId,
      instances: [...open.map(fromOpen), ...ended.slice(0, MOST_ENDED)],
      isTruncated: ended.length > MOST_ENDED,
      revision,
    };
  }

  /**
   * The instances for a caller who may see the model but not the case data.
   * @throws Problem `FORBIDDEN` (403) for who may not see cases
   */
  async instancesFor(id: string, principal: Principal): Promise<CaseInstances> {
    const { permissionEvaluator } = this.#deps.host;
    if (!(await isPermitted(permissionEvaluator, principal, 'workflow:case', 'view'))) {
      throw httpProblems.forbidden({ permission: 'workflow:case:view' });
    }
    const found = await this.instances(id, principal);
    if (!found.instances) throw new Error(`The case ${id} has no answer`);
    return found;
  }

  async #ended(id: string): Promise<readonly EndedPlanItem[]> {
    const found: EndedPlanItem[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#deps.records.ended(id, { size: PAGE, cursor });
      found.push(...page.content);
      cursor = page.nextCursor;
    } while (cursor !== undefined && found.length <= MOST_ENDED);
    return found;
  }

  async #find(
    id: string,
    principal: Principal,
  ): Promise<{ readonly found: FoundCase; readonly revision: string }> {
    const family = requireVisible(await this.#deps.families.load(id), id, principal);
    const found = await caseWithDefinition(family, id, this.#deps.definitions);
    return { found, revision: `${family.familyId}.${family.version}` };
  }
}

const fromOpen = ({ instance, definitionType }: PlanItemView): ShownInstance => {
  const { id, planItemId, name, state, stageInstanceId, createdAt, startedAt } = instance;
  const isTask = definitionType === 'humanTask' && instance.task !== undefined;
  return {
    ...{ id, planItemId, name, state, stageInstanceId, createdAt, startedAt },
    dueAt: instance.timer?.dueAt,
    taskId: isTask ? id : undefined,
    childCaseInstanceId: instance.childCaseInstanceId,
  };
};
