import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const HOST = join(import.meta.dirname, '../../../../shared/host');
const exported = new Set(
  [...readFileSync(join(HOST, 'index.ts'), 'utf8').matchAll(/\b[A-Z]\w+/g)].map(([name]) => name),
);
/** Files whose types the fields of a host have. */
const ports = [
  ...readFileSync(join(HOST, 'host.ts'), 'utf8').matchAll(/from '(\.\.\/ports\/[\w-]+\.ts)'/g),
].map(([, file = '']) => file);

describe('svc-cloud/host', () => {
  it.each(ports)('exports every type of %s, so that a host can name what it implements', (file) => {
    const source = readFileSync(join(HOST, file), 'utf8');
    const types = [...source.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
      ([, name = '']) => name,
    );

    expect(types.length).toBeGreaterThan(0);
    expect(types.filter((name) => !exported.has(name))).toEqual([]);
  });
});
