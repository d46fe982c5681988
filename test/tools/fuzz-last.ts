import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

const isFuzzing = ({ moduleId }: TestSpecification): boolean =>
  moduleId.endsWith('/test/cloud/fuzz.test.ts');

/** The usual order, in which files that failed come first; but what fuzzing leaves behind disturbs no journey. */
export class FuzzLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !isFuzzing(file)), ...sorted.filter(isFuzzing)];
  }
}
