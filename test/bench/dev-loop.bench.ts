import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import { ProjectCopy } from '../helpers/cloud/cloud-start-process.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';

const rounds = 7;
const changedFile = ['functions', 'settings', 'errors.ts'];
const changedText = /title: 'Setting not found[^']*'/;

/** `npm start`: from the command to ready, and from a saved file to its effect. */
export default {
  name: 'Developer loop',
  async run(say) {
    await ensurePythonTool(localCloudTool);
    const project = new ProjectCopy();
    try {
      say('starting, stopping and starting again');
      const first = await timeStart(project);
      await first.platform.interrupt();
      const second = await timeStart(project);
      say(`changing a function ${rounds} times`);
      const changes: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        changes.push(await timeChange(project, `Setting not found ${round}`));
        // As people work: what follows a change is done before the next one.
        await sleep(3_000);
      }
      return [
        { what: 'start to ready, empty', value: first.seconds, unit: 's', goal: 8 },
        { what: 'start to ready, again', value: second.seconds, unit: 's', goal: 8 },
        { what: 'change to live, p50', value: median(changes), unit: 's', goal: 0.5 },
        { what: 'change to live, worst', value: Math.max(...changes), unit: 's' },
      ] satisfies Figure[];
    } finally {
      await project.remove();
    }
  },
} satisfies Benchmark;

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
    // Asking without a pause would take the processor from what is measured.
    await sleep(10);
    if (performance.now() - begin > 20_000) throw new Error('The change did not become live.');
  }
}
