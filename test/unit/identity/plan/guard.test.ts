import { describe, expect, it } from 'vitest';
import { guardPlan } from '../../../../functions/identity/domain/plan/guard.ts';

const users = {
  ...{ created: 0, updated: 0, disabled: 0, missing: 0, missingActive: 0, refused: 0 },
  ...{ unchanged: 0, renamed: 0, total: 100, linked: 100 },
};
const departments = { created: 0, updated: 0, removed: 0, unchanged: 0, total: 10, linked: 10 };
const judge = (
  change: Partial<typeof users> = {},
  tree: Partial<typeof departments> = {},
  isFull = true,
) =>
  guardPlan(
    { ...users, ...change },
    { ...departments, ...tree },
    { maxDeletePercent: 20, maxDeleteCount: 500 },
    { isFull },
  )?.code;

describe('the guard', () => {
  it('lets a plan pass that removes little', () => {
    expect(judge()).toBeUndefined();
    expect(judge({ missingActive: 20 })).toBeUndefined();
    expect(judge({ missingActive: 10, linked: 12 })).toBeUndefined();
    expect(judge({ missing: 90, missingActive: 0 })).toBeUndefined();
  });

  it('holds back more than the percentage, whether missing or made inactive', () => {
    expect(judge({ missingActive: 21 })).toBe('TOO_MANY_REMOVALS');
    expect(judge({ missingActive: 11, disabled: 10 })).toBe('TOO_MANY_REMOVALS');
    expect(judge({ disabled: 11, linked: 54 })).toBe('TOO_MANY_REMOVALS');
  });

  it('holds back more than the count, however many accounts there are', () => {
    expect(judge({ missingActive: 500, linked: 100_000 })).toBeUndefined();
    expect(judge({ missingActive: 501, linked: 100_000 })).toBe('TOO_MANY_REMOVALS');
  });

  it('holds back a source that is suddenly empty, however small', () => {
    expect(judge({ total: 0, linked: 1, missingActive: 1 })).toBe('SOURCE_EMPTY');
    expect(judge({ total: 0, linked: 0 })).toBeUndefined();
    expect(judge({ total: 0 }, {}, false)).toBeUndefined();
    expect(judge({}, { total: 0, removed: 1, linked: 1 })).toBe('GROUPS_EMPTY');
  });

  it('holds back many removed departments and many renamed accounts', () => {
    expect(judge({}, { removed: 3 })).toBeUndefined();
    expect(judge({}, { removed: 4 })).toBe('TOO_MANY_DEPARTMENTS');
    expect(judge({ renamed: 50 })).toBeUndefined();
    expect(judge({ renamed: 51 })).toBe('TOO_MANY_RENAMED');
  });
});
