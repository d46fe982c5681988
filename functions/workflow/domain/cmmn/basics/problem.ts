/** Where an element begins; both count from 1. */
export interface SourceLocation {
  readonly line: number;
  readonly column: number;
}

/** Error: refuses the deployment; warning and info: stored with it. */
export type Severity = 'ERROR' | 'WARNING' | 'INFO';

/** Every code of a problem, with its severity: section e of the design. */
export const PROBLEM_SEVERITIES = {
  XML_MALFORMED: 'ERROR',
  XML_TOO_LARGE: 'ERROR',
  XML_DTD_FORBIDDEN: 'ERROR',
  NOT_CMMN: 'ERROR',
  UNSUPPORTED_NAMESPACE: 'ERROR',
  NO_CASE: 'ERROR',
  CASE_ID_MISSING: 'ERROR',
  DUPLICATE_CASE_KEY: 'ERROR',
  CASE_KEY_INVALID: 'ERROR',
  PLAN_MODEL_MISSING: 'ERROR',
  PLAN_MODEL_EMPTY: 'WARNING',
  STAGE_EMPTY: 'WARNING',
  DUPLICATE_ID: 'ERROR',
  ID_INVALID: 'ERROR',
  ELEMENT_UNKNOWN: 'WARNING',
  PLAN_ITEM_DEFINITION_REF_MISSING: 'ERROR',
  PLAN_ITEM_DEFINITION_REF_UNRESOLVED: 'ERROR',
  PLAN_ITEM_DEFINITION_OUT_OF_SCOPE: 'ERROR',
  PLAN_ITEM_DEFINITION_UNUSED: 'WARNING',
  STAGE_RECURSION: 'ERROR',
  STAGE_PLANNED_TWICE: 'WARNING',
  CRITERION_SENTRY_REF_MISSING: 'ERROR',
  CRITERION_SENTRY_REF_UNRESOLVED: 'ERROR',
  SENTRY_EMPTY: 'WARNING',
  SENTRY_UNUSED: 'WARNING',
  ON_PART_SOURCE_MISSING: 'ERROR',
  ON_PART_SOURCE_UNRESOLVED: 'ERROR',
  ON_PART_EVENT_MISSING: 'ERROR',
  ON_PART_EVENT_UNKNOWN: 'ERROR',
  ON_PART_EVENT_NOT_POSSIBLE: 'ERROR',
  ON_PART_EVENT_ALIAS: 'INFO',
  ON_PART_SELF: 'WARNING',
  CASE_FILE_ON_PART_UNSUPPORTED: 'ERROR',
  IF_PART_EMPTY: 'ERROR',
  EXIT_CRITERION_ON_LISTENER_OR_MILESTONE: 'WARNING',
  ENTRY_CRITERION_ON_LISTENER: 'WARNING',
  CRITERION_ON_NON_BLOCKING_TASK: 'WARNING',
  EXIT_TYPE_UNKNOWN: 'ERROR',
  EXIT_EVENT_TYPE_UNKNOWN: 'ERROR',
  EXIT_TYPE_ON_STAGE: 'WARNING',
  TRIGGER_MODE_UNKNOWN: 'ERROR',
  EXPRESSION_SYNTAX: 'ERROR',
  EXPRESSION_UNSUPPORTED_ROOT: 'ERROR',
  EXPRESSION_UNSUPPORTED_FUNCTION: 'ERROR',
  EXPRESSION_UNSUPPORTED_METHOD: 'ERROR',
  EXPRESSION_LANGUAGE_UNSUPPORTED: 'ERROR',
  REPETITION_MAX_INSTANCE_COUNT_INVALID: 'ERROR',
  REPETITION_ENTRY_WITHOUT_ON_PART: 'WARNING',
  REPETITION_ENDLESS: 'WARNING',
  REPETITION_ELEMENT_WITHOUT_COLLECTION: 'WARNING',
  REPETITION_COLLECTION_IGNORES_MAX: 'WARNING',
  REPETITION_ON_TIMER_IGNORED: 'WARNING',
  PARENT_COMPLETION_TYPE_UNKNOWN: 'ERROR',
  REQUIRED_UNREACHABLE: 'WARNING',
  AUTO_COMPLETE_CONFLICT: 'WARNING',
  TIMER_EXPRESSION_MISSING: 'ERROR',
  TIMER_EXPRESSION_INVALID: 'ERROR',
  TIMER_START_TRIGGER_UNRESOLVED: 'ERROR',
  SIGNAL_REF_MISSING: 'ERROR',
  SIGNAL_REF_TOO_LONG: 'ERROR',
  VARIABLE_NAME_MISSING: 'ERROR',
  VARIABLE_CHANGE_TYPE_UNKNOWN: 'ERROR',
  VARIABLE_NAME_RESERVED: 'ERROR',
  EVENT_TYPE_UNSUPPORTED: 'ERROR',
  EVENT_TYPE_UNKNOWN: 'WARNING',
  REACTIVATE_LISTENER_MULTIPLE: 'ERROR',
  REACTIVATE_LISTENER_IN_STAGE: 'ERROR',
  AVAILABLE_CONDITION_ON_NON_LISTENER: 'WARNING',
  CASE_REF_MISSING: 'ERROR',
  PROCESS_REF_MISSING: 'ERROR',
  DECISION_REF_MISSING: 'ERROR',
  CASE_REF_NOT_DEPLOYED: 'WARNING',
  CASE_TASK_RECURSION: 'WARNING',
  DECISION_REF_NOT_DEPLOYED: 'WARNING',
  PROCESS_TASK_DISABLED: 'ERROR',
  SERVICE_TASK_UNSUPPORTED: 'ERROR',
  SCRIPT_UNSUPPORTED: 'ERROR',
  LISTENER_UNSUPPORTED: 'ERROR',
  ASYNC_IGNORED: 'INFO',
  TOPIC_MISSING: 'ERROR',
  TOPIC_TOO_LONG: 'ERROR',
  HUMAN_TASK_NAME_MISSING: 'WARNING',
  HUMAN_TASK_UNASSIGNABLE: 'WARNING',
  ASSIGNMENT_TOO_LONG: 'ERROR',
  TEXT_TOO_LONG: 'ERROR',
  PRIORITY_INVALID: 'ERROR',
  DUE_DATE_INVALID: 'ERROR',
  EXCLUDED_TASK_UNRESOLVED: 'ERROR',
  AGGREGATION_INVALID: 'ERROR',
  ROLE_REF_UNRESOLVED: 'ERROR',
  REFERENCE_UNRESOLVED: 'ERROR',
  PLAN_FRAGMENT_DISCRETIONARY_UNSUPPORTED: 'ERROR',
  PLAN_FRAGMENT_PLANNED_TWICE: 'ERROR',
  CASE_TOO_LARGE: 'ERROR',
  DI_MISSING: 'INFO',
} as const satisfies Readonly<Record<string, Severity>>;

/** The stable name of a problem. */
export type ProblemCode = keyof typeof PROBLEM_SEVERITIES;

/** The element a problem is about. */
export interface ProblemElement {
  readonly id?: string;
  readonly type?: string;
  readonly name?: string;
  /** Where it begins; given when its id does not identify it. */
  readonly location?: SourceLocation;
}

/** Something that is wrong with a model, or worth knowing about it. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly message: string;
  readonly elementId?: string;
  readonly elementType?: string;
  readonly elementName?: string;
  readonly caseDefinitionKey?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Collects problems; every rule reports to one of these. */
export interface Report {
  add(code: ProblemCode, message: string, element?: ProblemElement): void;
  readonly problems: Problem[];
}

/** A report for one case (or, without a key, for the document). */
export function createReport(
  locate: (id: string) => SourceLocation | undefined,
  caseDefinitionKey?: string,
): Report {
  const problems: Problem[] = [];
  return {
    problems,
    add(code, message, element) {
      const location =
        element?.location ?? (element?.id === undefined ? undefined : locate(element.id));
      problems.push({
        code,
        severity: PROBLEM_SEVERITIES[code],
        message,
        elementId: element?.id,
        elementType: element?.type,
        elementName: element?.name,
        caseDefinitionKey,
        line: location?.line,
        column: location?.column,
      });
    },
  };
}
