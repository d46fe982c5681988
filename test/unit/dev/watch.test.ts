import { describe, expect, it } from 'vitest';
import { changeKind, isConfigurationOnly } from '../../../bin/dev/watch/watch-sources.ts';

describe('changeKind', () => {
  it.each([
    ['functions/settings/service.ts', 'code'],
    ['shared/http/reply.ts', 'code'],
    ['bin/host.ts', 'stack'],
    ['bin/orders/listeners.ts', 'stack'],
    ['lib/resources/storage.ts', 'stack'],
    ['bin/app.ts', 'stack'],
    ['cdk.json', 'stack'],
    ['shared/config/schema.ts', 'stack'],
    ['functions/settings/listeners.ts', 'stack'],
    ['bin/dev/start.ts', undefined],
    ['functions/settings/.service.ts.swp', undefined],
    ['functions/settings/service.ts~', undefined],
  ])('%s calls for %s', (path, kind) => {
    expect(changeKind(path)).toBe(kind);
  });
});

describe('isConfigurationOnly', () => {
  it.each([
    [['cdk.json'], true],
    [['cdk.json', 'functions/settings/service.ts'], false],
    [['package.json'], false],
  ])('%j: %j', (paths, isOnly) => {
    expect(isConfigurationOnly(paths)).toBe(isOnly);
  });
});
