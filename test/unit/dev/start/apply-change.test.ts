import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { Platform } from '../../../../bin/dev/platform.ts';
import { startBaseUrlProxy } from '../../../../bin/dev/proxy/base-url-proxy.ts';
import { applyChange } from '../../../../bin/dev/start/apply-change.ts';

/** A platform that only notes what is done with it. */
class NotingPlatform extends Platform {
  readonly done: string[] = [];

  override async build() {
    this.done.push('build');
    return [];
  }

  override async synthesise() {
    this.done.push('synthesise');
  }

  override async deploy() {
    this.done.push('deploy');
    return 'updated' as const;
  }
}

describe('a change of the stack', () => {
  it.each([
    [['cdk.json'], ['synthesise', 'deploy']],
    [['lib/platform-stack.ts'], ['build', 'synthesise', 'deploy']],
    [
      ['cdk.json', 'functions/settings/errors.ts'],
      ['build', 'synthesise', 'deploy'],
    ],
  ])('of %j calls for %j', async (paths, done) => {
    const platform = new NotingPlatform({ workFolder: tmpdir() });
    const proxy = await startBaseUrlProxy({ endpoint: 'http://127.0.0.1:9', apiId: 'a', port: 0 });

    await applyChange(platform, proxy, 'stack', paths);

    expect(platform.done).toEqual(done);
    await proxy.close();
  });
});
