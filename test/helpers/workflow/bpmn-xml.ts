// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
/** A sequence flow. @param condition absent: always taken */
export const flow = (from: string, to: string, condition?: string): string => {
  const head = `<sequenceFlow id="${from}_${to}" sourceRef="${from}" targetRef="${to}"`;
  if (condition === undefined) return `${head}/>`;
  const text = condition.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `${head}><conditionExpression xsi:type="tFormalExpression">${text}</conditionExpression></sequenceFlow>`;
};

/** Flows from each element to the next. */
export const chain = (...ids: readonly string[]): string =>
  ids
    .slice(1)
    .map((id, at) => flow(ids[at] ?? '', id))
    .join('');

export const userTask = (id: string, attributes = 'flowable:candidateGroups="clerks"'): string =>
  `<userTask id="${id}" name="${id}" ${attributes}/>`;

interface ProcessFacts {
  readonly key?: string;
  /** Elements beside the process. */
  readonly beside?: string;
}

/** A BPMN document with one process. */
export const bpmnXml = (
  body: string,
  { key = 'order', beside = '' }: ProcessFacts = {},
): string => `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:flowable="http://flowable.org/bpmn" id="definitions" targetNamespace="http://example.org">
  ${beside}
  <process id="${key}" name="Process ${key}" isExecutable="true">${body}</process>
</definitions>`;

/** A small or a large amount, each with a task of its own. */
export const amountXml = (key = 'order'): string =>
  bpmnXml(
    `<startEvent id="start"/><exclusiveGateway id="choice" default="choice_small"/>
    ${userTask('small')}${userTask('big')}<endEvent id="end"/>
    ${flow('start', 'choice')}${flow('choice', 'big', '${amount > 100}')}${flow('choice', 'small')}
    ${flow('small', 'end')}${flow('big', 'end')}`,
    { key },
  );
