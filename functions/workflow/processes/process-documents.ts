import type { ProblemItem } from '../../../shared/problems/problem.ts';
import type { ProcessModel, ProcessProblem } from '../domain/bpmn/index.ts';
import { problems } from '../errors.ts';
import { loadBpmn } from './bpmn.ts';

/** What is right and wrong with a document. */
export interface ProcessModelReport {
  readonly valid: boolean;
  readonly processKey?: string;
  readonly errors: readonly ProcessProblem[];
  readonly warnings: readonly ProcessProblem[];
  readonly model?: ProcessModel;
}

/** A document without errors. */
export interface CompiledProcess {
  readonly xml: string;
  readonly model: ProcessModel;
  readonly warnings: readonly ProcessProblem[];
}

/** Checks and compiles BPMN documents. */
export class ProcessDocuments {
  readonly #sendsMessages: boolean;

  /** @param sendsMessages `svc.mq.enabled`: without it the messages of service tasks are not delivered */
  constructor({ sendsMessages }: { readonly sendsMessages: boolean }) {
    this.#sendsMessages = sendsMessages;
  }

  /** Checks a document by the rules of a deployment; nothing is stored. */
  async check(xml: string): Promise<ProcessModelReport> {
    const { compileProcess } = await loadBpmn();
    const { model: compiled, problems: reported } = await compileProcess(xml);
    const unsent = this.#sendsMessages ? [] : unsentBy(compiled);
    const model = unsent.length > 0 ? undefined : compiled;
    const found = [...reported, ...unsent];
    return {
      valid: model !== undefined,
      ...(model && { processKey: model.processKey, model }),
      errors: found.filter(({ severity }) => severity === 'ERROR'),
      warnings: found.filter(({ severity }) => severity === 'WARNING'),
    };
  }

  /** The compiled form of a document. @throws Problem `MODEL_INVALID` (422) */
  async require(xml: string): Promise<CompiledProcess> {
    const errors: ProblemItem[] = [];
    const compiled = await this.compiled(xml, '/xml', errors);
    if (!compiled) throw problems.modelInvalid(errors);
    return compiled;
  }

  /** The compiled form of a document; else what is wrong is added to the errors. */
  async compiled(
    xml: string,
    pointer: string,
    errors: ProblemItem[],
  ): Promise<CompiledProcess | undefined> {
    const { model, errors: found, warnings } = await this.check(xml);
    if (model) return { xml, model, warnings };
    errors.push(...found.map((problem) => toItem(problem, pointer)));
    return undefined;
  }
}

/** Service tasks whose messages would not be delivered. */
const unsentBy = (model: ProcessModel | undefined): ProcessProblem[] =>
  Object.keys(model?.requests ?? {}).map((elementId) => ({
    ...{
      code: 'SERVICE_TASK_UNSUPPORTED',
      severity: 'ERROR',
      elementId,
      elementType: 'serviceTask',
    },
    message: 'A service task that sends a message needs svc.mq.enabled.',
  }));

/** A problem of a document, as an answer lists it. */
function toItem(
  { code, message, severity: _, ...place }: ProcessProblem,
  pointer: string,
): ProblemItem {
  const item = { pointer, code, detail: message, ...place };
  return item;
}
