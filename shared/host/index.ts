// Types and helpers for the host of an application: its fields, decisions and events.
export {
  type BrokerClients,
  type BrokerListenerOptions,
  brokerListener,
  type HandleMessage,
  type Listener,
  type ListenerContext,
  type ListenerDeclaration,
  type ListenerList,
  type MessageListenerOptions,
  messageListener,
} from '../messaging/consuming/listener.ts';
export type { EventPublisher, Message, PublishResult } from '../messaging/wire/event-publisher.ts';
export { NonRetryableError, RetryLaterError } from '../messaging/wire/messaging-error.ts';
export type {
  DocsEditorAuthorizationService,
  DocsEditorMode,
  DocsEditorPermissionResolver,
  DocsEditorPermissions,
  DocsEditorQuery,
  DownloadRequest,
  ExpectedFile,
  FileFacts,
  Storage,
  StorageVersions,
  StoredFile,
  UploadLink,
  UploadRequest,
  WrittenFile,
} from '../ports/documents.ts';
export type {
  AccountCredential,
  AccountFacts,
  AccountLink,
  AccountStatus,
  CountedLinks,
  Department,
  DepartmentRepository,
  DisabledBy,
  IssuedSession,
  ItemFailure,
  ItemResult,
  LinkedAccount,
  NewDepartment,
  NewUser,
  Notifier,
  PasswordPolicy,
  ProtectedAccounts,
  RemoveOptions,
  SessionIssuer,
  SourceLink,
  UserAccount,
  UserChange,
  UserRepository,
  WriteFence,
  WriteOptions,
} from '../ports/identity.ts';
export type {
  EncryptionModule,
  EncryptService,
  PermissionDecision,
  PermissionEvaluator,
} from '../ports/security.ts';
export type { SettingService, SettingServiceClass, SettingValidator } from '../ports/settings.ts';
export type {
  TaskCaseFacts,
  TaskCompletionContext,
  TaskCompletionInterceptor,
  TaskCompletionRequest,
  TaskFacts,
  TaskGroups,
  TaskOperation,
  WorkflowTaskAuthorizationService,
  WorkflowTaskCandidateGroupResolver,
} from '../ports/workflow.ts';
export type { Authenticate } from '../security/authenticate.ts';
export { anonymous, type Principal } from '../security/principal.ts';
export type { Item, Key, StorableItem, Table } from '../store/table.ts';
export type { UnitOfWork } from '../store/unit-of-work.ts';
export {
  ADMIN_ROLE,
  claimsEditorAuthorization,
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from './claims-policies.ts';
export { defineHost, type Host } from './host.ts';
