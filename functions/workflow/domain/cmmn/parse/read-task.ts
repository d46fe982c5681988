import type { ModdleElement } from 'cmmn-moddle';
import { fitsKey, MAX_KEY_BYTES } from '../basics/key-text.ts';
import type { PlanItemDefinition } from '../model/plan-item-definition.ts';
import type { ElementReader } from './element-reader.ts';
import type { DefinitionBasics, TaskBasics } from './read-basics.ts';
import {
  readCaseTask,
  readDecisionTask,
  readParameters,
  readProcessTask,
} from './read-calling-task.ts';
import { readHumanTask } from './read-human-task.ts';

/** Reads a task (CMMN 1.1, 5.4). */
export function readTask(
  element: ModdleElement,
  definition: DefinitionBasics,
  reader: ElementReader,
): PlanItemDefinition {
  if (reader.flag(element, 'async') || reader.flag(element, 'asyncLeave')) {
    reader.problem('ASYNC_IGNORED', 'Every task runs at once: "async" has no effect.', element);
  }
  const basics: TaskBasics = {
    ...definition,
    isBlocking: reader.flag(element, 'isBlocking') ?? true,
    isBlockingExpression: reader.expressionAttribute(element, 'isBlockingExpression'),
  };
  switch (element.$type) {
    case 'cmmn:HumanTask':
      return readHumanTask(element, basics, reader);
    case 'cmmn:CaseTask':
      return readCaseTask(element, basics, reader);
    case 'cmmn:ProcessTask':
      return readProcessTask(element, basics, reader);
    case 'cmmn:DecisionTask':
      return readDecisionTask(element, basics, reader);
    default:
      return readTypedTask(element, basics, reader);
  }
}

/** A `task` whose type is an extension: an expression, external work, or something the engine must refuse. */
function readTypedTask(
  element: ModdleElement,
  basics: TaskBasics,
  reader: ElementReader,
): PlanItemDefinition {
  const type = reader.attribute(element, 'type');
  const expression = reader.expressionAttribute(element, 'expression');
  const { isBlocking: _, isBlockingExpression: __, ...definition } = basics;
  if (expression && (type === undefined || type === 'java')) {
    return {
      type: 'expressionTask',
      ...definition,
      expression,
      resultVariableName: reader.attribute(element, 'resultVariableName'),
      storeResultAsTransient: reader.flag(element, 'storeResultVariableAsTransient'),
    };
  }
  if (type === 'external-worker') {
    const topic = reader.attribute(element, 'topic');
    if (!topic) reader.problem('TOPIC_MISSING', 'External work needs a topic.', element);
    else if (!fitsKey(topic)) {
      const message = `A topic has at most ${MAX_KEY_BYTES} bytes.`;
      reader.problem('TOPIC_TOO_LONG', message, element);
    }
    return {
      type: 'externalWorkerTask',
      ...definition,
      topic: topic ?? '',
      inParameters: readParameters(element, 'in', reader),
      outParameters: readParameters(element, 'out', reader),
    };
  }
  const code =
    reader.attribute(element, 'class') ?? reader.attribute(element, 'delegateExpression');
  if (type === 'script') {
    reader.problem('SCRIPT_UNSUPPORTED', 'Scripts are not run.', element);
  } else if (type !== undefined || code !== undefined) {
    const message = `Tasks of the type "${type ?? 'java'}" are not supported; expressions are.`;
    reader.problem('SERVICE_TASK_UNSUPPORTED', message, element);
  }
  return { type: 'task', ...basics };
}
