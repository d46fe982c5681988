import { createReport, type Problem } from '../basics/problem.ts';
import type { CaseDefinition } from '../model/case-definition.ts';
import type { Diagram } from '../model/diagram.ts';
import { ElementReader } from '../parse/element-reader.ts';
import { listCases, readDefinitions } from '../parse/read-definitions.ts';
import { readDiagrams } from '../parse/read-diagrams.ts';
import type { ValidationContext } from '../validation/context.ts';
import { validateDefinitions } from '../validation/validate.ts';
import { readXml } from '../xml/read-xml.ts';

/** A model that has been looked at, with all that is wrong with it. */
export interface Compilation {
  /** No problem is an error: the cases can be deployed. */
  readonly isValid: boolean;
  /** The cases of the document, in its order; none when there are errors. */
  readonly cases: readonly CaseDefinition[];
  /** What the cases of the document are called, whether or not there are errors in them. */
  readonly definitions: readonly { readonly key: string; readonly name?: string }[];
  /** How the document draws its cases, as far as that can be read. */
  readonly diagrams: readonly Diagram[];
  readonly problems: readonly Problem[];
}

/**
 * Parses, checks and compiles a CMMN 1.1 document. Never throws for what is in it: everything that is wrong
 * with a model is a problem of the result. Asynchronous only because the XML parser is.
 */
export async function compile(xml: string, context: ValidationContext = {}): Promise<Compilation> {
  const early = createReport(() => undefined);
  const document = await readXml(xml, early);
  if (!document) {
    return { isValid: false, cases: [], definitions: [], diagrams: [], problems: early.problems };
  }
  const { scan } = document;
  const report = createReport((id) => scan.byId.get(id));
  const reader = new ElementReader(document, report);
  for (const [id, { line, column, tag }] of scan.duplicates) {
    const areCases = tag === 'case' && scan.byId.get(id)?.tag === tag;
    report.add(
      areCases ? 'DUPLICATE_CASE_KEY' : 'DUPLICATE_ID',
      `The id "${id}" is used again in line ${line}, column ${column}.`,
      {
        id,
      },
    );
  }
  const definitions = readDefinitions(document.root, reader);
  const found = validateDefinitions(definitions, document, (id) => reader.locate(id), context);
  const problems = [...early.problems, ...report.problems, ...found];
  const isValid = !problems.some(({ severity }) => severity === 'ERROR');
  return {
    isValid,
    cases: isValid ? definitions.cases : [],
    definitions: listCases(document.root),
    diagrams: readDiagrams(document.root, reader),
    problems,
  };
}
