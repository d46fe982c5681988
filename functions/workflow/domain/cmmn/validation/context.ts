/** Features that the environment of a model offers. */
export interface ValidationContext {
  /** Process tasks can be run: the BPMN engine is switched on. */
  readonly hasProcesses?: boolean;
  /** Keys of cases that are deployed already, beside those of the model. Absent: not checked. */
  readonly deployedCases?: ReadonlySet<string>;
  /** Keys of decisions that are deployed or come along. Absent: not checked. */
  readonly deployedDecisions?: ReadonlySet<string>;
}
