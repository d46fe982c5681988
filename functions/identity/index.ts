export { type IdentityConfig, idpSection } from './configuration.ts';
export type { AccountsUnderTest, ContractCase } from './contract/contract-case.ts';
export { departmentContract } from './contract/department-contract.ts';
export { userContract } from './contract/user-contract.ts';
export {
  type IdentitySourceService,
  type IdentitySourceSyncRecordListResult,
  type IdentitySourceSyncRecordQuery,
  type IdentitySourceSyncService,
  identitySourceServices,
  type Pageable,
} from './in-process/identity-source-services.ts';
export { createServices, type IdentityParts } from './services.ts';
