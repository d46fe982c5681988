import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { ProblemItem } from '../../../shared/problems/problem.ts';
import type { Problem } from '../domain/cmmn/basics/problem.ts';
import type { Compilation } from '../domain/cmmn/compile/compile.ts';
import type { DecisionTable } from '../domain/cmmn/decision/decision-table.ts';
import type { CaseDefinition } from '../domain/cmmn/model/case-definition.ts';
import type { ValidationContext } from '../domain/cmmn/validation/context.ts';
import { isBpmn } from '../domain/definitions/bpmn-document.ts';
import type { DeploymentSnapshot } from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';

/** The compiler of models: only deployments and checks need it, and it reads XML. */
const compiler = async () => ({
  ...(await import('../domain/cmmn/compile/compile.ts')),
  ...(await import('../domain/cmmn/compile/references.ts')),
  ...(await import('../domain/cmmn/compile/snapshot.ts')),
  ...(await import('../domain/cmmn/decision/read-dmn.ts')),
});

/** A document that comes along: decision tables (DMN), further cases, or a process (BPMN). */
export interface ModelResource {
  readonly name: string;
  readonly xml: string;
}

/** Documents of a deployment. */
export interface ModelSource {
  readonly xml: string;
  readonly resources: readonly ModelResource[];
  /** The main case; left out: the first. */
  readonly caseDefinitionKey?: string | undefined;
}

/** A deployment without errors. */
export interface CompiledSource {
  readonly main: CaseDefinition;
  readonly cases: readonly CaseDefinition[];
  readonly decisions: readonly DecisionTable[];
  readonly warnings: readonly Problem[];
  readonly snapshot: DeploymentSnapshot;
}

/** Says which of some keys are published already. */
export type FindPublished = (
  list: 'cases' | 'decisions',
  keys: readonly string[],
) => Promise<readonly string[]>;

/** Most cases and decisions of one deployment: each has a row in its transaction. */
const MAX_DEFINITIONS = 40;
/** Warnings that are kept. */
const MAX_WARNINGS = 100;
const IS_DMN = /<(?:[\w.-]+:)?definitions\b[^>]*\bxmlns(?::[\w.-]+)?\s*=\s*["'][^"']*\/DMN\//i;

/**
 * Compiles the documents of a deployment.
 * @throws Problem `MODEL_INVALID` (422), `VALIDATION_FAILED` (400) for a main case that is not there
 */
export async function compileSource(
  source: ModelSource,
  findPublished: FindPublished,
  features: Pick<ValidationContext, 'hasProcesses'> = {},
): Promise<CompiledSource> {
  const { compileDecisions, snapshotOf } = await compiler();
  const tables = source.resources.map(({ xml }) =>
    IS_DMN.test(xml) ? compileDecisions(xml) : null,
  );
  // Processes are compiled by themselves where there are any.
  const isProcess = (xml: string): boolean => features.hasProcesses === true && isBpmn(xml);
  const documents = [
    { pointer: '/xml', xml: source.xml },
    ...source.resources.flatMap(({ xml }, at) =>
      tables[at] || isProcess(xml) ? [] : [{ pointer: `/resources/${at}/xml`, xml }],
    ),
  ];
  const decisions = tables.flatMap((table) => table?.decisions ?? []);
  const compiled = await compileTogether(documents, decisions, findPublished, features);
  const cases = compiled.flatMap(({ compilation }) => compilation.cases);
  refuseErrors([
    ...compiled.flatMap(({ pointer, compilation }) => errorsOf(pointer, compilation.problems)),
    ...tables.flatMap((table, at) => errorsOf(`/resources/${at}/xml`, table?.problems ?? [])),
    ...duplicates(cases, decisions),
  ]);
  const main = mainCase(compiled[0]?.compilation.cases ?? [], source.caseDefinitionKey);
  const found = compiled.flatMap(({ compilation }) => compilation.problems);
  return {
    main,
    cases,
    decisions,
    warnings: found.filter(({ severity }) => severity === 'WARNING').slice(0, MAX_WARNINGS),
    snapshot: {
      cmmnXml: source.xml,
      cases: cases.map(snapshotOf),
      diagrams: compiled[0]?.compilation.diagrams ?? [],
    },
  };
}

/** Compiles a document that stands alone, with what it calls of what is published. */
export async function compileAlone(
  xml: string,
  findPublished: FindPublished,
  features: Pick<ValidationContext, 'hasProcesses'> = {},
): Promise<Compilation> {
  const documents = [{ pointer: '/xml', xml }] as const;
  const [found] = await compileTogether(documents, [], findPublished, features);
  if (!found) throw new Error('A document was not compiled');
  return found.compilation;
}

interface Document {
  readonly pointer: string;
  readonly xml: string;
}

interface CompiledDocument {
  readonly pointer: string;
  readonly compilation: Compilation;
}

/** Compiles documents that may refer to each other, and to what is published. */
async function compileTogether(
  documents: readonly Document[],
  decisions: readonly DecisionTable[],
  findPublished: FindPublished,
  features: Pick<ValidationContext, 'hasProcesses'>,
): Promise<readonly CompiledDocument[]> {
  const { compile, referencesOf } = await compiler();
  const compileAll = (context: Parameters<typeof compile>[1]): Promise<CompiledDocument[]> =>
    Promise.all(
      documents.map(async ({ pointer, xml }) => ({
        pointer,
        compilation: await compile(xml, { ...features, ...context }),
      })),
    );
  const first = await compileAll({});
  const cases = first.flatMap(({ compilation }) => compilation.cases);
  const references = cases.map(referencesOf);
  const keysOf = (list: 'cases' | 'decisions'): string[] => [
    ...new Set(references.flatMap((each) => each[list].flatMap(({ key }) => key ?? []))),
  ];
  const [caseKeys, decisionKeys] = [keysOf('cases'), keysOf('decisions')];
  if (caseKeys.length + decisionKeys.length === 0) return first;
  const [ownCases, ownDecisions] = [cases.map(({ key }) => key), decisions.map(({ key }) => key)];
  return compileAll({
    deployedCases: await known(caseKeys, ownCases, (keys) => findPublished('cases', keys)),
    deployedDecisions: await known(decisionKeys, ownDecisions, (keys) =>
      findPublished('decisions', keys),
    ),
  });
}

async function known(
  wanted: readonly string[],
  own: readonly string[],
  find: (keys: readonly string[]) => Promise<readonly string[]>,
): Promise<ReadonlySet<string>> {
  const others = wanted.filter((key) => !own.includes(key));
  return new Set([...own, ...(others.length > 0 ? await find(others) : [])]);
}

interface FoundProblem {
  readonly code: string;
  readonly message: string;
  readonly severity?: string;
}

const errorsOf = (pointer: string, found: readonly FoundProblem[]): ProblemItem[] =>
  found
    .filter(({ severity = 'ERROR' }) => severity === 'ERROR')
    .map(({ code, message, severity: _, ...place }) => ({
      ...place,
      pointer,
      code,
      detail: message,
    }));

/** Keys that two documents have, and more definitions than a deployment takes. */
function duplicates(
  cases: readonly CaseDefinition[],
  decisions: readonly DecisionTable[],
): ProblemItem[] {
  const twice = (keys: readonly string[]): string[] => [
    ...new Set(keys.filter((key, at) => keys.indexOf(key) !== at)),
  ];
  const items = (code: string, keys: readonly string[]): ProblemItem[] =>
    keys.map((key) => ({
      pointer: '/resources',
      code,
      detail: `Two documents of the deployment have "${key}".`,
    }));
  const count = cases.length + decisions.length;
  const detail = `The deployment has ${count} cases and decisions; at most ${MAX_DEFINITIONS} are accepted.`;
  return [
    ...items('DUPLICATE_CASE_KEY', twice(cases.map(({ key }) => key))),
    ...items('DUPLICATE_DECISION_KEY', twice(decisions.map(({ key }) => key))),
    ...(count > MAX_DEFINITIONS ? [{ pointer: '/xml', code: 'TOO_MANY_DEFINITIONS', detail }] : []),
  ];
}

function refuseErrors(errors: readonly ProblemItem[]): void {
  if (errors.length > 0) throw problems.modelInvalid(errors);
}

function mainCase(cases: readonly CaseDefinition[], key: string | undefined): CaseDefinition {
  const main = key === undefined ? cases[0] : cases.find((each) => each.key === key);
  if (main) return main;
  const detail = `is not the id of a case of the document: ${cases.map((each) => each.key).join(', ')}`;
  throw httpProblems.validationFailed([
    { pointer: '/caseDefinitionKey', code: 'CASE_NOT_IN_DOCUMENT', detail },
  ]);
}
