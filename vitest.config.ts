import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a test may take where others keep the processors busy (ms): no test is about time. */
const LONG = 300_000;
/** Deployments and fault runs wait for much of their time: one file more than there are processors. */
const workers = Math.min(8, availableParallelism() + 1);

/** Tests that count the steps of code, which must not have been loaded before the counting starts. */
const counted = [
  'test/unit/workflow/cmmn/compile/{any-input,hostile-models}.test.ts',
  'test/unit/workflow/cmmn/expression/feel-bound.test.ts',
  'test/unit/workflow/cmmn/runtime/growth.test.ts',
];
/** Node itself loads the sources: docs/decisions/0031-how-tests-are-loaded.md. */
const native = { viteModuleRunner: false, nodeLoader: false };
const loaded = 'test/helpers/loaded-as-deployed.ts';
/** Packages that Node does not load as they are. */
const inline = ['cmmn-moddle', 'moddle', 'moddle-xml', 'min-dash'];

const isFuzzing = ({ moduleId }: TestSpecification): boolean =>
  moduleId.endsWith('/test/cloud/fuzz.test.ts');

/** The usual order, in which files that failed come first; but what fuzzing leaves behind disturbs no journey. */
class FuzzLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !isFuzzing(file)), ...sorted.filter(isFuzzing)];
  }
}

/**
 * `deployments` and `faults` start a local cloud for each file. `cloud` then holds the journeys against one platform,
 * one file after the other, and `grants` holds their AWS calls against the policies of the stack. `unit` needs no
 * network; `unit-steps` are those of its tests that count steps, each in a process of its own. `npm test` runs journeys,
 * deployments and unit tests side by side (test/tools/run-tests.ts). The long form of `faults` is `--mode long`,
 * which alone has `test/faults/long`.
 */
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/helpers/world/temporary-folder.ts'],
    silent: 'passed-only',
    sequence: { sequencer: FuzzLast },
    projects: [
      {
        test: {
          name: 'deployments',
          include: ['test/deployments/**/*.test.ts'],
          setupFiles: [loaded],
          experimental: native,
          maxWorkers: workers,
          testTimeout: LONG,
          hookTimeout: LONG,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          exclude: mode === 'long' ? [] : ['test/faults/long/**'],
          setupFiles: [loaded],
          experimental: native,
          env: { FAULTS_MODE: mode },
          maxWorkers: mode === 'long' ? 1 : workers,
          testTimeout: LONG,
          hookTimeout: LONG,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: counted,
          setupFiles: [loaded, 'test/helpers/property-seed.ts'],
          // More would load more copies of all modules.
          maxWorkers: Math.min(8, availableParallelism()),
          pool: 'threads',
          // A worker loads a module once for all its files: no test may leave anything behind in one.
          isolate: false,
          experimental: native,
          testTimeout: LONG,
          hookTimeout: LONG,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'unit-steps',
          include: counted,
          setupFiles: ['test/helpers/property-seed.ts', 'test/helpers/cmmn/count-steps.ts'],
          maxWorkers: Math.min(8, availableParallelism()),
          pool: 'forks',
          // Code that the garbage collector drops would be counted anew.
          execArgv: ['--no-flush-bytecode'],
          testTimeout: LONG,
          hookTimeout: LONG,
          sequence: { groupOrder: 3 },
          server: { deps: { inline } },
        },
      },
      {
        test: {
          name: 'cloud',
          include: ['test/cloud/**/*.test.ts'],
          globalSetup: ['test/helpers/cloud/cloud-setup.ts'],
          fileParallelism: false,
          isolate: false,
          setupFiles: [loaded],
          experimental: native,
          testTimeout: LONG,
          hookTimeout: LONG,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'grants',
          include: ['test/grants/**/*.test.ts'],
          setupFiles: [loaded],
          experimental: native,
          testTimeout: LONG,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
}));
