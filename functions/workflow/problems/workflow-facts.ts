/** The workflow that a problem is about, or one version of it. */
export interface WorkflowFacts {
  readonly workflowCode: string;
  readonly version?: number | undefined;
}
