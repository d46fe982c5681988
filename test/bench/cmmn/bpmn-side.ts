import { Engine } from 'bpmn-engine';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="http://example.com/bench">
<process id="bench" isExecutable="true">
<startEvent id="begin"/>`;
const TAIL = '<endEvent id="finish"/></process></definitions>';
const flow = (id: string, from: string, to: string): string =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** User tasks one after the other. */
export function sequence(count: number): string {
  const nodes = ['begin', ...numbers(count).map((n) => `task${n}`), 'finish'];
  const tasks = numbers(count).map((n) => `<userTask id="task${n}"/>`);
  const flows = nodes.slice(1).map((node, n) => flow(`flow${n}`, nodes[n] ?? '', node));
  return [HEAD, ...tasks, ...flows, TAIL].join('\n');
}

/** One user task that opens many at once. */
export function fanOut(count: number): string {
  const tasks = numbers(count).flatMap((n) => [
    `<userTask id="task${n}"/>`,
    flow(`out${n}`, 'fork', `task${n}`),
    flow(`in${n}`, `task${n}`, 'join'),
  ]);
  return [
    HEAD,
    '<userTask id="first"/><parallelGateway id="fork"/><parallelGateway id="join"/>',
    flow('toFirst', 'begin', 'first'),
    flow('toFork', 'first', 'fork'),
    ...tasks,
    flow('toEnd', 'join', 'finish'),
    TAIL,
  ].join('\n');
}

/** One user task again and again. */
export function loop(): string {
  return [
    HEAD,
    '<userTask id="task"/>',
    flow('toTask', 'begin', 'task'),
    flow('again', 'task', 'task'),
    TAIL,
  ].join('\n');
}

interface Waiting {
  readonly id: string;
  signal(): void;
}

/** Runs a process and signals user tasks until so many are done or none is left. @returns how many were done */
export async function runProcess(source: string, limit: number): Promise<number> {
  const engine = new Engine({ name: 'bench', source });
  const execution = await engine.execute();
  let done = 0;
  while (done < limit) {
    const waiting = openTasks(execution);
    if (waiting.length === 0) break;
    for (const task of waiting.slice(0, limit - done)) {
      task.signal();
      done++;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (execution.state === 'running') await execution.stop();
  return done;
}

/** Time of signalling the first user task of a process, in milliseconds. */
export async function timeFirstSignal(source: string): Promise<number> {
  const engine = new Engine({ name: 'bench', source });
  const execution = await engine.execute();
  const [first] = openTasks(execution);
  const begin = performance.now();
  first?.signal();
  const time = performance.now() - begin;
  await execution.stop();
  return time;
}

function openTasks(execution: { getPostponed(): readonly unknown[] }): Waiting[] {
  return (execution.getPostponed() as readonly (Waiting & { type: string })[]).filter(
    ({ type }) => type === 'bpmn:UserTask',
  );
}
