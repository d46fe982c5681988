import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import { say } from '../../bin/dev/terminal/output.ts';
import { ProjectCopy } from '../helpers/cloud-start-process.ts';

const rounds = 7;
const changedFile = ['functions', 'settings', 'errors.ts'];
const changedText = /title: 'Setting not found[^']*'/;

/** Measures `npm start`: from the command to ready (goal 8 s), from a saved file to its effect (goal 0.5 s). */
export default async function benchDevLoop(): Promise<void> {
  await ensurePythonTool(localCloudTool);
  const project = new ProjectCopy();
  try {
    const first = await timeStart(project);
    print('start to ready, empty', first.seconds, 8);
    await first.platform.interrupt();
    const second = await timeStart(project);
    print('start to ready, again', second.seconds, 8);
    const changes: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      changes.push(await timeChange(project, `Setting not found ${round}`));
      await sleep(300);
    }
    changes.sort((a, b) => a - b);
    print('change to live, median', changes[Math.floor(rounds / 2)] ?? Number.NaN, 0.5);
    print('change to live, worst', changes.at(-1) ?? Number.NaN, 0.5);
  } finally {
    await project.remove();
  }
}

async function timeStart(project: ProjectCopy) {
  const begin = performance.now();
  const platform = await project.start();
  if (!platform.output.includes('Ready in')) throw new Error(platform.output);
  return { platform, seconds: (performance.now() - begin) / 1000 };
}

async function timeChange(project: ProjectCopy, title: string): Promise<number> {
  const { baseUrl } = project.outputs();
  const headers = { authorization: `Bearer ${project.token()}` };
  const text = project.read(...changedFile).replace(changedText, `title: '${title}'`);
  const begin = performance.now();
  writeFileSync(project.path(...changedFile), text);
  for (;;) {
    const answer = await fetch(`${baseUrl}/api/v1/setting/no.such.setting`, { headers });
    const body = (await answer.json()) as { title?: string };
    if (body.title === title) return (performance.now() - begin) / 1000;
    if (performance.now() - begin > 20_000) throw new Error('The change did not become live.');
  }
}

function print(what: string, seconds: number, goalSeconds: number): void {
  const ratio = (seconds / goalSeconds).toFixed(2);
  say(`  ${what.padEnd(26)} ${seconds.toFixed(2)} s   ${ratio} x the goal of ${goalSeconds} s`);
}
