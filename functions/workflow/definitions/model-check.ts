import type { Problem } from '../domain/cmmn/basics/problem.ts';
import type { Compilation } from '../domain/cmmn/compile/compile.ts';
import type { ValidationContext } from '../domain/cmmn/validation/context.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import { compileAlone } from './model-compiler.ts';
import { publishedAmong } from './published-keys.ts';

/** A problem of a model, or of where it is to be deployed. */
type ReportedProblem = Omit<Problem, 'code'> & { readonly code: string };

/** What is right and wrong with a model. */
export interface ModelReport {
  readonly valid: boolean;
  readonly errors: readonly ReportedProblem[];
  readonly warnings: readonly ReportedProblem[];
  readonly infos: readonly ReportedProblem[];
  readonly caseDefinitions: Compilation['definitions'];
}

/** Where a model is to be deployed. */
export interface DeploymentTarget {
  /** Tenant; empty: of none. */
  readonly tenantCode: string;
  readonly workflowCode?: string | undefined;
}

export interface ModelCheckDependencies extends Pick<ValidationContext, 'hasProcesses'> {
  readonly repository: Pick<DefinitionRepository, 'findHead' | 'findPublished'>;
}

/** Checks models by the rules that a deployment applies; nothing is stored. */
export class ModelCheck {
  readonly #deps: ModelCheckDependencies;

  constructor(dependencies: ModelCheckDependencies) {
    this.#deps = dependencies;
  }

  async check(xml: string, target: DeploymentTarget): Promise<ModelReport> {
    const { repository, hasProcesses = false } = this.#deps;
    const published = publishedAmong(repository, target.tenantCode);
    const compilation = await compileAlone(xml, published, { hasProcesses });
    return reportOf(compilation, await this.#codeProblems(compilation, target));
  }

  /** The code belongs to a case that the document does not have. */
  async #codeProblems(
    { definitions }: Compilation,
    { tenantCode, workflowCode }: DeploymentTarget,
  ): Promise<readonly ReportedProblem[]> {
    if (workflowCode === undefined) return [];
    const head = await this.#deps.repository.findHead(tenantCode, workflowCode);
    const owner = head?.latest && head.caseDefinitionKey;
    if (owner === undefined || definitions.some(({ key }) => key === owner)) return [];
    const message = `The versions of ${workflowCode} are those of the case ${owner}, which the document does not have.`;
    return [{ code: 'WORKFLOW_CODE_TAKEN', severity: 'ERROR', message }];
  }
}

/** The problems of a model by their severity. */
function reportOf(
  { isValid, problems, definitions }: Compilation,
  others: readonly ReportedProblem[],
): ModelReport {
  const having = (severity: Problem['severity']): ReportedProblem[] =>
    [...problems, ...others].filter((problem) => problem.severity === severity);
  return {
    valid: isValid && others.length === 0,
    errors: having('ERROR'),
    warnings: having('WARNING'),
    infos: having('INFO'),
    caseDefinitions: definitions,
  };
}
