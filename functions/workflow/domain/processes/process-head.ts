/** States of a process instance. */
export const PROCESS_STATES = ['waiting', 'suspended', 'completed', 'terminated'] as const;
export type ProcessInstanceState = (typeof PROCESS_STATES)[number];

/** The process task that has started a process. */
export interface ProcessParent {
  readonly caseInstanceId: string;
  readonly planItemInstanceId: string;
  /** The task waits for its end. */
  readonly isBlocking: boolean;
}

/** What lists show of a process instance. */
export interface ProcessHead {
  readonly processInstanceId: string;
  /** '' when it belongs to no tenant. */
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly processKey: string;
  readonly definitionId: string;
  readonly definitionVersion: number;
  readonly name?: string;
  readonly businessKey?: string;
  readonly entityType?: string;
  readonly entityId?: string;
  readonly state: ProcessInstanceState;
  readonly startedBy?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly endReason?: string;
  readonly parent?: ProcessParent;
  /** How many events have been announced of it. */
  readonly sequence: number;
}

/** Whether nothing can become of it any more. */
export const isOver = ({ state }: Pick<ProcessHead, 'state'>): boolean =>
  state === 'completed' || state === 'terminated';
