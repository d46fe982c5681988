/** Why a command was refused. Nothing has changed when one of these is thrown. */
export type CmmnErrorCode =
  | 'CASE_NOT_FOUND'
  | 'CASE_NOT_ACTIVE'
  | 'CASE_SUSPENDED'
  | 'CASE_NOT_ENDED'
  | 'CASE_NOT_COMPLETABLE'
  | 'CASE_NOT_REACTIVATABLE'
  | 'CASE_DEFINITION_NOT_FOUND'
  | 'CASE_TASK_RECURSION'
  | 'DECISION_NOT_FOUND'
  | 'DECISION_ERROR'
  | 'PLAN_ITEM_NOT_FOUND'
  | 'PLAN_ITEM_ILLEGAL_STATE'
  | 'STAGE_NOT_COMPLETABLE'
  | 'NOT_PLANNABLE'
  | 'ROLE_MISSING'
  | 'VARIABLE_NAME_RESERVED'
  | 'VARIABLE_NAME_TOO_LONG'
  | 'VARIABLE_INVALID'
  | 'VARIABLE_TOO_DEEP'
  | 'VARIABLES_TOO_LARGE'
  | 'CASE_TOO_LARGE'
  | 'COLLECTION_TOO_LARGE'
  | 'EXPRESSION_ERROR'
  | 'TIMER_EXPRESSION_INVALID'
  | 'STATE_VERSION_UNKNOWN'
  | 'STATE_INVALID'
  | 'FAMILY_INCOMPLETE'
  | 'MODEL_VERSION_UNKNOWN'
  | 'COMMAND_UNKNOWN'
  | 'COMMAND_INVALID'
  | 'ENGINE_LOOP';

/** The plan item that prevents a completion. */
export interface BlockingPlanItem {
  readonly id: string;
  readonly name: string;
  readonly definitionKey: string;
  readonly state: string;
}

/** Facts beside the code, for the caller's error message. */
export interface CmmnErrorDetails {
  readonly caseInstanceId?: string;
  readonly planItemInstanceId?: string;
  readonly elementId?: string;
  readonly expression?: string;
  readonly state?: string;
  /** The complete reference that was not found: the host loads it and repeats the command. */
  readonly reference?: string;
  readonly tenantId?: string;
  readonly sameDeploymentAs?: string;
  readonly blockingPlanItem?: BlockingPlanItem;
}

/** A text from outside as a message shows it. */
export const shown = (text: string): string =>
  text.length > 80 ? `${text.slice(0, 80)}...` : text;

/** A refused command; `code` is stable, the message is for people. */
export class CmmnError extends Error {
  override readonly name = 'CmmnError';
  readonly code: CmmnErrorCode;
  readonly details: CmmnErrorDetails;

  constructor(
    code: CmmnErrorCode,
    message: string,
    details: CmmnErrorDetails = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}
