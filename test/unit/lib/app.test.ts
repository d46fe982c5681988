import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** Runs the standalone app as the CDK CLI does. */
function runApp(context: Record<string, unknown>): Promise<{ stderr: string }> {
  const { AWS_ENDPOINT_URL: _, ...environment } = process.env;
  return run(process.execPath, ['bin/app.ts'], {
    env: { ...environment, CDK_CONTEXT_JSON: JSON.stringify(context) },
  });
}

describe('the standalone app', () => {
  it('says in plain words what is wrong with the configuration, and fails', async () => {
    const outcome = runApp({ svc: { mq: { transprot: 'broker' } } });

    await expect(outcome).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^\nThe svc configuration has 1 problem\(s\):\n {2}svc\.mq\.transprot: .*svc\.mq\.transport/,
      ),
    });
    await expect(outcome).rejects.not.toMatchObject({ stderr: expect.stringContaining('    at ') });
  });
});
