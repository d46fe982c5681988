import type { Key } from '../../../shared/store/table.ts';
import type { CaseHead } from '../domain/cases/case-facts.ts';
import { hourOfInstant } from '../domain/cases/due-hours.ts';
import { keyPart, shortened } from './key-part.ts';

/*
 * Access patterns (t: tenant, '' for none)
 *   a family for a command           query  CASE#<family> / LIVE#HEAD, LIVE#STATE, LIVE#REST, LIVE#TASK#<task>
 *   heads of a list                  batch  CASE#<case> / LIVE#HEAD
 *   cases of a workflow by state     gsi1   CASE#<t>#<workflowCode>#<state> / <startedAt>#<case>
 *   cases of an entity               gsi2   CASE#<t>#ENTITY#<type>#<id> / CASE#<startedAt>#<case>
 *   cases of a tenant by state       query  CASEIDX#<t>#STATE#<state> / <startedAt>#<case>
 *   cases of a business key          query  CASEIDX#<t>#KEY#<businessKey> / <startedAt>#<case>
 *   holder of a unique business key  get    CASEIDX#<t>#UNIQUE#<workflowCode>#<businessKey> / U
 *   history, newest first            query  CASE#<case> / HIST#<uuidv7>, reverse
 *   ended plan items                 query  CASE#<case> / PIX#<M: milestone, I: other>#<instance>
 *   completer of a task              get    CASE#<case> / DONE#<taskKey>#<user>, where another task excludes completers
 *   rest of a command                get    CASE#<family> / REST#<token>
 *   families with a rest             query  CASEREST / <instant>#<family>
 *   objects of interrupted commands  query  CASEOBJECT / <instant>#<token>
 *   cases that are being erased      query  CASEERASE / <instant>#<case>
 *   ended cases, by what keeps them  query  CASEEND#OWN / <until>#<case>, CASEEND#COMMON / <endedAt>#<case>
 *   timers that are due              query  TIMERDUE#<yyyy-mm-ddThh> / <dueAt>#<instance>
 *   timers set when they were due    query  TIMERDUE#OVERDUE / <dueAt>#<instance>, those that are tried again too
 *   timers that are tried no more    get    TIMERDUE#FAILED / <dueAt>#<instance>
 *   timers of a tenant by state      gsi1   TIMERDUE#<t>#PENDING|FAILED / <dueAt>#<instance>
 *   oldest hour with timers          get    TIMERDUE#@swept / HOUR
 *   listeners of a signal            query  SIGNAL#<t>#<name> / <instance>
 *   work of a topic                  query  WORK#<t>#TOPIC#<topic> / <instance>
 *   one external work                get    WORK#<instance> / WORK
 */

export const casePartition = (id: string): string => `CASE#${id}`;
/** Sort keys of everything that a command reads begin with this. */
export const LIVE = 'LIVE#';
export const headKey = (caseId: string): Key => ({ pk: casePartition(caseId), sk: 'LIVE#HEAD' });
export const stateKey = (familyId: string): Key => ({
  pk: casePartition(familyId),
  sk: 'LIVE#STATE',
});
export const restKey = (familyId: string): Key => ({
  pk: casePartition(familyId),
  sk: 'LIVE#REST',
});
export const CHANGED_TASK = 'LIVE#TASK#';
export const changedTaskKey = (familyId: string, taskId: string): Key => ({
  pk: casePartition(familyId),
  sk: CHANGED_TASK + taskId,
});
export const restBodyKey = (familyId: string, token: string): Key => ({
  pk: casePartition(familyId),
  sk: `REST#${token}`,
});
export const REST_QUEUE = 'CASEREST';
export const restQueueKey = (at: string, familyId: string): Key => ({
  pk: REST_QUEUE,
  sk: `${at}#${familyId}`,
});
export const OBJECTS = 'CASEOBJECT';
export const objectsKey = (at: string, token: string): Key => ({
  pk: OBJECTS,
  sk: `${at}#${token}`,
});
export const ERASURES = 'CASEERASE';
export const erasureKey = (at: string, caseId: string): Key => ({
  pk: ERASURES,
  sk: `${at}#${caseId}`,
});
/** Ended cases whose definition says how long they stay, and those that stay as long as all others. */
export const RETENTIONS = { own: 'CASEEND#OWN', common: 'CASEEND#COMMON' } as const;
export const HISTORY = 'HIST#';
export const historyKey = (caseId: string, id: string): Key => ({
  pk: casePartition(caseId),
  sk: HISTORY + id,
});
/** Marks who has completed a task of a key that another task of the case is kept apart from. */
export const completerKey = (caseId: string, taskKey: string, user: string): Key => ({
  pk: casePartition(caseId),
  sk: `DONE#${keyPart(taskKey)}#${keyPart(user)}`,
});
export const ENDED = 'PIX#';
export const ENDED_MILESTONE = 'PIX#M#';
export const endedKey = (caseId: string, id: string, isMilestone: boolean): Key => ({
  pk: casePartition(caseId),
  sk: (isMilestone ? ENDED_MILESTONE : 'PIX#I#') + id,
});

export const startPlace = ({ startedAt, caseInstanceId }: CaseHead): string =>
  `${startedAt}#${caseInstanceId}`;
export const casesOfWorkflow = (tenant: string, workflowCode: string, state: string): string =>
  `CASE#${keyPart(tenant)}#${workflowCode}#${state}`;
/** Cases and tasks of an entity; their sort keys begin with `CASE#` and `TASK#`. */
export const entityPartition = (tenant: string, type: string, id: string): string =>
  shortened(`CASE#${keyPart(tenant)}#ENTITY#`, `${keyPart(type)}#${keyPart(id)}`);
export const statePartition = (tenant: string, state: string): string =>
  `CASEIDX#${keyPart(tenant)}#STATE#${state}`;
export const businessKeyPartition = (tenant: string, businessKey: string): string =>
  `CASEIDX#${keyPart(tenant)}#KEY#${keyPart(businessKey)}`;
export const uniqueKey = (tenant: string, workflowCode: string, businessKey: string): Key => ({
  pk: `CASEIDX#${keyPart(tenant)}#UNIQUE#${workflowCode}#${keyPart(businessKey)}`,
  sk: 'U',
});

/** Timers that are due within the hour of the instant. */
export const timerPartition = (dueAt: string): string => `TIMERDUE#${hourOfInstant(dueAt)}`;
/** Timers that were set when they were due already, or could not be fired: no hour has to be looked at again for them. */
export const OVERDUE_TIMERS = 'TIMERDUE#OVERDUE';
/** Failed timers, which fire again only on request. */
export const FAILED_TIMERS = 'TIMERDUE#FAILED';
export const timersOfTenant = (tenant: string, state: 'PENDING' | 'FAILED'): string =>
  `TIMERDUE#${keyPart(tenant)}#${state}`;
export const sweptHourKey: Key = { pk: 'TIMERDUE#@swept', sk: 'HOUR' };
export const signalPartition = (tenant: string, name: string): string =>
  `SIGNAL#${keyPart(tenant)}#${keyPart(name)}`;
/** A signal that a family has heard from a message. @param digest of the message */
export const heardSignalKey = (familyId: string, digest: string): Key => ({
  pk: casePartition(familyId),
  sk: `HEARD#${digest}`,
});
export const topicPartition = (tenant: string, topic: string): string =>
  `WORK#${keyPart(tenant)}#TOPIC#${keyPart(topic)}`;
export const workKey = (id: string): Key => ({ pk: `WORK#${id}`, sk: 'WORK' });
