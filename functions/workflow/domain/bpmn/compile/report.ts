import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { type Expression, parseExpression } from '../../cmmn/expression/expression.ts';
import { ExpressionSyntaxError } from '../../cmmn/expression/expression-error.ts';
import type { SourceScan } from '../../cmmn/xml/source-locations.ts';
import type { XmlElement } from '../../cmmn/xml/xml-tree.ts';
import type { ProcessProblem } from '../model/process-model.ts';

const FEEL = /feel/i;
const JUEL = /^$|uel|flowable|camunda/i;

/** Most problems of each severity in a report; the rest is left out. */
const MAX_REPORTED = 200;

/** Collects the problems of a model. */
export class ProcessReport {
  readonly problems: ProcessProblem[] = [];
  readonly #scan: SourceScan | undefined;
  readonly #counts = { ERROR: 0, WARNING: 0 };
  /** An expression may be read more than once. */
  readonly #known = new Set<string>();

  constructor(scan?: SourceScan) {
    this.#scan = scan;
  }

  get hasErrors(): boolean {
    return this.#counts.ERROR > 0;
  }

  add(
    code: string,
    message: string,
    element?: XmlElement,
    severity: ProcessProblem['severity'] = 'ERROR',
  ): void {
    const id = element?.attributes.id;
    const same = JSON.stringify([code, message, id, severity]);
    if (id !== undefined && this.#known.has(same)) return;
    this.#known.add(same);
    this.#counts[severity] += 1;
    if (this.#counts[severity] > MAX_REPORTED) return;
    const place = id === undefined ? undefined : this.#scan?.byId.get(id);
    this.problems.push({
      ...{ code, severity, message },
      elementId: id,
      elementType: element?.name,
      elementName: element?.attributes.name,
      line: place?.line,
      column: place?.column,
    });
  }

  /** Reads an expression; one that cannot be read is a problem. */
  expression(text: string, element: XmlElement, language = ''): Expression {
    const isFeel = FEEL.test(language) || text.startsWith('=');
    if (!isFeel && !JUEL.test(language)) {
      const message = `Expressions in ${shown(language)} are not supported.`;
      this.add('EXPRESSION_LANGUAGE_UNSUPPORTED', message, element);
    }
    const expression: Expression = isFeel
      ? { text: text.replace(/^=/, ''), language: 'feel' }
      : { text, language: 'juel' };
    try {
      parseExpression(expression);
    } catch (error) {
      if (!(error instanceof ExpressionSyntaxError)) throw error;
      const message = `The expression ${shown(text)} cannot be read: ${error.message}.`;
      this.add('EXPRESSION_SYNTAX', message, element);
    }
    return expression;
  }
}
