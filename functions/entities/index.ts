export { DynamicSecurityConfigurer } from './access/security-configurer.ts';
export { EntityCatalog } from './catalog/entity-catalog.ts';
export { dynamicSection, type EntitiesConfig } from './configuration.ts';
export { DefinitionService } from './definitions/definition-service.ts';
export { SchemaService } from './definitions/schema-service.ts';
export { DeletionService } from './deletions/deletion-service.ts';
export {
  DEFINITION_TOPIC,
  type DefinitionEvent,
  RECORD_TOPIC,
  type RecordEvent,
} from './events.ts';
export { createEntitiesModule, type EntitiesModule } from './module.ts';
export { recordMergesPort, recordsPort, recordWritesPort } from './port.ts';
export { QueryService } from './queries/query-service.ts';
export { RecordReader } from './records/record-reader.ts';
export { RecordService } from './records/record-service.ts';
export { BulkService } from './transfers/bulk-service.ts';
