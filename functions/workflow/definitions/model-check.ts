import type { Problem } from '../domain/cmmn/basics/problem.ts';
import type { Compilation } from '../domain/cmmn/compile/compile.ts';
import type { ValidationContext } from '../domain/cmmn/index.ts';

/** The compiler of models: only deployments and checks need it, and it reads XML. */
const compiler = () => import('../domain/cmmn/compile/compile.ts');

/** What is right and wrong with a model. */
export interface ModelReport {
  readonly valid: boolean;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly infos: readonly Problem[];
  readonly caseDefinitions: Compilation['definitions'];
}

/** Checks models by the rules that a deployment applies; nothing is stored. */
export class ModelCheck {
  readonly #context: ValidationContext;

  constructor(context: ValidationContext = {}) {
    this.#context = context;
  }

  async check(xml: string): Promise<ModelReport> {
    const { compile } = await compiler();
    return reportOf(await compile(xml, this.#context));
  }
}

/** The problems of a model by their severity. */
function reportOf({ isValid, problems, definitions }: Compilation): ModelReport {
  const having = (severity: Problem['severity']): Problem[] =>
    problems.filter((problem) => problem.severity === severity);
  return {
    valid: isValid,
    errors: having('ERROR'),
    warnings: having('WARNING'),
    infos: having('INFO'),
    caseDefinitions: definitions,
  };
}
