// Parts of a module's function; see docs/adding-a-module.md and docs/requests-and-answers.md.
export type { ErrorForm } from '../http/error-form.ts';
export { pageQuery, toPage } from '../http/paging.ts';
export { parseWith } from '../http/parse.ts';
export { accepted, created, noContent, ok, type Reply } from '../http/reply.ts';
export { parseJson } from '../http/request.ts';
export {
  authenticated,
  capability,
  decidedByData,
  permission,
  publicAccess,
  type Route,
  rawRoute,
  route,
} from '../http/route.ts';
export type { HttpClient, HttpClientOptions } from '../http-client/contract.ts';
export { createHttpClient } from '../http-client/http-client.ts';
export { gatewayStatusOf, HttpClientError } from '../http-client/http-client-error.ts';
export { createContext } from '../lambda/create-context.ts';
export { type Environment, readEnvironment } from '../lambda/environment.ts';
export { createHandler } from '../lambda/handlers/create-handler.ts';
export type {
  Module,
  ModuleContext,
  ModuleFactory,
  ServiceContext,
  Task,
} from '../lambda/module-context.ts';
export type { Listener, ListenerContext } from '../messaging/consuming/listener.ts';
export type { EventPublisher, Message, PublishResult } from '../messaging/wire/event-publisher.ts';
export type { PageTools } from '../pages/open-page.ts';
export { pageReply } from '../pages/page-shell.ts';
export { showProgress } from '../pages/show-progress.ts';
export type { ReEncryption, ReEncryptionRound, RoundReport } from '../ports/re-encryption.ts';
export type { RecordListCall, RecordReading, RecordView, RecordWriting } from '../ports/records.ts';
export { renewed } from '../ports/renewed.ts';
export { type Clock, type TenantClock, toInstant } from '../primitives/clock.ts';
export type { IdGenerator } from '../primitives/ids.ts';
export { lazy } from '../primitives/lazy.ts';
export type { Log } from '../primitives/log.ts';
export { publicUrl } from '../primitives/public-url.ts';
export { httpProblems } from '../problems/http-problems.ts';
export { limitProblems } from '../problems/limit-problems.ts';
export { defineProblems, Problem } from '../problems/problem.ts';
export type { RefreshScope, RefreshScoped } from '../refresh/refresh-scope.ts';
export { anonymous, type Principal, systemPrincipal } from '../security/principal.ts';
export { notExists, versionIs } from '../store/conditions.ts';
export { readPage } from '../store/paged-read.ts';
export type { Item, Key, Table } from '../store/table.ts';
export type { RunUnitOfWork, UnitOfWork } from '../store/unit-of-work.ts';
export { type BoundPort, bindPort, type Port, readPort, writePort } from './bind-port.ts';
