import type { Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedProcesses } from '../domain/definitions/deployed-version.ts';

/** Stages processes as versions of their codes. @throws Problem `PROCESS_CODE_TAKEN` (409) */
export type StageProcesses = (
  unit: UnitOfWork,
  tenantCode: string,
  principal: Principal,
) => Promise<DeployedProcesses>;

/** Processes that come along with a deployment of cases. */
export interface AccompanyingProcesses {
  /** Compiles those of the documents that are processes. @throws Problem `MODEL_INVALID` (422) */
  compile(resources: readonly { readonly xml: string }[]): Promise<StageProcesses>;
}
