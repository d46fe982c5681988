import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedVersion, WorkflowHead } from '../domain/definitions/deployed-version.ts';
import { DEFINITION_TOPICS, type DefinitionEvent } from '../domain/events/definition-events.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { EventSender } from './event-sender.ts';

export interface PublicationDependencies {
  readonly clock: Clock;
  readonly repository: DefinitionRepository;
  readonly sender: EventSender;
}

/** Changes versions, and with them what a workflow starts: its newest published version. */
export class Publication {
  readonly #deps: PublicationDependencies;

  constructor(dependencies: PublicationDependencies) {
    this.#deps = dependencies;
  }

  /** Stages a new version. @param head none for a new workflow */
  async add(
    unit: UnitOfWork,
    head: WorkflowHead | undefined,
    version: DeployedVersion,
    { publish, principal }: { publish: boolean; principal: Principal },
  ): Promise<DeployedVersion> {
    const { tenantCode, workflowCode, caseDefinitionKey } = version;
    const added = publish ? this.#published(version) : version;
    const grown: WorkflowHead = {
      ...(head ?? { tenantCode, workflowCode, revision: 0 }),
      caseDefinitionKey,
      lastVersion: version.version,
    };
    this.#deps.repository.stageNewVersion(unit, added);
    await this.#follow(unit, grown, added);
    if (publish) await this.#tell(DEFINITION_TOPICS.published, added, principal);
    return added;
  }

  /** Stages that cases of a version can be started. */
  async publish(
    unit: UnitOfWork,
    head: WorkflowHead,
    version: DeployedVersion,
    principal: Principal,
  ): Promise<DeployedVersion> {
    if (version.status === 'PUBLISHED') return version;
    const changed = this.#published(version);
    await this.#change(unit, head, changed);
    await this.#tell(DEFINITION_TOPICS.published, changed, principal);
    return changed;
  }

  /** Stages that no more cases of a version can be started. */
  async unpublish(
    unit: UnitOfWork,
    head: WorkflowHead,
    version: DeployedVersion,
    principal: Principal,
  ): Promise<DeployedVersion> {
    if (version.status !== 'PUBLISHED') return version;
    const { publishedAt: _, ...rest } = version;
    const changed: DeployedVersion = { ...rest, status: 'DRAFT' };
    await this.#change(unit, head, changed);
    await this.#tell(DEFINITION_TOPICS.unpublished, changed, principal);
    return changed;
  }

  /** Stages the removal of a version from listing and starting. */
  async remove(
    unit: UnitOfWork,
    head: WorkflowHead,
    version: DeployedVersion,
    principal: Principal,
  ): Promise<void> {
    const changed: DeployedVersion = { ...version, status: 'DELETED' };
    this.#deps.repository.stageUnlisted(unit, changed);
    await this.#change(unit, head, changed);
    if (version.status === 'PUBLISHED') {
      await this.#tell(DEFINITION_TOPICS.unpublished, changed, principal);
    }
  }

  #published(version: DeployedVersion): DeployedVersion {
    return {
      ...version,
      status: 'PUBLISHED',
      publishedAt: toInstant(this.#deps.clock.now()),
    };
  }

  async #change(unit: UnitOfWork, head: WorkflowHead, changed: DeployedVersion): Promise<void> {
    this.#deps.repository.stageVersion(unit, changed);
    await this.#follow(unit, head, changed);
  }

  /** Stages the head, and what is found by the keys of its cases, after a change of a version. */
  async #follow(unit: UnitOfWork, head: WorkflowHead, changed: DeployedVersion): Promise<void> {
    const { repository } = this.#deps;
    const before = await this.#startedBefore(head, changed);
    const after = await this.#startedAfter(before, changed);
    repository.stagePublished(unit, before, after);
    repository.stageHead(unit, {
      ...head,
      latest: await this.#latestAfter(head, changed),
      published: after && { version: after.version, deploymentId: after.deploymentId },
      revision: head.revision + 1,
    });
  }

  async #startedBefore(
    { published, tenantCode, workflowCode }: WorkflowHead,
    changed: DeployedVersion,
  ): Promise<DeployedVersion | undefined> {
    if (!published) return undefined;
    if (published.version === changed.version) return changed;
    return this.#deps.repository.findVersion(tenantCode, workflowCode, published.version);
  }

  async #startedAfter(
    before: DeployedVersion | undefined,
    changed: DeployedVersion,
  ): Promise<DeployedVersion | undefined> {
    if (changed.status === 'PUBLISHED') {
      return before && before.version > changed.version ? before : changed;
    }
    if (before?.version !== changed.version) return before;
    return this.#newestOther(changed, ({ status }) => status === 'PUBLISHED');
  }

  async #latestAfter(
    { latest }: WorkflowHead,
    changed: DeployedVersion,
  ): Promise<DeployedVersion | undefined> {
    if (changed.status === 'DELETED') {
      if (latest?.version !== changed.version) return latest;
      return this.#newestOther(changed, ({ status }) => status !== 'DELETED');
    }
    return latest && latest.version > changed.version ? latest : changed;
  }

  #newestOther(
    { tenantCode, workflowCode, version: changed }: DeployedVersion,
    isWanted: (version: DeployedVersion) => boolean,
  ): Promise<DeployedVersion | undefined> {
    return this.#deps.repository.findNewest(
      tenantCode,
      workflowCode,
      (each) => each.version !== changed && isWanted(each),
    );
  }

  async #tell(topic: string, version: DeployedVersion, principal: Principal): Promise<void> {
    const { tenantCode, workflowCode, deploymentId, caseDefinitionKey } = version;
    const payload: DefinitionEvent = {
      ...{ tenantCode, workflowCode, deploymentId, caseDefinitionKey },
      definitionVersion: version.version,
      actor: actorOf(principal).by,
    };
    await this.#deps.sender.send(topic, workflowCode, payload);
  }
}
