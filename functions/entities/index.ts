export { BulkService } from './bulk-service.ts';
export { DefinitionService } from './definition-service.ts';
export { DeletionService } from './deletion-service.ts';
export { EntityCatalog } from './entity-catalog.ts';
export {
  DEFINITION_TOPIC,
  type DefinitionEvent,
  RECORD_TOPIC,
  type RecordEvent,
} from './events.ts';
export { createEntitiesModule, type EntitiesModule } from './module.ts';
export { QueryService } from './query-service.ts';
export { RecordReader } from './record-reader.ts';
export { RecordService } from './record-service.ts';
export { SchemaService } from './schema-service.ts';
export { DynamicSecurityConfigurer } from './security-configurer.ts';
