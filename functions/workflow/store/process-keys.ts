import type { Key, StorableItem } from '../../../shared/store/table.ts';
import type { CalledProcess, ProcessCall } from '../domain/cases/family-change.ts';
import { keyPart } from './key-part.ts';
import type { Packed } from './packed.ts';

/*
 * Access patterns (t: tenant, '' for none)
 *   an instance                     query  PROC#<instance> / HEAD, STATE
 *   heads of a list                 batch  PROC#<instance> / HEAD
 *   instances of a tenant by state  gsi1   PROC#<t>#<state> / <startedAt>#<instance>
 *   definitions of a tenant         query  PROC#<t>#@codes / <code>
 *   code of a process key           get    PROC#<t>#@keys / <process key>
 *   versions, newest first          query  PROC#<t>#@versions#<code> / V#<number>, reverse
 *   a compiled model                get    PROC#<definition> / MODEL
 *   a call of a process task        get    PROC#<instance> / CALL
 *   a call that was taken back      get    PROC#<instance> / CANCELLED
 *   calls to settle                 query  PROC#@calls / <dueAt>#<instance>
 *   instances that are being erased query  PROC#@erasures / <instant>#<instance>
 *
 * History of an instance, and the rest of a command, have the keys of those of cases.
 */

export const processPartition = (id: string): string => `PROC#${id}`;
export const processHeadKey = (id: string): Key => ({ pk: processPartition(id), sk: 'HEAD' });
export const processStateKey = (id: string): Key => ({ pk: processPartition(id), sk: 'STATE' });
export const processesOf = (tenant: string, state: string): string =>
  `PROC#${keyPart(tenant)}#${state}`;
export const processCodesPartition = (tenant: string): string => `PROC#${keyPart(tenant)}#@codes`;
export const processCodeKey = (tenant: string, code: string): Key => ({
  pk: processCodesPartition(tenant),
  sk: code,
});
export const processNameKey = (tenant: string, processKey: string): Key => ({
  pk: `PROC#${keyPart(tenant)}#@keys`,
  sk: processKey,
});
export const processVersionsPartition = (tenant: string, code: string): string =>
  `PROC#${keyPart(tenant)}#@versions#${code}`;
export const processVersionKey = (tenant: string, code: string, version: number): Key => ({
  pk: processVersionsPartition(tenant, code),
  sk: `V#${String(version).padStart(8, '0')}`,
});
export const processModelKey = (definitionId: string): Key => ({
  pk: processPartition(definitionId),
  sk: 'MODEL',
});

export const PROCESS_ERASURES = 'PROC#@erasures';
export const processErasureKey = (at: string, id: string): Key => ({
  pk: PROCESS_ERASURES,
  sk: `${at}#${id}`,
});

/** What is left to do about a call: start the process, end it, or tell its case of the end. */
export type CallStep = 'start' | 'cancel' | 'end';
export const CALL_QUEUE = 'PROC#@calls';
export const callKey = (id: string): Key => ({ pk: processPartition(id), sk: 'CALL' });
export const cancelledCallKey = (id: string): Key => ({
  pk: processPartition(id),
  sk: 'CANCELLED',
});
export const callRowKey = (dueAt: string, id: string, step: CallStep): Key => ({
  pk: CALL_QUEUE,
  sk: `${dueAt}#${id}#${step}`,
});

/** The row of a step that is due. */
export const callRow = (
  dueAt: string,
  processInstanceId: string,
  step: CallStep,
): StorableItem => ({
  ...callRowKey(dueAt, processInstanceId, step),
  type: 'process_call_step',
  ...{ processInstanceId, step },
});

/** What a case writes to have a process started or ended. */
export function callItems(call: ProcessCall, variables: Packed): StorableItem[] {
  const { processInstanceId, at } = call;
  const own: StorableItem =
    call.step === 'start'
      ? { ...callKey(processInstanceId), type: 'process_call', call: factsOf(call), ...variables }
      : { ...cancelledCallKey(processInstanceId), type: 'process_call' };
  return [own, callRow(at, processInstanceId, call.step)];
}

const factsOf = ({ variables: _, ...facts }: CalledProcess) => facts;
