import type { CaseStart } from '../../../shared/ports/workflow-runtime.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { DefinitionReader, LoadedCase } from '../definitions/definition-reader.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import { hasEnded } from '../domain/cases/case-facts.ts';
import { outcomeVariable } from '../domain/cases/outcome.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';
import type { CaseRecords } from '../store/cases/case-records.ts';
import type { CaseCommands, DoneCommand } from './case-commands.ts';

/** A case to start, by exactly one of `workflowCode`, `caseDefinitionKey` and `definitionId`. */
export interface NewCase extends CaseStart {
  readonly variables?: Variables | undefined;
  readonly transientVariables?: Variables | undefined;
  /** How the form was decided with which it is started. */
  readonly outcome?: string | undefined;
}

export interface CaseStarterDependencies {
  readonly commands: CaseCommands;
  readonly definitions: DefinitionReader;
  readonly ids: IdGenerator;
  readonly records: Pick<CaseRecords, 'ofBusinessKey'>;
}

/** Cases of a business key that a start looks at, newest first. */
const MAX_KNOWN = 100;

/** Starts cases. */
export class CaseStarter {
  readonly #deps: CaseStarterDependencies;

  constructor(dependencies: CaseStarterDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `WORKFLOW_NOT_FOUND` (404), `NOT_PUBLISHED`, `CASE_EXISTS` (409), or why the engine refuses it */
  async start(wanted: NewCase, principal: Principal): Promise<DoneCommand> {
    const tenantCode = workingTenant(principal, wanted.tenantCode);
    const definition = await this.#find(wanted, tenantCode);
    await this.#requireFree(definition, tenantCode, wanted.businessKey);
    const { name, businessKey, businessStatus, transientVariables } = wanted;
    const { entityType, entityId, outcome } = wanted;
    const said = outcomeVariable(definition.definition.key, outcome);
    const variables = { ...said, ...wanted.variables };
    return this.#deps.commands.start({
      principal,
      definition,
      facts: { tenantCode, entityType, entityId },
      command: {
        type: 'start',
        definitionId: definition.id,
        caseInstanceId: this.#deps.ids(),
        tenantId: tenantCode || undefined,
        ...{ name, businessKey, businessStatus, variables, transientVariables },
      },
    });
  }

  async #find(
    { workflowCode, version, caseDefinitionKey, definitionId = '' }: NewCase,
    tenantCode: string,
  ): Promise<LoadedCase> {
    const { definitions } = this.#deps;
    if (workflowCode !== undefined) {
      const found = await definitions.newest(tenantCode, workflowCode, version);
      if (found) return found;
      const isKnown = await definitions.isDeployed(tenantCode, workflowCode, version);
      if (isKnown) throw problems.notPublished({ workflowCode, version });
      throw problems.workflowNotFound({ workflowCode, version });
    }
    if (caseDefinitionKey !== undefined) {
      const found =
        (await definitions.newestCase(tenantCode, caseDefinitionKey)) ??
        (await definitions.newestCase('', caseDefinitionKey));
      if (found) return found;
      throw problems.workflowNotFound({ workflowCode: caseDefinitionKey });
    }
    const found = await definitions.load(definitionId);
    if (found && (await this.#isStartable(found, tenantCode))) return found;
    throw problems.workflowNotFound({ workflowCode: definitionId });
  }

  /** Cases of versions whose business keys were not unique hold no claim. @throws Problem `CASE_EXISTS` (409) */
  async #requireFree(
    { deployment: { workflowCode, version, uniqueBusinessKey } }: LoadedCase,
    tenantCode: string,
    businessKey: string | undefined,
  ): Promise<void> {
    if (!uniqueBusinessKey || version === 1 || businessKey === undefined) return;
    const { records } = this.#deps;
    const known = await records.ofBusinessKey(tenantCode, businessKey, MAX_KNOWN);
    const holder = known.find((head) => head.workflowCode === workflowCode && !hasEnded(head));
    if (holder) throw problems.caseExists({ businessKey });
  }

  /** An environment keeps deployments that have been deleted since. */
  async #isStartable({ deployment }: LoadedCase, tenantCode: string): Promise<boolean> {
    const { tenantCode: owner, workflowCode, version } = deployment;
    if (owner !== '' && owner !== tenantCode) return false;
    return this.#deps.definitions.isDeployed(owner, workflowCode, version);
  }
}
