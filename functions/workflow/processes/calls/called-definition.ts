import type { DefinitionReader } from '../../definitions/definition-reader.ts';
import type { CalledProcess } from '../../domain/cases/family-change.ts';
import type { LoadedProcess, ProcessDefinitions } from '../process-definitions.ts';

export interface CalledDefinitionDependencies {
  readonly definitions: ProcessDefinitions;
  readonly caseDefinitions: Pick<DefinitionReader, 'load'>;
}

/**
 * The version that a process task starts: of the same deployment, as far as the task asks for that; else the newest.
 * @throws Problem `PROCESS_DEFINITION_NOT_FOUND` (404)
 */
export async function calledDefinition(
  { tenantCode, processRef, sameDeploymentAs }: CalledProcess,
  { definitions, caseDefinitions }: CalledDefinitionDependencies,
): Promise<LoadedProcess> {
  const same = sameDeploymentAs && (await caseDefinitions.load(sameDeploymentAs))?.deployment;
  const own = same && ownValue(same.processes ?? {}, processRef);
  const found =
    (own &&
      (await definitions.find(same.tenantCode, {
        code: own.workflowCode,
        version: own.version,
      }))) ??
    (await definitions.find(tenantCode, { processKey: processRef })) ??
    (await definitions.find(tenantCode, { code: processRef }));
  if (!found) throw definitions.missing(processRef);
  return found;
}

const ownValue = <T>(values: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;
