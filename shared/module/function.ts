// Parts of a module's function; see docs/adding-a-module.md.
export { pageQuery, toPage } from '../http/paging.ts';
export { accepted, created, noContent, ok, type Reply } from '../http/reply.ts';
export {
  authenticated,
  capability,
  decidedByData,
  permission,
  publicAccess,
  type Route,
  route,
} from '../http/route.ts';
export { createHandler } from '../lambda/create-handler.ts';
export type { Module, ModuleContext } from '../lambda/module-context.ts';
export type { Listener, ListenerContext } from '../messaging/consuming/listener.ts';
export type { EventPublisher, Message } from '../messaging/wire/event-publisher.ts';
export { type Clock, toInstant } from '../primitives/clock.ts';
export type { IdGenerator } from '../primitives/ids.ts';
export type { Log } from '../primitives/log.ts';
export { publicUrl } from '../primitives/public-url.ts';
export { httpProblems } from '../problems/http-problems.ts';
export { defineProblems, Problem } from '../problems/problem.ts';
export type { Principal } from '../security/principal.ts';
export { notExists, versionIs } from '../store/conditions.ts';
export type { Item, Key, Table } from '../store/table.ts';
export type { RunUnitOfWork, UnitOfWork } from '../store/unit-of-work.ts';
