import { describe, expect, it, vi } from 'vitest';
import { withLazyMembers, withMembers } from '../../../../shared/primitives/lazy.ts';

describe('withLazyMembers', () => {
  const make = () => ({ built: true });

  it('builds a member when it is first read, and once', () => {
    const schema = vi.fn(make);
    const given = withLazyMembers({ name: 'one', schema: schema as typeof schema | object }, [
      'schema',
    ]);

    expect(given.name).toBe('one');
    expect(schema).not.toHaveBeenCalled();
    expect(given.schema).toBe(given.schema);
    expect(given.schema).toEqual({ built: true });
    expect(schema).toHaveBeenCalledOnce();
  });

  it('leaves members that are no functions, or absent', () => {
    const schema = make();
    const given: { schema: object; other?: object } = { schema };

    expect(withLazyMembers(given, ['schema', 'other'])).toEqual({ schema });
  });

  it('stays lazy when other members are replaced', () => {
    const schema = vi.fn(make);
    const given = withLazyMembers({ name: 'one', schema: schema as typeof schema | object }, [
      'schema',
    ]);

    const other = withMembers(given, { name: 'two' });

    expect(other.name).toBe('two');
    expect(schema).not.toHaveBeenCalled();
    expect(other.schema).toEqual({ built: true });
  });
});
