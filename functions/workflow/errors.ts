import { caseProblems } from './problems/cases.ts';
import { definitionProblems } from './problems/definitions.ts';
import { processProblems } from './problems/processes.ts';
import { taskProblems } from './problems/tasks.ts';
import { waitingProblems } from './problems/waiting.ts';

/** The problems of the workflow module. */
export const problems = {
  ...definitionProblems,
  ...caseProblems,
  ...waitingProblems,
  ...taskProblems,
  ...processProblems,
};
